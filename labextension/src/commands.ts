/**
 * Every command id of the extension, in one place.
 *
 * Labels, icons and what a command does belong to the plugin that registers it.
 */
export const CommandIDs = {
  /** Shows the side panel. */
  openPanel: 'tir:open-panel',
  /** Opens the settings editor at this extension's settings. */
  openSettings: 'tir:open-settings'
} as const;
