import { describe, expect, it, vi } from 'vitest';

import { Maths } from '../../src/view/maths';
import { TranscriptView } from '../../src/view/transcriptView';
import type { IViewSegment } from '../../src/view/wire';
import { plainTranslation } from '../plainTranslation';
import stopped from '../data/view/stopped_early.json';
import streaming from '../data/view/streaming.json';
import {
  batchAfter,
  batchOf,
  drawn,
  one,
  opener,
  samplesOf,
  snapshotOf,
  texts
} from './runs';

function segment(
  kind: IViewSegment['kind'],
  text: string,
  streaming = false
): IViewSegment {
  return {
    kind,
    turn: 0,
    text,
    chars: 0,
    ms: null,
    status: '',
    streaming,
    copied: null
  };
}

describe('a transcript that goes on', () => {
  it.each([
    ['text', true, 1_000],
    ['code', true, 1_000],
    ['result', true, 1_000],
    ['result', false, 0]
  ] as const)(
    'with %s at its end, and writing: %s, is scrolled to %d',
    (kind, writes, top) => {
      const trans = plainTranslation;
      const view = new TranscriptView(0, { trans }, new Maths());
      // No layout here.
      Object.defineProperty(view.node, 'scrollHeight', { value: 1_000 });
      const segments = [
        segment('text', 'Let us compute.'),
        segment(kind, '42', kind === 'text')
      ];
      view.update({ sample: 0, segments, start: 0 }, writes);
      view.settle();
      expect(view.node.scrollTop).toBe(top);
    }
  );
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
