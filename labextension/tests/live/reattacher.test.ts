import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { ASK_MS, GRACE_MS, Reattacher } from '../../src/live/reattacher';
import { RUN_MIME_TYPE } from '../../src/view/wire';
import inProgress from '../data/view/in_progress.json';
import stopped from '../data/view/stopped_early.json';
import { FakeKernel } from './fakes';

const RUN = inProgress.head.runId;
const LIVE = { [RUN_MIME_TYPE]: inProgress };
const FINAL = { [RUN_MIME_TYPE]: stopped, 'text/plain': 'the end' };

type Data = Record<string, unknown>;

class Outputs {
  items: { data: Data }[] = [];

  get length(): number {
    return this.items.length;
  }

  get(index: number): { data: Data } {
    return this.items[index];
  }

  set(index: number, output: { data: Data }): void {
    this.items[index] = output;
  }

  fromJSON(outputs: { data: Data }[]): void {
    this.items = outputs;
  }
}

class Cell {
  constructor(
    readonly id: string,
    private readonly _source: string
  ) {}

  readonly type = 'code';
  readonly outputs = new Outputs();
  readonly sharedModel = { getSource: () => this._source };

  show(...data: Data[]): void {
    this.outputs.items = data.map(each => ({ data: each }));
  }

  get shown(): Data[] {
    return this.outputs.items.map(({ data }) => data);
  }
}

class Session {
  constructor(readonly kernel: FakeKernel) {}

  readonly kernelChanged = new Signal<this, object>(this);
  readonly statusChanged = new Signal<this, string>(this);
  readonly connectionStatusChanged = new Signal<this, string>(this);

  get session(): { kernel: FakeKernel } {
    return { kernel: this.kernel };
  }
}

describe('a notebook whose page was away', () => {
  let kernel: FakeKernel;
  let session: Session;
  let cell: Cell;
  let over: boolean;
  let savedAt: string;
  let reattacher: Reattacher;

  beforeEach(() => {
    vi.useFakeTimers();
    kernel = new FakeKernel();
    session = new Session(kernel);
    cell = new Cell('the-cell', '%%tir\nWhat is 1 + 1?');
    over = false;
    // The runs of the test data began, and ended, a second or more later.
    savedAt = '2026-01-02T03:04:05+00:00';
    kernel.answer = request => {
      switch (request.kind) {
        case 'runs':
          return {
            status: 'ok',
            runs: [{ runId: RUN, cellId: 'the-cell', over }]
          };
        case 'hello':
          return { status: 'ok', snapshot: inProgress };
        case 'final':
          return over
            ? { status: 'ok', bundle: FINAL }
            : { status: 'not-over' };
        default:
          return { status: 'ok' };
      }
    };
  });

  afterEach(() => {
    reattacher.dispose();
    vi.useRealTimers();
  });

  async function open(): Promise<void> {
    const panel = {
      sessionContext: session,
      content: { model: { cells: [new Cell('other', 'x = 1'), cell] } },
      context: {
        ready: Promise.resolve(),
        contentsModel: { last_modified: savedAt }
      }
    };
    reattacher = new Reattacher(panel as unknown as NotebookPanel);
    await vi.advanceTimersByTimeAsync(1);
  }

  function kinds(): string[] {
    return kernel.requests.map(({ kind }) => kind);
  }

  it('shows a run that goes on in its cell, instead of what was there', async () => {
    cell.show({ 'text/plain': 'of an earlier execution' });
    await open();
    expect(cell.shown).toHaveLength(1);
    expect(cell.shown[0][RUN_MIME_TYPE]).toEqual(inProgress);
    expect(kinds()).toEqual(['runs', 'hello', 'bye']);
  });

  it('writes how it ended, soon after its last batch', async () => {
    cell.show({ 'text/plain': 'printed before' }, LIVE);
    await open();
    over = true;
    kernel.publish('tir_batch', {
      run: RUN,
      page: 'of some view',
      batch: { end: stopped.end }
    });
    await vi.advanceTimersByTimeAsync(GRACE_MS);
    expect(cell.shown).toEqual([{ 'text/plain': 'printed before' }, FINAL]);
  });

  it('writes it also where no view of it was told', async () => {
    cell.show(LIVE);
    await open();
    await vi.advanceTimersByTimeAsync(ASK_MS);
    expect(cell.shown).toEqual([LIVE]);
    over = true;
    await vi.advanceTimersByTimeAsync(ASK_MS);
    expect(cell.shown).toEqual([FINAL]);
    const asked = kinds().length;
    await vi.advanceTimersByTimeAsync(5 * ASK_MS);
    expect(kinds()).toHaveLength(asked);
  });

  it('leaves alone what came by itself', async () => {
    cell.show(LIVE);
    await open();
    over = true;
    const own = { ...FINAL, 'text/plain': 'came by itself' };
    cell.show(own);
    await vi.advanceTimersByTimeAsync(ASK_MS);
    expect(cell.shown).toEqual([own]);
  });

  it('gets a run that ended meanwhile', async () => {
    over = true;
    cell.show(LIVE);
    await open();
    expect(cell.shown).toEqual([FINAL]);
  });

  it('gets it where the file does not even have its beginning', async () => {
    over = true;
    await open();
    expect(cell.shown).toEqual([FINAL]);
  });

  it('does not bring back what a person has removed and saved', async () => {
    over = true;
    savedAt = '2026-01-02T04:00:00+00:00';
    await open();
    expect(cell.shown).toEqual([]);
  });

  it('asks no kernel of another language', async () => {
    kernel.language = 'julia';
    await open();
    expect(kernel.sent).toEqual([]);
  });

  it('asks no kernel where no cell begins a run', async () => {
    cell = new Cell('the-cell', 'print(1)');
    await open();
    expect(kernel.sent).toEqual([]);
  });

  it('asks again after the connection was lost, not after a restart', async () => {
    await open();
    const asked = (): number => kinds().filter(each => each === 'runs').length;
    session.connectionStatusChanged.emit('connecting');
    session.connectionStatusChanged.emit('connected');
    await vi.advanceTimersByTimeAsync(1);
    expect(asked()).toBe(2);
    session.statusChanged.emit('restarting');
    session.connectionStatusChanged.emit('connected');
    await vi.advanceTimersByTimeAsync(1);
    expect(asked()).toBe(2);
  });
});
