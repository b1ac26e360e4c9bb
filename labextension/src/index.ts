/**
 * What JupyterLab loads: the extension's plugins, one file each.
 */
import { reattachPlugin } from './live/reattachPlugin';
import { panelPlugin } from './panelPlugin';
import { resultPlugin } from './resultPlugin';
import { settingsPlugin } from './settingsPlugin';
import { versionPlugin } from './versionPlugin';

export * from './tokens';

export default [
  settingsPlugin,
  panelPlugin,
  resultPlugin,
  reattachPlugin,
  versionPlugin
];
