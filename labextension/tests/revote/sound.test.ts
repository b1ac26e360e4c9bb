import { describe, expect, it } from 'vitest';

import { isSound } from '../../src/view/revote/sound';
import { whatIfTab } from '../../src/view/whatIf/whatIfView';
import type { IViewRevote } from '../../src/view/wire';
import golden from '../data/revote/golden.json';
import { plainTranslation } from '../plainTranslation';
import { saved } from './panel';
import { revoteOf } from './reading';

const { revote: SOUND } = saved('split');
if (SOUND === null) {
  throw new Error('the run has nothing to vote again over');
}

describe('what a notebook holds for voting again', () => {
  it('is sound as Python writes it', () => {
    for (const { revote } of golden.cases) {
      expect(isSound(revoteOf(revote))).toBe(true);
    }
  });

  const [first, ...others] = SOUND.ended;
  const [part] = SOUND.parts;
  it.each<[string, Partial<IViewRevote>]>([
    ['a key that is not there', { answers: [{ shown: '7', keys: [99] }] }],
    ['an answer without a key', { answers: [{ shown: '7', keys: [] }] }],
    [
      'an answer that is not there',
      {
        ended: [
          {
            ...first,
            ballot: { answer: 99, replayed: false, entropy: null, factor: null }
          },
          ...others
        ]
      }
    ],
    ['a sample that ended twice', { ended: [first, first, ...others] }],
    [
      'an end beyond the last one',
      { ended: [{ ...first, until: 99 }, ...others] }
    ],
    ['no part', { parts: [] }],
    ['a part that begins too late', { parts: [{ ...part, start: 5 }] }],
    ['a plan of millions', { parts: [{ ...part, planned: 5e7 }] }],
    [
      'more blocks than can be counted',
      { parts: [{ ...part, maxBlocks: 1e300 }] }
    ],
    ['a window of less than none', { entropyWindows: [-16] }],
    [
      'entropies of no window',
      { ended: [{ ...first, entropies: [0.5], factors: [] }, ...others] }
    ],
    ['half a sample', { ended: [{ ...first, sample: 0.5 }, ...others] }]
  ])('is not sound with %s', (_, changes) => {
    const revote = { ...SOUND, ...changes };
    expect(isSound(revote)).toBe(false);
    expect(
      whatIfTab(plainTranslation).available?.({ ...saved('split'), revote })
    ).toBe(false);
  });
});
