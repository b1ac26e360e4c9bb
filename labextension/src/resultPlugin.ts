/**
 * The plugin that draws runs in the outputs of notebooks and consoles.
 */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IConsoleTracker } from '@jupyterlab/console';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { placesOf } from './live/places';
import { RUN_RANK, runRendererFactory } from './runRenderer';

export const resultPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-tir:result',
  description: 'Draws TIR runs in outputs, while they go on and when saved.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [ITranslator, INotebookTracker, IConsoleTracker],
  activate: (
    _app: JupyterFrontEnd,
    registry: IRenderMimeRegistry,
    translator: ITranslator | null,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null
  ): void => {
    const context = {
      registry,
      findPlace: placesOf(notebooks, consoles),
      trans: (translator ?? nullTranslator).load('jupyterlab_tir')
    };
    registry.addFactory(runRendererFactory(context), RUN_RANK);
  }
};
