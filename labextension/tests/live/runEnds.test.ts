import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Request } from '../../src/live/channel';
import { ASK_MS, GRACE_MS, RunEnds } from '../../src/live/runEnds';
import { RUN_MIME_TYPE } from '../../src/view/wire';
import { snapshotOf } from '../view/runs';
import inProgress from '../data/view/in_progress.json';
import stopped from '../data/view/stopped_early.json';
import { Cell, Session, panelOf } from './fakeNotebook';
import { FakeKernel } from './fakes';

const RUN = inProgress.head.runId;
const LIVE = { [RUN_MIME_TYPE]: inProgress };
const ENDED = snapshotOf({ ...stopped, head: inProgress.head });
const FINAL = { [RUN_MIME_TYPE]: stopped, 'text/plain': 'as asked for' };
const OTHER = {
  [RUN_MIME_TYPE]: snapshotOf({
    ...inProgress,
    head: { ...inProgress.head, runId: 'another' }
  })
};
const PRINTED = { 'text/plain': 'printed' };

describe('a run that is followed to its end', () => {
  let kernel: FakeKernel;
  let cells: Cell[];
  let ends: RunEnds;
  let session: Session;
  let over: boolean;

  beforeEach(() => {
    vi.useFakeTimers();
    over = false;
    kernel = new FakeKernel();
    kernel.answer = ({ kind }: Request) =>
      kind === 'final' && over
        ? {
            status: 'ok',
            bundle: FINAL,
            metadata: { of: 'the end' },
            cellId: 'a',
            executionCount: 4
          }
        : { status: 'not-over' };
    cells = [new Cell('a', '%%tir\nx', PRINTED, LIVE)];
    session = new Session(kernel);
    ends = new RunEnds(panelOf(session, cells));
  });

  afterEach(() => {
    ends.dispose();
    vi.useRealTimers();
  });

  function deliverEnd(): void {
    over = true;
    kernel.publish('tir_batch', {
      run: RUN,
      page: 'of some view',
      batch: { end: stopped.end }
    });
  }

  /** What the kernel tells who asked for the end before there was one. */
  function deliverOver(): void {
    over = true;
    kernel.publish('tir_batch', {
      run: RUN,
      page: 'of the asker',
      batch: { over: true }
    });
  }

  async function pass(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
  }

  it('is written where its cell is another one by then', async () => {
    ends.follow(RUN);
    await pass(GRACE_MS);
    cells.splice(
      0,
      1,
      new Cell('pasted', '%%tir\nx', LIVE, PRINTED),
      new Cell('pasted twice', '%%tir\nx', PRINTED, LIVE)
    );
    deliverEnd();
    await pass(GRACE_MS);
    expect(cells.map(({ shown }) => shown)).toEqual([
      [FINAL, PRINTED],
      [PRINTED, FINAL]
    ]);
    expect(cells[0].outputs.get(0)).toMatchObject({
      output_type: 'display_data',
      metadata: { of: 'the end' }
    });
  });

  it('is looked for without reading the other runs of the notebook', async () => {
    const samples = vi.fn(() => []);
    const large = Object.defineProperty(
      { ...inProgress, head: { ...inProgress.head, runId: 'another' } },
      'samples',
      { get: samples }
    );
    cells.push(new Cell('b', '%%tir\ny', { [RUN_MIME_TYPE]: large }));
    ends.follow(RUN);
    deliverEnd();
    await pass(GRACE_MS);
    expect(cells[0].shown).toEqual([PRINTED, FINAL]);
    expect(samples).not.toHaveBeenCalled();
  });

  it('is left alone where its output came by itself', async () => {
    const own = { ...FINAL, 'text/plain': 'came by itself' };
    ends.follow(RUN);
    deliverEnd();
    await pass(GRACE_MS - 1);
    cells[0].show(own);
    await pass(2 * ASK_MS);
    expect(cells[0].shown).toEqual([own]);
    expect(kernel.requests).toEqual([]);
  });

  it('is written only in the copy that nobody updated', async () => {
    const own = { ...FINAL, 'text/plain': 'came by itself' };
    cells.push(new Cell('copy', '%%tir\nx', LIVE));
    ends.follow(RUN);
    deliverEnd();
    cells[0].show(own);
    await pass(GRACE_MS);
    expect(cells.map(({ shown }) => shown)).toEqual([[own], [FINAL]]);
  });

  it('is written when its cell comes back after the end', async () => {
    const [cell] = cells.splice(0, 1);
    ends.follow(RUN);
    deliverEnd();
    await pass(GRACE_MS);
    cells.push(cell);
    // As the view does that comes back with the cell.
    ends.follow(RUN);
    await pass(GRACE_MS);
    expect(cell.shown).toEqual([PRINTED, FINAL]);
  });

  it('is noted at once where the notebook shows the run as going on', async () => {
    cells.push(new Cell('copy', '%%tir\nx', LIVE));
    ends.follow(RUN);
    ends.follow(RUN, ENDED);
    const noted = {
      [RUN_MIME_TYPE]: ENDED,
      'text/plain': `TIR run ${RUN}: 2870`
    };
    expect(cells.map(({ shown }) => shown)).toEqual([
      [PRINTED, noted],
      [noted]
    ]);
    // What the kernel makes of it comes in its place, in all forms.
    cells[1].show(FINAL);
    deliverOver();
    await pass(GRACE_MS);
    expect(cells.map(({ shown }) => shown)).toEqual([
      [PRINTED, FINAL],
      [FINAL]
    ]);
  });

  it('is written as soon as the kernel says that it can be asked for', async () => {
    ends.follow(RUN);
    await pass(GRACE_MS);
    deliverOver();
    await pass(1);
    expect(cells[0].shown).toEqual([PRINTED, FINAL]);
  });

  it.each([
    ['this page', [PRINTED, FINAL]],
    ['another page', [PRINTED]]
  ])('is followed from its first output on in %s', async (page, shown) => {
    session.iopubMessage.emit({
      header: { msg_type: 'display_data' },
      parent_header: { session: page },
      content: { data: LIVE }
    });
    cells[0].show(PRINTED);
    await pass(GRACE_MS);
    deliverOver();
    await pass(ASK_MS);
    expect(cells[0].shown).toEqual(shown);
  });

  describe('where its output was cleared meanwhile', () => {
    beforeEach(async () => {
      ends.follow(RUN);
      await pass(GRACE_MS);
      cells[0].show();
    });

    it('comes back into the cell that began it', async () => {
      deliverOver();
      await pass(1);
      expect(cells[0].shown).toEqual([FINAL]);
      expect(cells[0].outputs.get(0).metadata).toEqual({ of: 'the end' });
    });

    it('comes behind what the cell has printed since', async () => {
      cells[0].show(PRINTED);
      cells[0].executionCount = 4;
      deliverOver();
      await pass(1);
      expect(cells[0].shown).toEqual([PRINTED, FINAL]);
    });

    it.each([
      ['the cell has run again', 5, '%%tir\nx'],
      ['the cell is another one by now', null, 'print(1)']
    ])('is left out where %s', async (_, count, source) => {
      cells[0].show(PRINTED);
      cells[0].executionCount = count;
      cells[0].source = source;
      deliverOver();
      await pass(ASK_MS);
      expect(cells[0].shown).toEqual([PRINTED]);
    });

    it('is left out where the cell shows a later run already', async () => {
      cells[0].show(OTHER);
      deliverOver();
      await pass(ASK_MS);
      expect(cells[0].shown).toEqual([OTHER]);
    });

    it('waits where the cell runs, and is left out where it has run anew', async () => {
      cells[0].executionState = 'running';
      deliverOver();
      await pass(GRACE_MS);
      expect(cells[0].shown).toEqual([]);
      cells[0].executionState = 'idle';
      cells[0].executionCount = 5;
      await pass(2 * ASK_MS);
      expect(cells[0].shown).toEqual([]);
    });

    it('comes back once its cell, which still ran, has ended', async () => {
      cells[0].executionState = 'running';
      deliverOver();
      await pass(GRACE_MS);
      cells[0].executionState = 'idle';
      cells[0].executionCount = 4;
      await pass(2 * ASK_MS);
      expect(cells[0].shown).toEqual([FINAL]);
    });

    it('is left out where there is no such cell', async () => {
      cells.splice(0, 1, new Cell('b', '%%tir\nx'));
      deliverOver();
      await pass(ASK_MS);
      expect(cells[0].shown).toEqual([]);
    });
  });

  it('is not brought back where it was cleared after it was shown', async () => {
    ends.follow(RUN);
    await pass(GRACE_MS);
    ends.follow(RUN, ENDED);
    cells[0].show();
    deliverOver();
    await pass(ASK_MS);
    expect(cells[0].shown).toEqual([]);
  });

  it('is asked for also where no view is told of its end, and then no more', async () => {
    ends.follow(RUN);
    await pass(2 * ASK_MS);
    expect(cells[0].shown).toEqual([PRINTED, LIVE]);
    over = true;
    await pass(ASK_MS);
    expect(cells[0].shown).toEqual([PRINTED, FINAL]);
    const asked = kernel.requests.length;
    await pass(5 * ASK_MS);
    expect(kernel.requests).toHaveLength(asked);
  });

  it('is not asked for in a kernel that was restarted', async () => {
    ends.follow(RUN);
    kernel.statusChanged.emit('restarting');
    over = true;
    await pass(2 * ASK_MS);
    expect(kernel.requests).toEqual([]);
    expect(cells[0].shown).toEqual([PRINTED, LIVE]);
  });

  it('needs a kernel', async () => {
    const alone = new RunEnds(panelOf(new Session(null), cells));
    alone.follow(RUN);
    await pass(2 * ASK_MS);
    expect(kernel.requests).toEqual([]);
    alone.dispose();
  });
});
