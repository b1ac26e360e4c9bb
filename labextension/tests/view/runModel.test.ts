import { describe, expect, it } from 'vitest';

import { RunModel } from '../../src/view/runModel';
import type { IBatch, ISnapshot } from '../../src/view/wire';
import streaming from '../data/view/streaming.json';
import { batchAfter, batchOf, snapshotOf } from './runs';

const SNAPSHOT = snapshotOf(streaming.snapshot);
const BATCHES = streaming.batches.map(batchOf);

function textOf(model: RunModel, sample: number): string {
  return (
    model
      .transcript(sample)
      ?.segments.map(each => each.text)
      .join('|') ?? ''
  );
}

describe('RunModel', () => {
  it('goes from batch to batch', () => {
    const model = new RunModel(SNAPSHOT);
    expect(BATCHES.slice(0, 3).map(batch => model.apply(batch))).toEqual([
      true,
      true,
      true
    ]);
    expect(textOf(model, 0)).toBe('The first step is this');
    expect(textOf(model, 1)).toBe('The first step is this');
    // What nobody opened is not sent.
    expect(model.transcript(2)).toBe(undefined);
    expect(model.samples.map(each => each.tokens)).toEqual(
      Array<number>(64).fill(4)
    );
    expect(model.snapshot.tokens).toBe(256);
  });

  it('takes what ended in place of what streamed', () => {
    const model = new RunModel(SNAPSHOT);
    BATCHES.forEach(batch => model.apply(batch));
    expect(model.transcript(0)?.segments.map(each => each.kind)).toEqual([
      'text',
      'code',
      'result',
      'text'
    ]);
    expect(model.samples[0]).toMatchObject({
      status: 'answered',
      answer: '2870'
    });
    expect(model.snapshot.tally.candidates[0].count).toBe(1);
    expect(model.snapshot.points).toHaveLength(1);
    expect(model.snapshot.steps).toHaveLength(
      SNAPSHOT.steps.length + BATCHES[3].steps.length
    );
  });

  it('completes a text with what it has of it', () => {
    const model = new RunModel(SNAPSHOT);
    const text = { kind: 'text', turn: 0 } as const;
    const parts: readonly object[][] = [
      [{ ...text, text: '\u{1d465} is 6 * 7.', streaming: true }],
      [
        { ...text, text: '.', copied: { segment: 0, at: 0, length: 9 } },
        {
          kind: 'code',
          turn: 0,
          text: '',
          copied: { segment: 0, at: 6, length: 5 }
        }
      ],
      // What it does not have it cannot copy.
      [{ ...text, text: 'b', copied: { segment: 7, at: 0, length: 5 } }]
    ];
    parts.forEach((segments, number) => {
      const told = { sample: 0, start: 0, segments };
      const before = { ...SNAPSHOT, number };
      const changes = { transcripts: [told] } as unknown as Partial<IBatch>;
      expect(model.apply(batchAfter(before, changes))).toBe(true);
      if (number === 1) {
        expect(textOf(model, 0)).toBe('\u{1d465} is 6 *.|6 * 7');
      }
    });
    expect(textOf(model, 0)).toBe('b');
  });

  it('goes on after an end, under another head', () => {
    const end = { status: 'stopped', reason: 'By the user.' };
    const over = { ...SNAPSHOT, end } as unknown as ISnapshot;
    const model = new RunModel(over);
    model.apply(batchAfter(over));
    expect(model.snapshot.end).toEqual(end);
    const head = { ...SNAPSHOT.head, continued: true };
    model.apply(batchAfter({ ...over, number: 1 }, { head, resumed: true }));
    expect(model.snapshot.head.continued).toBe(true);
    expect([model.snapshot.end, model.snapshot.revote]).toEqual([null, null]);
  });

  it('refuses a batch after a gap and stays as it is', () => {
    const model = new RunModel(SNAPSHOT);
    expect(model.apply(BATCHES[1])).toBe(false);
    expect(model.snapshot).toBe(SNAPSHOT);
  });

  it('takes a batch once', () => {
    const model = new RunModel(SNAPSHOT);
    model.apply(BATCHES[0]);
    const once = model.snapshot;
    expect(model.apply(BATCHES[0])).toBe(true);
    expect(model.snapshot).toBe(once);
  });

  it('passes over batches of other runs', () => {
    const model = new RunModel(SNAPSHOT);
    expect(model.apply(batchAfter(SNAPSHOT, { runId: 'another' }))).toBe(true);
    expect(model.snapshot).toBe(SNAPSHOT);
  });

  it('adds samples in launch order, whenever they come', () => {
    const model = new RunModel({ ...SNAPSHOT, samples: [] });
    const [first, second, third] = SNAPSHOT.samples;
    model.apply(batchAfter(SNAPSHOT, { samples: [third, first] }));
    model.apply(batchAfter({ ...SNAPSHOT, number: 1 }, { samples: [second] }));
    expect(model.samples.map(each => each.sample)).toEqual([0, 1, 2]);
  });
});
