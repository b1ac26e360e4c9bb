/**
 * The plugin that reads the settings.
 */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { TirSettings } from './tirSettings';
import { ITirSettings } from './tokens';

export const settingsPlugin: JupyterFrontEndPlugin<ITirSettings> = {
  // Names the schema file, too.
  id: 'jupyterlab-tir:settings',
  description: 'Reads the settings of the TIR extension.',
  autoStart: true,
  requires: [ISettingRegistry],
  optional: [ITranslator],
  provides: ITirSettings,
  activate: async (
    _app: JupyterFrontEnd,
    registry: ISettingRegistry,
    translator: ITranslator | null
  ): Promise<ITirSettings> => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_tir');
    try {
      return new TirSettings(await registry.load(settingsPlugin.id));
    } catch (reason) {
      // The panel must come up all the same, since it is where a person sees what is wrong.
      return new TirSettings(
        null,
        trans.__(
          'The stored settings cannot be read (%1), so the defaults hold: correct them in the settings editor.',
          reason instanceof Error ? reason.message : String(reason)
        )
      );
    }
  }
};
