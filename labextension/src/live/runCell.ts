/**
 * A notebook's cells as the places of a run's outputs.
 */
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';

import { readSnapshot } from '../view/reading';
import type { ISnapshot } from '../view/wire';
import { RUN_MIME_TYPE } from '../view/wire';
import { isRecord } from './channel';
import type { Shown } from './reattaching';
import { runsProblems } from './reattaching';

type Bundle = Readonly<Record<string, unknown>>;

type Output = Parameters<ICodeCellModel['outputs']['add']>[0];

/** Marks an end as the page saw it, until the kernel's result is there in all its forms. */
const PROVISIONAL = { [RUN_MIME_TYPE]: { provisional: true } };

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

/** The cell that began a run; null where the notebook has it no more, or it has become another. */
export function beginningOf(
  notebook: INotebookModel | null,
  id: string
): ICodeCellModel | null {
  const cell = cellOf(notebook, id);
  const is = cell !== null && runsProblems(cell.sharedModel.getSource());
  return is ? cell : null;
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

/**
 * Writes how a run ended as its page has it, wherever the notebook shows it as going on: for a file
 * that is saved before the kernel's result has come. Says whether it did anywhere.
 */
export function noteEnd(
  notebook: INotebookModel | null,
  ended: ISnapshot
): boolean {
  const { runId } = ended.head;
  const found = [...outputsOf(notebook, runId)].filter(({ over }) => !over);
  const words = ended.end?.answer ?? ended.end?.reason ?? '';
  const bundle = {
    [RUN_MIME_TYPE]: ended,
    'text/plain': `TIR run ${runId}: ${words}`
  };
  for (const { cell, index } of found) {
    cell.outputs.set(index, outputOf(bundle, PROVISIONAL));
  }
  return found.length > 0;
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

/** Whether a cell shows any run. */
export function showsRun({ outputs }: ICodeCellModel): boolean {
  return Array.from({ length: outputs.length }, (_, index) =>
    outputs.get(index)
  ).some(({ data }) => data[RUN_MIME_TYPE] !== undefined);
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
      const output = cell.outputs.get(index);
      const data: unknown = output.data[RUN_MIME_TYPE];
      // Of other runs nothing else is read: a notebook may hold many, and each is large.
      const isOurs =
        isRecord(data) && isRecord(data.head) && data.head.runId === runId;
      const reading = isOurs ? readSnapshot(data) : null;
      if (reading?.kind === 'read') {
        const over = reading.value.end !== null && !isProvisional(output);
        yield { cell, index, over };
      }
    }
  }
}

function isProvisional({ metadata }: { readonly metadata: unknown }): boolean {
  const ours = isRecord(metadata) ? metadata[RUN_MIME_TYPE] : undefined;
  return isRecord(ours) && ours.provisional === true;
}

function outputOf(bundle: Bundle, metadata: unknown): Output {
  return {
    output_type: 'display_data' as const,
    data: bundle as Record<string, string>,
    metadata: (isRecord(metadata) ? metadata : {}) as Record<string, string>
  };
}
