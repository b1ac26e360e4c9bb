import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Reattacher } from '../../src/live/reattacher';
import { ASK_MS, GRACE_MS, RunEnds } from '../../src/live/runEnds';
import { RUN_MIME_TYPE } from '../../src/view/wire';
import inProgress from '../data/view/in_progress.json';
import stopped from '../data/view/stopped_early.json';
import { Cell, Session, panelOf } from './fakeNotebook';
import { FakeKernel } from './fakes';

const RUN = inProgress.head.runId;
const LIVE = { [RUN_MIME_TYPE]: inProgress };
const FINAL = { [RUN_MIME_TYPE]: stopped, 'text/plain': 'the end' };
const ANOTHER = {
  [RUN_MIME_TYPE]: { ...stopped, head: { ...stopped.head, runId: 'another' } }
};
const PRINTED = { 'text/plain': 'printed' };

describe('a notebook whose page was away', () => {
  let kernel: FakeKernel;
  let session: Session;
  let cell: Cell;
  let over: boolean;
  /** Happens between a question and its answer. */
  let meanwhile: (kind: string) => void;
  let begunBy: string;
  let savedAt: string;
  let reattacher: Reattacher;
  let ends: RunEnds;

  beforeEach(() => {
    vi.useFakeTimers();
    kernel = new FakeKernel();
    session = new Session(kernel);
    cell = new Cell('the-cell', '%%tir\nWhat is 1 + 1?');
    over = false;
    meanwhile = () => undefined;
    begunBy = 'a page that is gone';
    // The runs of the test data began, and ended, a second or more later.
    savedAt = '2026-01-02T03:04:05+00:00';
    kernel.answer = request => {
      meanwhile(request.kind);
      switch (request.kind) {
        case 'runs':
          return {
            status: 'ok',
            runs: [{ runId: RUN, cellId: 'the-cell', session: begunBy, over }]
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
    ends.dispose();
    vi.useRealTimers();
  });

  async function open(...others: Cell[]): Promise<void> {
    const cells = [new Cell('other', 'x = 1'), cell, ...others];
    const panel = panelOf(session, cells, savedAt);
    ends = new RunEnds(panel);
    reattacher = new Reattacher(panel, ends);
    await vi.advanceTimersByTimeAsync(1);
  }

  function kinds(): string[] {
    return kernel.requests.map(({ kind }) => kind);
  }

  it('asks the kernel that the notebook has, also where another one was slow', async () => {
    const slow = new FakeKernel();
    let tell: (spec: { language: string }) => void = () => undefined;
    vi.spyOn(slow, 'spec', 'get').mockReturnValue(
      new Promise(resolve => (tell = resolve))
    );
    session.kernel = slow;
    await open();
    vi.spyOn(kernel, 'spec', 'get').mockReturnValue(
      new Promise(resolve => setTimeout(resolve, 5, { language: 'python' }))
    );
    session.kernel = kernel;
    session.kernelChanged.emit({});
    tell({ language: 'python' });
    await vi.advanceTimersByTimeAsync(10);
    expect(slow.requests).toEqual([]);
    expect(kinds()[0]).toBe('runs');
  });

  it('shows a run that goes on in its cell, below what is there', async () => {
    cell.show(PRINTED, ANOTHER);
    await open();
    expect(cell.shown.slice(0, 2)).toEqual([PRINTED, ANOTHER]);
    expect(cell.shown).toHaveLength(3);
    expect(cell.shown[2][RUN_MIME_TYPE]).toEqual(inProgress);
    expect(kinds()).toEqual(['runs', 'hello', 'bye']);
  });

  it('does not show it twice where it comes by itself meanwhile', async () => {
    meanwhile = kind => {
      if (kind === 'hello') {
        cell.show(LIVE);
      }
    };
    await open();
    expect(cell.shown).toEqual([LIVE]);
    over = true;
    await vi.advanceTimersByTimeAsync(ASK_MS);
    expect(cell.shown).toEqual([FINAL]);
  });

  it('does not add an end that comes by itself meanwhile', async () => {
    over = true;
    meanwhile = kind => {
      if (kind === 'final') {
        cell.show(FINAL);
      }
    };
    await open();
    expect(cell.shown).toEqual([FINAL]);
  });

  it('waits for what this page has begun itself, and follows it', async () => {
    begunBy = kernel.clientId;
    await open();
    expect(cell.shown).toEqual([]);
    cell.show(LIVE);
    over = true;
    await vi.advanceTimersByTimeAsync(ASK_MS);
    expect(cell.shown).toEqual([FINAL]);
  });

  it.each([false, true])(
    'leaves a cell alone that runs something else by now, over: %s',
    async isOver => {
      over = isOver;
      cell.source = 'print("my own output")';
      cell.show(PRINTED);
      await open(new Cell('third', '%%tir\nanother problem'));
      expect(cell.shown).toEqual([PRINTED]);
      expect(kinds()).toEqual(['runs']);
    }
  );

  it('adds an end that the file does not have to what is there', async () => {
    over = true;
    cell.source = 'get_ipython().run_cell_magic("tir", "", "x")';
    cell.show(PRINTED, ANOTHER);
    await open();
    expect(cell.shown).toEqual([PRINTED, ANOTHER, FINAL]);
  });

  it('does not show it again where it stands in another cell', async () => {
    await open(new Cell('pasted', '%%tir\nx', LIVE));
    expect(cell.shown).toEqual([]);
    expect(kinds()).toEqual(['runs']);
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
    await vi.advanceTimersByTimeAsync(GRACE_MS);
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
