/**
 * The plugin that brings the side panel and the commands that belong to it.
 */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { CommandIDs } from './commands';
import { tirIcon } from './icon';
import { TirPanel } from './panel';
import { ITirSettings } from './tokens';

const NO_ARGUMENTS = { args: { type: 'object', properties: {} } } as const;

export const panelPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-tir:panel',
  description: 'The TIR side panel and its commands.',
  autoStart: true,
  requires: [ITirSettings],
  optional: [ITranslator, ICommandPalette, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    settings: ITirSettings,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_tir');
    const panel = new TirPanel(settings, trans, {
      openSettings: () => {
        void app.commands.execute(CommandIDs.openSettings);
      }
    });
    app.shell.add(panel, 'right', { rank: 900, type: 'TIR' });
    restorer?.add(panel, panel.id);

    app.commands.addCommand(CommandIDs.openPanel, {
      label: trans.__('Show the TIR Panel'),
      caption: trans.__('Show which server solves problems, and how to ask it'),
      icon: tirIcon,
      describedBy: NO_ARGUMENTS,
      execute: () => app.shell.activateById(panel.id)
    });
    app.commands.addCommand(CommandIDs.openSettings, {
      label: trans.__('TIR Settings…'),
      caption: trans.__('Open the settings of the TIR extension'),
      describedBy: NO_ARGUMENTS,
      isEnabled: () => app.commands.hasCommand('settingeditor:open'),
      execute: () =>
        app.commands.execute('settingeditor:open', { query: 'TIR' })
    });
    const category = trans.__('TIR');
    for (const command of Object.values(CommandIDs)) {
      palette?.addItem({ command, category });
    }
  }
};
