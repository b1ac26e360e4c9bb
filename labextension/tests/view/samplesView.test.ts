import { afterEach, describe, expect, it, vi } from 'vitest';

import type { RunView } from '../../src/view/runView';
import type { IBatch, ISnapshot } from '../../src/view/wire';
import disagreement from '../data/view/disagreement.json';
import progress from '../data/view/in_progress.json';
import stopped from '../data/view/stopped_early.json';
import streaming from '../data/view/streaming.json';
import { fakeSight } from './fakeSight';
import {
  batchAfter,
  batchOf,
  drawn,
  one,
  opener,
  samplesOf,
  snapshotOf,
  texts,
  thousand
} from './runs';

function rows(view: RunView): string[][] {
  return [...view.node.querySelectorAll('.jp-TirSamples-row')].map(row =>
    [...row.children].map(cell => cell.textContent)
  );
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the table of samples', () => {
  it('says how each ended, and what it does until then', () => {
    expect(rows(samplesOf(snapshotOf(progress)))).toEqual([
      ['1', 'Answered', '2870', 'Code-verified', '0.25', '100', '6.5', '1'],
      ['2', 'Answered', '2870', 'Text only', '0.50', '100', '8.0', '1'],
      ['3', 'Answered', '385', 'Text only', '0.50', '100', '9.5', '1'],
      ['4', 'Writing…', '–', '–', '–', '3', '13', '1'],
      ['5', 'Starting a kernel…', '–', '–', '–', '100', '12', '1'],
      ['6', 'Running code…', '–', '–', '–', '100', '12', '1'],
      ['7', 'Verifying…', '2870', '–', '–', '100', '11', '1']
    ]);
  });

  it('says why a sample has no vote, or only that of a text', () => {
    const view = samplesOf(snapshotOf(disagreement));
    opener(view, 4).click();
    opener(view, 3).click();
    expect(
      texts(view.node, '.jp-TirSamples-detail .jp-TirRun-note:not([hidden])')
    ).toEqual([
      'Not code-verified: it ran no code.',
      'This transcript is not kept here: %tir show in a cell, or tir show in a terminal, shows the whole record.',
      '99999 is beyond the range 0 to 5000.',
      'This transcript is not kept here: %tir show in a cell, or tir show in a terminal, shows the whole record.'
    ]);
  });

  it('changes the row that changed and no other', async () => {
    const run = snapshotOf(progress);
    const view = samplesOf(run);
    const before = [...view.node.querySelectorAll('.jp-TirSamples-row')];
    const changed = vi.fn();
    const observer = new MutationObserver(changed);
    before.forEach((row, index) => {
      if (index !== 3) {
        observer.observe(row, {
          subtree: true,
          childList: true,
          characterData: true
        });
      }
    });
    view.apply(batchAfter(run, { progress: [[3, 77]] }));
    await drawn(2);
    expect(rows(view)[3][5]).toBe('77');
    expect(observer.takeRecords()).toEqual([]);
    expect(changed).not.toHaveBeenCalled();
    expect([...view.node.querySelectorAll('.jp-TirSamples-row')]).toEqual(
      before
    );
  });

  it('follows what is in sight at once, and the rest each second', async () => {
    const sight = fakeSight();
    const run = snapshotOf(progress);
    const view = samplesOf(run);
    const row = view.node.querySelectorAll('.jp-TirSamples-row')[3];
    const tokens = (): string => rows(view)[3][5];
    let last: ISnapshot | IBatch = run;
    const grow = async (count: number, laterS = 0): Promise<void> => {
      last = batchAfter(last, {
        progress: [[3, count]],
        seconds: last.seconds + laterS
      });
      view.apply(last);
      await drawn();
    };
    expect(sight.watched.size).toBe(4);
    await grow(10);
    expect(tokens()).toBe('10');
    sight.tell(row, false);
    await grow(20);
    expect(tokens()).toBe('10');
    sight.tell(row, true);
    await drawn();
    expect(tokens()).toBe('20');
    sight.tell(row, false);
    await grow(30);
    await grow(40, 2.5);
    expect(tokens()).toBe('40');
    view.dispose();
    expect(sight.watched.size).toBe(0);
  });

  it('shows how a sample out of sight ended at once', async () => {
    const sight = fakeSight();
    const run = snapshotOf(progress);
    const view = samplesOf(run);
    const row = view.node.querySelectorAll('.jp-TirSamples-row')[3];
    sight.tell(row, false);
    const ended = { ...run.samples[3], status: 'no-answer' } as const;
    view.apply(batchAfter(run, { samples: [ended] }));
    await drawn();
    expect(rows(view)[3][1]).toBe('No answer');
    expect(sight.watched.has(row)).toBe(false);
  });

  it('goes on with a transcript whose row alone has left the sight', async () => {
    const sight = fakeSight();
    const view = samplesOf(snapshotOf(streaming.snapshot), { open: vi.fn() });
    const batches = streaming.batches.map(batch => ({
      ...batch,
      seconds: streaming.snapshot.seconds
    }));
    opener(view, 0).click();
    sight.tell(one(view.node, '.jp-TirSamples-row'), false);
    view.apply(batchOf(batches[0]));
    await drawn();
    const block = one(view.node, '.jp-TirText-block');
    expect(block.textContent).toBe('The first step');
    sight.tell(one(view.node, '.jp-TirSamples-detail'), false);
    view.apply(batchOf(batches[1]));
    await drawn();
    expect(block.textContent).toBe('The first step');
    sight.tell(one(view.node, '.jp-TirSamples-detail'), true);
    await drawn();
    expect(block.textContent).toBe('The first step is');
  });

  it('puts samples that begin later in their place', async () => {
    const run = snapshotOf(progress);
    const rest = run.samples.filter(({ sample }) => sample !== 2);
    const view = samplesOf({ ...run, samples: rest });
    opener(view, 1).click();
    view.show(run);
    await drawn();
    expect(rows(view).map(([number]) => number)).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7'
    ]);
    const [first, second] = view.node.querySelectorAll('.jp-TirSamples-row');
    expect(first.nextElementSibling).toBe(second);
    expect(second.nextElementSibling?.className).toBe('jp-TirSamples-detail');
  });

  it('makes the rows of a long run in several frames', async () => {
    const view = samplesOf(thousand(snapshotOf(stopped)));
    expect(rows(view)).toHaveLength(100);
    await drawn(12);
    expect(rows(view)).toHaveLength(1024);
    expect(rows(view)[1023][0]).toBe('1024');
    // A page without a layout of its own takes long for so many elements.
  }, 60_000);

  it('says so where no sample has begun', () => {
    const view = samplesOf({ ...snapshotOf(progress), samples: [] });
    expect(one(view.node, '.jp-TirSamples').textContent).toContain(
      'No sample has begun yet.'
    );
  });
});
