import { describe, expect, it } from 'vitest';

import {
  brief,
  exactSum,
  firstFrom1,
  median,
  percent,
  twoDigits
} from '../../src/view/revote/numbers';

describe('exactSum', () => {
  it.each([
    [[], 0],
    [[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], 1],
    [[1e100, 1, -1e100], 1],
    [[1, 1e-16, 1e-16], 1 + 2 ** -52],
    // Half of the last bit goes to the even number, a hair more goes up, a hair less down.
    [[1, 2 ** -53], 1],
    [[1, 2 ** -53, 2 ** -106], 1 + 2 ** -52],
    [[1 + 2 ** -52, 2 ** -53, -(2 ** -106)], 1 + 2 ** -52]
  ])('rounds %j once', (values, sum) => {
    expect(exactSum(values)).toBe(sum);
    expect(exactSum([...values].reverse())).toBe(sum);
  });
});

describe('numbers in words', () => {
  it('goes to the even digit half-way, as Python does', () => {
    expect([0.125, 0.375, 2.5, 1.005].map(twoDigits)).toEqual([
      '0.12',
      '0.38',
      '2.50',
      '1.00'
    ]);
    expect([5 / 8, 7 / 8, 0.005, 2 / 3].map(percent)).toEqual([
      '62%',
      '88%',
      '0%',
      '67%'
    ]);
  });

  it('writes a threshold without zeros at its end', () => {
    expect([0.75, 1, 0.9999999].map(brief)).toEqual(['0.75', '1', '1']);
  });
});

describe('median', () => {
  it('is the middle, or the mean of the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([1, 0.5, 10, 2])).toBe(1.5);
  });
});

describe('firstFrom1', () => {
  it('finds the first number for which it holds', () => {
    expect(firstFrom1(9, value => value >= 4)).toBe(4);
    expect(firstFrom1(9, () => true)).toBe(1);
    expect(firstFrom1(9, value => value === 9)).toBe(9);
  });
});
