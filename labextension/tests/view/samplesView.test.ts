import { afterEach, describe, expect, it, vi } from 'vitest';

import type { IViewHost } from '../../src/view/host';
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
  shown,
  snapshotOf,
  tab,
  texts,
  thousand
} from './runs';

function samplesOf(
  snapshot: ISnapshot,
  others: Partial<IViewHost> = {}
): RunView {
  const view = shown(snapshot, others);
  tab(view, 'Samples').click();
  return view;
}

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
    const [row] = [...view.node.querySelectorAll('.jp-TirSamples-row')].slice(
      3,
      4
    );
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

describe('a transcript', () => {
  it('opens below its row, and says so', () => {
    const open = vi.fn();
    const view = samplesOf(snapshotOf(stopped), { open });
    const button = opener(view, 0);
    expect(button.getAttribute('aria-expanded')).toBe('false');
    button.click();
    expect(button.getAttribute('aria-expanded')).toBe('true');
    const detail = one(
      view.node,
      `#${String(button.getAttribute('aria-controls'))}`
    );
    expect(detail.hidden).toBe(false);
    expect(texts(detail, '.jp-TirSegment-kind')).toEqual([
      'Text',
      'Code',
      'Result',
      'Text'
    ]);
    expect(one(detail, '.jp-TirSegment-code').textContent).toBe(
      'total = sum(n * n for n in range(21))\nprint(total)  # 2870'
    );
    expect(texts(detail, '.jp-TirSegment-facts')).toEqual([
      '',
      '250 ms',
      '',
      ''
    ]);
    expect(view.openSamples).toEqual([0]);
    button.click();
    expect([detail.hidden, view.openSamples]).toEqual([true, []]);
    expect(open.mock.calls).toEqual([[[0]], [[]]]);
  });

  it('grows without being made anew, and stays open', async () => {
    const view = samplesOf(snapshotOf(streaming.snapshot), { open: vi.fn() });
    opener(view, 0).click();
    const block = one(view.node, '.jp-TirText-block');
    const first = block.firstChild;
    document.getSelection()?.selectAllChildren(block);
    view.apply(batchOf(streaming.batches[0]));
    view.apply(batchOf(streaming.batches[1]));
    await drawn();
    expect(block.textContent).toBe('The first step is');
    expect(block.firstChild).toBe(first);
    expect(document.getSelection()?.toString()).toBe('The first');
    expect(one(view.node, '.jp-TirSegment-facts').textContent).toBe('writing…');
  });

  it('shows what ended in place of what streamed', async () => {
    const view = samplesOf(snapshotOf(streaming.snapshot), { open: vi.fn() });
    opener(view, 0).click();
    streaming.batches.forEach(batch => view.apply(batchOf(batch)));
    await drawn();
    expect(
      texts(view.node, '.jp-TirSegment .jp-TirText, .jp-TirSegment-code')
    ).toEqual([
      'Let us compute.',
      'total = sum(n * n for n in range(21))\nprint(total)  # 2870',
      '2870',
      'So it is 2870.'
    ]);
    expect(view.openSamples).toEqual([0]);
  });

  it('stays open when a whole snapshot comes', async () => {
    const view = samplesOf(snapshotOf(streaming.snapshot), { open: vi.fn() });
    opener(view, 1).click();
    opener(view, 1).focus();
    const segment = one(view.node, '.jp-TirSegment');
    view.show(snapshotOf(streaming.snapshot));
    await drawn();
    expect(view.openSamples).toEqual([1]);
    expect(one(view.node, '.jp-TirSegment')).toBe(segment);
    expect(document.activeElement).toBe(opener(view, 1));
  });

  it('says that it is on the way, or that nothing is there yet', async () => {
    const run = snapshotOf(streaming.snapshot);
    const view = samplesOf(run, { open: vi.fn() });
    opener(view, 5).click();
    const note = (): string[] =>
      texts(view.node, '.jp-TirSamples-detail .jp-TirRun-note:not([hidden])');
    expect(note()).toEqual(['Its transcript is on the way…']);
    const empty = { sample: 5, segments: [], start: 0 };
    view.apply(batchAfter(run, { transcripts: [empty] }));
    await drawn();
    expect(note()).toEqual(['It has written nothing yet.']);
  });

  it('puts code into a cell when asked', () => {
    const insertCode = vi.fn();
    const view = samplesOf(snapshotOf(stopped), { insertCode });
    opener(view, 0).click();
    const buttons = [
      ...view.node.querySelectorAll<HTMLElement>('.jp-TirRun-action')
    ].filter(each => each.textContent === 'Insert as cell');
    expect(buttons).toHaveLength(1);
    buttons[0].click();
    expect(insertCode.mock.calls).toEqual([
      ['total = sum(n * n for n in range(21))\nprint(total)  # 2870']
    ]);
    const without = samplesOf(snapshotOf(stopped));
    opener(without, 0).click();
    expect(texts(without.node, 'button')).not.toContain('Insert as cell');
  });

  it('is copied as it was written', async () => {
    const writeText = vi.fn(() => Promise.resolve());
    vi.stubGlobal('navigator', { clipboard: { writeText } });
    const run = snapshotOf(stopped);
    const text = 'a\u202eb';
    const view = samplesOf({
      ...run,
      transcripts: [
        {
          sample: 0,
          start: 0,
          segments: [{ ...run.transcripts[0].segments[0], text }]
        }
      ]
    });
    opener(view, 0).click();
    const copy = one(view.node, '.jp-TirSegment .jp-TirRun-action');
    copy.click();
    await drawn();
    expect(writeText.mock.calls).toEqual([[text]]);
    expect(copy.textContent).toBe('Copied');
    vi.unstubAllGlobals();
  });

  it('is selected where the page may not copy', () => {
    vi.stubGlobal('navigator', {});
    const view = samplesOf(snapshotOf(stopped));
    opener(view, 0).click();
    const copy = one(view.node, '.jp-TirSegment .jp-TirRun-action');
    copy.click();
    expect(document.getSelection()?.toString()).toBe('Let us compute.');
    expect(copy.textContent).toBe('Selected: press Ctrl+C');
    vi.unstubAllGlobals();
  });

  it('follows its end, unless the reader went up', async () => {
    const run = snapshotOf(streaming.snapshot);
    const view = samplesOf(run, { open: vi.fn() });
    opener(view, 0).click();
    const box = one(view.node, '.jp-TirTranscript');
    // No layout here: a box of 100 pixels with 1,000 in it.
    Object.defineProperty(box, 'scrollHeight', { value: 1_000 });
    Object.defineProperty(box, 'clientHeight', { value: 100 });
    const go = (top: number): void => {
      box.scrollTop = top;
      box.dispatchEvent(new Event('scroll'));
    };
    const tell = async (number: number): Promise<number> => {
      view.apply(batchOf(streaming.batches[number]));
      await drawn();
      return box.scrollTop;
    };
    expect(await tell(0)).toBe(1_000);
    go(900);
    go(300);
    expect(await tell(1)).toBe(300);
    go(890);
    expect(await tell(2)).toBe(1_000);
  });
});
