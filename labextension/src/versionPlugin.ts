/**
 * The plugin that says once, when the page opens, that this JupyterLab is too old.
 *
 * May use nothing newer than JupyterLab 3, which loads the extension in spite of its version.
 */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { showErrorMessage } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { labVersionFault } from './labVersion';

export const versionPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-tir:version',
  description: 'Says where JupyterLab is too old for the TIR extension.',
  autoStart: true,
  optional: [ITranslator],
  activate: (app: JupyterFrontEnd, translator: ITranslator | null): void => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_tir');
    const fault = labVersionFault(app.name, app.version, trans);
    if (fault !== '') {
      // JupyterLab's notifications came with 4.0; its dialogs every version has.
      void app.restored.then(() =>
        showErrorMessage(trans.__('JupyterLab is too old for TIR'), fault)
      );
    }
  }
};
