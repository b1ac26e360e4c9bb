/**
 * As much of an open notebook as what follows its runs uses.
 */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import type { FakeKernel } from './fakes';

/** What an output holds, by its type. */
export type Data = Record<string, unknown>;

interface IOutput {
  readonly data: Data;
  readonly metadata?: Data;
}

class Outputs {
  items: IOutput[] = [];

  get length(): number {
    return this.items.length;
  }

  get(index: number): IOutput {
    return this.items[index];
  }

  set(index: number, output: IOutput): void {
    this.items[index] = output;
  }

  add(output: IOutput): void {
    this.items.push(output);
  }
}

/** A code cell. */
export class Cell {
  constructor(
    readonly id: string,
    public source: string,
    ...shown: Data[]
  ) {
    this.show(...shown);
  }

  readonly type = 'code';
  /** As it is while the cell runs, and when its output was cleared. */
  executionCount: number | null = null;
  executionState = 'idle';
  readonly outputs = new Outputs();
  readonly sharedModel = { getSource: () => this.source };

  show(...data: Data[]): void {
    this.outputs.items = data.map(each => ({ data: each }));
  }

  get shown(): Data[] {
    return this.outputs.items.map(({ data }) => data);
  }
}

/** The session of a notebook; without a kernel if it is null. */
export class Session {
  constructor(public kernel: FakeKernel | null) {}

  readonly iopubMessage = new Signal<this, object>(this);
  readonly kernelChanged = new Signal<this, object>(this);
  readonly statusChanged = new Signal<this, string>(this);
  readonly connectionStatusChanged = new Signal<this, string>(this);

  get session(): { kernel: FakeKernel | null } {
    return { kernel: this.kernel };
  }
}

/** A notebook with these cells, which tests may exchange for others. */
export function panelOf(
  session: Session,
  cells: Cell[],
  savedAt = ''
): NotebookPanel {
  const panel = {
    sessionContext: session,
    content: { model: { cells } },
    context: {
      ready: Promise.resolve(),
      contentsModel: { last_modified: savedAt }
    }
  };
  return panel as unknown as NotebookPanel;
}
