/**
 * A notebook's cells as the places of a run's outputs.
 */
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';

import { readSnapshot } from '../view/reading';
import { RUN_MIME_TYPE } from '../view/wire';
import { isRecord } from './channel';
import type { Shown } from './reattaching';

type Bundle = Readonly<Record<string, unknown>>;

type Output = Parameters<ICodeCellModel['outputs']['add']>[0];

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

/**
 * What a notebook shows of a run: `unfinished` where any cell shows it as going on, as it may stand
 * in more than one.
 */
export function shownIn(notebook: INotebookModel | null, runId: string): Shown {
  const found = [...outputsOf(notebook, runId)];
  return found.length === 0
    ? 'nothing'
    : found.every(({ over }) => over)
      ? 'finished'
      : 'unfinished';
}

/** Adds a run to what a cell shows. */
export function append(
  cell: ICodeCellModel,
  bundle: Bundle,
  metadata?: unknown
): void {
  cell.outputs.add(outputOf(bundle, metadata));
}

/** Writes how a run ended wherever the notebook shows it as going on. */
export function writeEnd(
  notebook: INotebookModel | null,
  runId: string,
  bundle: Bundle,
  metadata?: unknown
): void {
  for (const { cell, index, over } of outputsOf(notebook, runId)) {
    if (!over) {
      cell.outputs.set(index, outputOf(bundle, metadata));
    }
  }
}

interface IFound {
  readonly cell: ICodeCellModel;
  readonly index: number;
  readonly over: boolean;
}

function* outputsOf(
  notebook: INotebookModel | null,
  runId: string
): Generator<IFound> {
  for (const any of notebook?.cells ?? []) {
    if (any.type !== 'code') {
      continue;
    }
    const cell = any as ICodeCellModel;
    for (let index = 0; index < cell.outputs.length; index += 1) {
      const data: unknown = cell.outputs.get(index).data[RUN_MIME_TYPE];
      const reading = data === undefined ? null : readSnapshot(data);
      if (reading?.kind === 'read' && reading.value.head.runId === runId) {
        yield { cell, index, over: reading.value.end !== null };
      }
    }
  }
}

function outputOf(bundle: Bundle, metadata: unknown): Output {
  return {
    output_type: 'display_data' as const,
    data: bundle as Record<string, string>,
    metadata: (isRecord(metadata) ? metadata : {}) as Record<string, string>
  };
}
