/**
 * Where an output stands: the notebook or console whose kernel has its run.
 */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { IConsoleTracker } from '@jupyterlab/console';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';

import type { ISnapshot } from '../view/wire';
import { withoutHidden } from './pastedCode';
import { endsIn } from './runEnds';

/** What an output can ask of the document that it stands in. */
export interface IRunPlace {
  readonly session: ISessionContext;
  /**
   * Has the end of a run that the kernel knows written into the document, if nothing else does;
   * `ended` is the run as its page has it once it is over.
   */
  keepEnd?(runId: string, ended?: ISnapshot): void;
  /** Puts code into a new cell below the one that holds `node`, without running it. */
  insertCode?(code: string, node: HTMLElement): void;
}

/** Finds the place of an output; null where it is in none, such as a preview of a file. */
export type FindPlace = (
  resolver: IRenderMime.IResolver | null,
  node: HTMLElement
) => IRunPlace | null;

/** Looks among the open notebooks and consoles. */
export function placesOf(
  notebooks: INotebookTracker | null,
  consoles: IConsoleTracker | null
): FindPlace {
  return (resolver, node) => {
    const notebook = notebooks?.find(
      panel =>
        // Each document has a resolver of its own, also for a copy of an output in another tab.
        (resolver !== null && panel.content.rendermime.resolver === resolver) ||
        panel.node.contains(node)
    );
    if (notebook !== undefined) {
      return placeIn(notebook);
    }
    const console = consoles?.find(panel => panel.node.contains(node));
    return console === undefined ? null : { session: console.sessionContext };
  };
}

function placeIn(panel: NotebookPanel): IRunPlace {
  const session = panel.sessionContext;
  const keepEnd = (runId: string, ended?: ISnapshot): void =>
    endsIn(panel).follow(runId, ended);
  return panel.context.contentsModel?.writable === false
    ? { session, keepEnd }
    : {
        session,
        keepEnd,
        insertCode: (code, node) => insertBelow(panel, code, node)
      };
}

function insertBelow(
  panel: NotebookPanel,
  code: string,
  node: HTMLElement
): void {
  const notebook = panel.content;
  const holding = notebook.widgets.findIndex(cell => cell.node.contains(node));
  const index = holding >= 0 ? holding : notebook.activeCellIndex;
  notebook.model?.sharedModel.insertCell(index + 1, {
    cell_type: 'code',
    source: withoutHidden(code)
  });
  notebook.activeCellIndex = index + 1;
  notebook.mode = 'command';
  void notebook.scrollToItem(index + 1);
}
