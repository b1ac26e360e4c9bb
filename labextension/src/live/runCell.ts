/**
 * A notebook's cell as the place of a run's output.
 */
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';

import { readSnapshot } from '../view/reading';
import { RUN_MIME_TYPE } from '../view/wire';
import { isRecord } from './channel';
import type { Shown } from './reattaching';

type Bundle = Readonly<Record<string, unknown>>;

/** The code cell of an id; null where the notebook has none. */
export function cellOf(
  notebook: INotebookModel | null,
  id: string
): ICodeCellModel | null {
  for (const cell of notebook?.cells ?? []) {
    if (cell.id === id && cell.type === 'code') {
      return cell as ICodeCellModel;
    }
  }
  return null;
}

/** What the cell shows of a run. */
export function shownIn(cell: ICodeCellModel, runId: string): Shown {
  const [, over] = outputOf(cell, runId);
  return over === null ? 'nothing' : over ? 'finished' : 'unfinished';
}

/** Has the cell show a run: in the place of its output, or of all outputs where it has none. */
export function write(
  cell: ICodeCellModel,
  runId: string,
  bundle: Bundle,
  metadata: unknown = {}
): void {
  const output = {
    output_type: 'display_data' as const,
    data: bundle as Record<string, string>,
    metadata: (isRecord(metadata) ? metadata : {}) as Record<string, string>
  };
  const [index] = outputOf(cell, runId);
  if (index >= 0) {
    cell.outputs.set(index, output);
  } else {
    // What stands there is of the execution before.
    cell.outputs.fromJSON([output]);
  }
}

/** Where the run's output stands, and whether it shows the end; -1 and null without one. */
function outputOf(
  cell: ICodeCellModel,
  runId: string
): readonly [number, boolean | null] {
  for (let index = 0; index < cell.outputs.length; index += 1) {
    const data: unknown = cell.outputs.get(index).data[RUN_MIME_TYPE];
    const reading = data === undefined ? null : readSnapshot(data);
    if (reading?.kind === 'read' && reading.value.head.runId === runId) {
      return [index, reading.value.end !== null];
    }
  }
  return [-1, null];
}
