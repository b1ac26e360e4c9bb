import { describe, expect, it } from 'vitest';

import type { IMoment } from '../../src/view/revote/look';
import { isMajority, majorityChance } from '../../src/view/revote/posterior';
import { parseRules } from '../../src/view/revote/rules';
import { plainTranslation } from '../plainTranslation';

function names(text: string, tau = 0.75, minAnswers = 4): string[] | null {
  return parseRules(text, tau, minAnswers)?.map(({ name }) => name) ?? null;
}

describe('parseRules', () => {
  it('puts the lossless rule first, always', () => {
    expect(names('none')).toEqual(['uncatchable']);
    expect(names('uncatchable')).toEqual(['uncatchable']);
    expect(names('share:0.75, lead:3')).toEqual([
      'uncatchable',
      'share',
      'lead'
    ]);
  });

  it('takes usual for share and Beta, and for share alone where more is asked for', () => {
    expect(names('usual')).toEqual(['uncatchable', 'share', 'beta']);
    expect(names('usual', 0.8)).toEqual(['uncatchable', 'share']);
    expect(names('usual', 0.75, 5)).toEqual(['uncatchable', 'share']);
    expect(names('usual,window:3')).toEqual([
      'uncatchable',
      'share',
      'beta',
      'window'
    ]);
  });

  it('reads a share with all its digits', () => {
    expect(names('share:0.6666666666666666')).toEqual(['uncatchable', 'share']);
  });

  it.each([
    'gut',
    '',
    'share:2',
    'share:0.4',
    'beta',
    'beta:1',
    'lead:0',
    'lead:2.5',
    'lead:1025',
    'window:1',
    'none:1',
    'none,lead:3',
    'lead:3,lead:4',
    'share:x',
    'share:',
    'lead:3:4',
    'toString:1'
  ])('refuses %j', text => {
    expect(names(text)).toBe(null);
  });
});

describe('a rule that fires after a thousand samples', () => {
  const heads = {
    count: 1001,
    second: 0,
    answered: 1001,
    finished: 1010,
    planned: 1024,
    streak: 1
  };
  const now: IMoment = {
    isOpen: true,
    finished: 1010,
    last: 1009,
    leader: { shown: '7', count: 1001, share: 1 },
    leadingHeads: heads,
    lossless: null
  };

  // As jupyterlab_tir/voting/rules.py says it; see tests/voting/test_rules.py.
  it.each([
    [
      'share:0.9',
      '1,001 of 1,010 finished samples (99%) say 7: more than tau = 0.9'
    ],
    [
      'planned:0.9',
      '1,001 of 1,024 planned samples (98%) say 7: more than tau = 0.9'
    ],
    [
      'beta:0.9',
      '7 has 1,001 samples and the next answer 0: the chance that it is the majority of the two is 0.9999, more than p = 0.9'
    ],
    [
      'lead:3',
      '7 has 1,001 samples, 1,001 more than any other answer: a lead of 3 was asked for'
    ]
  ])('%s says so with its counts as Python writes them', (text, words) => {
    const rule = parseRules(text, 0.75, 4)?.at(-1);
    expect(rule?.check(now)?.words(plainTranslation)).toBe(
      `${words}, and the weights agree.`
    );
  });
});

describe('majorityChance', () => {
  it('is exact', () => {
    expect(majorityChance(4, 0)).toEqual({ above: 31n, below: 32n });
    expect(majorityChance(2, 2)).toEqual({ above: 16n, below: 32n });
    // 57/64, as worked out for four to one.
    expect(majorityChance(4, 1)).toEqual({ above: 57n, below: 64n });
  });
});

describe('isMajority', () => {
  it('says what the exact chance says, for any counts and near it', () => {
    for (const [leader, second] of [
      [4, 0],
      [4, 1],
      [3, 3],
      [2, 5],
      [60, 41],
      [700, 640]
    ]) {
      const { above, below } = majorityChance(leader, second);
      // Six digits of it, exactly.
      const chance = Number((above * 1_000_000n) / below) / 1_000_000;
      expect(isMajority(leader, second, chance - 0.000_002)).toBe(true);
      expect(isMajority(leader, second, chance + 0.000_002)).toBe(false);
    }
  });

  it('is not above what it is', () => {
    // 57/64 and 31/32 are doubles; the next ones below are less.
    expect(isMajority(4, 1, 57 / 64)).toBe(false);
    expect(isMajority(4, 1, 57 / 64 - 2 ** -53)).toBe(true);
    expect(isMajority(4, 0, 31 / 32)).toBe(false);
    expect(isMajority(4, 0, 31 / 32 - 2 ** -53)).toBe(true);
    // A sum of doubles comes to just this number; the chance is more.
    expect(isMajority(32, 25, 0.820928349096931)).toBe(true);
  });
});
