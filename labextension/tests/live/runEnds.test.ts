import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Request } from '../../src/live/channel';
import { ASK_MS, GRACE_MS, RunEnds } from '../../src/live/runEnds';
import { RUN_MIME_TYPE } from '../../src/view/wire';
import inProgress from '../data/view/in_progress.json';
import stopped from '../data/view/stopped_early.json';
import { Cell, Session, panelOf } from './fakeNotebook';
import { FakeKernel } from './fakes';

const RUN = inProgress.head.runId;
const LIVE = { [RUN_MIME_TYPE]: inProgress };
const FINAL = { [RUN_MIME_TYPE]: stopped, 'text/plain': 'as asked for' };
const PRINTED = { 'text/plain': 'printed' };

describe('a run that is followed to its end', () => {
  let kernel: FakeKernel;
  let cells: Cell[];
  let ends: RunEnds;
  let over: boolean;

  beforeEach(() => {
    vi.useFakeTimers();
    over = false;
    kernel = new FakeKernel();
    kernel.answer = ({ kind }: Request) =>
      kind === 'final' && over
        ? { status: 'ok', bundle: FINAL, metadata: { of: 'the end' } }
        : { status: 'not-over' };
    cells = [new Cell('a', '%%tir\nx', PRINTED, LIVE)];
    ends = new RunEnds(panelOf(new Session(kernel), cells));
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
