import { describe, expect, it } from 'vitest';

import { majorityChance, parseRules } from '../../src/view/revote/rules';

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

describe('majorityChance', () => {
  it('is exact', () => {
    expect(majorityChance(4, 0)).toEqual({ above: 31n, below: 32n });
    expect(majorityChance(2, 2)).toEqual({ above: 16n, below: 32n });
    // 57/64, as worked out for four to one.
    expect(majorityChance(4, 1)).toEqual({ above: 57n, below: 64n });
  });
});
