/**
 * The plugin that brings runs back into their cells after a page was reloaded.
 */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { INotebookTracker } from '@jupyterlab/notebook';

import { Reattacher } from './reattacher';
import { endsIn } from './runEnds';

export const reattachPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-tir:reattach',
  description:
    'Shows TIR runs that went on while a page was away, and writes how they ended.',
  autoStart: true,
  optional: [INotebookTracker],
  activate: (
    _app: JupyterFrontEnd,
    notebooks: INotebookTracker | null
  ): void => {
    const attach = (panel: NotebookPanel): void => {
      const reattacher = new Reattacher(panel, endsIn(panel));
      panel.disposed.connect(() => reattacher.dispose());
    };
    notebooks?.forEach(attach);
    notebooks?.widgetAdded.connect((_, panel) => attach(panel));
  }
};
