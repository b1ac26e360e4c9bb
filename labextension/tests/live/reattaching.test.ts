import { describe, expect, it } from 'vitest';

import { RUN_MIME_TYPE } from '../../src/view/wire';
import {
  begunBy,
  endedAt,
  runsByCell,
  runsProblems,
  stepFor
} from '../../src/live/reattaching';

describe('the runs of a kernel', () => {
  it('belong to cells, the last one to each', () => {
    const runs = runsByCell([
      { runId: 'first', cellId: 'a', over: true },
      { runId: 'second', cellId: 'a', session: 'page', over: false },
      { runId: 'other', cellId: 'c', session: 7, over: true },
      { runId: 'third', cellId: null, over: false },
      { runId: 4, cellId: 'b', over: false },
      'fifth'
    ]);
    expect([...runs]).toEqual([
      ['a', { runId: 'second', cellId: 'a', client: 'page', over: false }],
      ['c', { runId: 'other', cellId: 'c', client: '', over: true }]
    ]);
    expect(runsByCell(undefined).size).toBe(0);
  });

  it.each([
    [false, 'nothing', 'insert'],
    [false, 'unfinished', 'follow'],
    [true, 'unfinished', 'follow'],
    [true, 'nothing', 'append-if-newer'],
    [true, 'finished', 'nothing'],
    [false, 'finished', 'nothing']
  ] as const)('over: %s, shown: %s: %s', (over, shown, step) => {
    expect(stepFor(over, shown, false)).toBe(step);
    const own = step === 'insert' ? 'follow' : step;
    expect(stepFor(over, shown, true)).toBe(own);
  });

  it('are asked for where a cell begins one', () => {
    expect(runsProblems('%%tir --check 3\nx')).toBe(true);
    expect(runsProblems('import os\n  %tir continue ab12')).toBe(true);
    expect(runsProblems("ip.run_cell_magic('tir', '', text)")).toBe(true);
    expect(runsProblems('run_line_magic( "tir", "continue")')).toBe(true);
    expect(runsProblems('run_cell_magic("time", "", "tir")')).toBe(false);
    expect(runsProblems('# 3 %tir\n%%time\n%tiring')).toBe(false);
  });

  it.each([
    ['display_data', { head: { runId: 'a' } }, 'a'],
    ['display_data', { head: { runId: 'a' }, end: null }, 'a'],
    [
      'display_data',
      { head: { runId: 'a' }, end: { status: 'stopped' } },
      null
    ],
    ['display_data', { head: 'a' }, null],
    ['display_data', undefined, null],
    ['update_display_data', { head: { runId: 'a' } }, 'a'],
    ['stream', { head: { runId: 'a' } }, null]
  ])('a message %s with %j begins %s', (type, run, begun) => {
    const content = { data: { [RUN_MIME_TYPE]: run } };
    expect(begunBy({ header: { msg_type: type }, content })).toBe(begun);
    expect(begunBy({ header: { msg_type: type }, content: 1 })).toBe(null);
  });

  it('ended so many seconds after they began', () => {
    expect(endedAt('2026-01-02T03:04:05+00:00', 1.5)).toBe(
      Date.UTC(2026, 0, 2, 3, 4, 6, 500)
    );
    expect(endedAt('', 1)).toBeNaN();
  });
});
