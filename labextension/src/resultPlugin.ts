/**
 * The plugin that draws saved runs in notebooks.
 */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { RUN_RANK, runRendererFactory } from './runRenderer';

export const resultPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-tir:result',
  description: 'Draws the results of TIR runs in notebook outputs.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [ITranslator],
  activate: (
    _app: JupyterFrontEnd,
    registry: IRenderMimeRegistry,
    translator: ITranslator | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_tir');
    registry.addFactory(runRendererFactory(registry, trans), RUN_RANK);
  }
};
