import { describe, expect, it } from 'vitest';

import { readBatch, readSnapshot } from '../../src/view/reading';
import { RUN_MIME_TYPE } from '../../src/view/wire';
import stopped from '../data/view/stopped_early.json';
import streaming from '../data/view/streaming.json';
import { batchOf, snapshotOf } from './runs';

const BATCH = {
  schema: 3,
  runId: 'r',
  number: 1,
  seconds: 0.5,
  tokens: 3,
  planned: 8
};

describe('readSnapshot', () => {
  it('reads what Python writes', () => {
    const run = snapshotOf(stopped);
    expect(run.head.server.model).toBe('scripted <b>model</b>');
    expect(run.tally.candidates[0].shown).toBe('2870');
    expect(run.end?.stop?.after).toBe(5);
    expect(run.end?.saved.wastedTokens).toBe(120);
  });

  it('fills in the defaults that are left out', () => {
    const { end, notices, ...rest } = snapshotOf({
      ...stopped,
      samples: [{ sample: 3 }],
      end: undefined
    });
    expect([end, notices, rest.stepsLeftOut]).toEqual([null, [], 0]);
    expect(rest.samples).toEqual([
      {
        sample: 3,
        doing: 'writing',
        status: null,
        reason: '',
        answer: null,
        verification: 'none',
        verificationReason: '',
        entropy: null,
        tokens: 0,
        turns: 1,
        cells: 0,
        startedS: 0,
        seconds: null
      }
    ]);
    expect(
      snapshotOf({ ...stopped, end: { status: 'stopped', reason: '' } }).end
    ).toMatchObject({ saved: { notStarted: 0, savedTokensEstimated: null } });
  });

  it('leaves out what it does not know', () => {
    expect('more' in snapshotOf({ ...stopped, more: 1 })).toBe(false);
  });

  it('does not take for a field what every object has', () => {
    expect(readSnapshot(Object.create(stopped) as unknown)).toMatchObject({
      kind: 'unreadable'
    });
  });

  it('names another schema and does not guess', () => {
    expect(readSnapshot({ ...stopped, schema: 1 })).toEqual({
      kind: 'other-schema',
      schema: '1'
    });
  });

  it.each([
    [null, RUN_MIME_TYPE],
    [[], RUN_MIME_TYPE],
    ['{}', RUN_MIME_TYPE],
    [{}, 'schema'],
    [{ ...stopped, head: undefined }, 'head'],
    [{ ...stopped, planned: '12' }, 'planned'],
    [{ ...stopped, planned: NaN }, 'planned'],
    [{ ...stopped, samples: {} }, 'samples'],
    [{ ...stopped, samples: [{ sample: 0 }, {}] }, 'samples[1].sample'],
    [{ ...stopped, samples: [{ sample: 0, doing: 'x' }] }, 'samples[0].doing'],
    [{ ...stopped, notices: ['a', 1] }, 'notices[1]'],
    [{ ...stopped, notices: Array(10_001).fill('n') }, 'notices'],
    [{ ...stopped, planned: 5e7 }, 'planned'],
    [{ ...stopped, planned: -1 }, 'planned'],
    [{ ...stopped, planned: 1.5 }, 'planned'],
    [{ ...stopped, samples: [{ sample: 1e9 }] }, 'samples[0].sample'],
    [
      { ...stopped, tally: { ...stopped.tally, planned: 1e9 } },
      'tally.planned'
    ],
    [
      { ...stopped, head: { ...stopped.head, settings: { a: nested(50) } } },
      'head.settings.a'
    ],
    [{ ...stopped, head: { ...stopped.head, settings: [] } }, 'head.settings'],
    [{ ...stopped, end: { status: 'well', reason: '' } }, 'end.status'],
    [
      {
        ...stopped,
        end: {
          ...stopped.end,
          stop: { ...stopped.end.stop, numbers: { tau: '0.75' } }
        }
      },
      'end.stop.numbers.tau'
    ]
  ])('names the field that is wrong, case %#', (data, field) => {
    expect(readSnapshot(data)).toEqual({ kind: 'unreadable', field });
  });
});

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

describe('readBatch', () => {
  it('reads what Python writes', () => {
    const [first] = streaming.batches;
    expect(batchOf(first).progress[63]).toEqual([63, 2]);
  });

  it('names a pair that is none', () => {
    expect(readBatch({ ...BATCH, progress: [[1, 2], [3]] })).toEqual({
      kind: 'unreadable',
      field: 'progress[1]'
    });
  });
});
