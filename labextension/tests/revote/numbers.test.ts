import { describe, expect, it } from 'vitest';

import { Factors } from '../../src/view/revote/factors';
import {
  brief,
  ExactSum,
  exactSum,
  firstFrom1,
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
  });

  // The same values as tests/test_in_words.py.
  it('counts half of a per cent as a whole', () => {
    expect(
      [5 / 8, 1 / 8, 3 / 8, 57 / 200, 1 / 3, 0.005, 0, 1].map(percent)
    ).toEqual(['63%', '13%', '38%', '29%', '33%', '1%', '0%', '100%']);
  });

  it('writes a threshold without zeros at its end', () => {
    expect([0.75, 1, 0.9999999].map(brief)).toEqual(['0.75', '1', '1']);
  });
});

describe('ExactSum', () => {
  it.each([
    [0.1, 10],
    [0.1, 1023],
    [1.3, 7],
    [2.2250738585072014e-308, 5]
  ])('adds %f so many times (%i) as one by one', (value, times) => {
    const sum = new ExactSum();
    sum.add(1 / 3);
    sum.addTimes(value, times);
    const all = [1 / 3, ...new Array<number>(times).fill(value)];
    expect(sum.value).toBe(exactSum(all));
  });

  it('takes in another sum without rounding it', () => {
    const [sum, other] = [new ExactSum(), new ExactSum()];
    [1, 2 ** -53].forEach(value => sum.add(value));
    other.add(2 ** -106);
    sum.addSum(other);
    // A hair more than half of the last bit goes up.
    expect(sum.value).toBe(1 + 2 ** -52);
  });
});

describe('Factors', () => {
  const of = (...factors: (number | null)[]): Factors => {
    const made = new Factors();
    factors.forEach(factor => made.add(factor));
    return made;
  };

  it('puts the median in the place of a missing one', () => {
    expect(of(0.3, null, 0.1, 0.2).usual).toBe(0.2);
    expect(of(0.5, 0.125, null, 1, 0.25).usual).toBe(0.375);
    expect(of(null, null).usual).toBe(1);
    // Where none is missing, none is put in a place.
    expect(of(0.3, 0.1).usual).toBe(1);
  });

  it('knows what the median becomes with certain and with hopeless ones', () => {
    const factors = of(0.25, 0.5, null);
    expect(factors.median(1, 0)).toBe(0.25);
    expect(factors.median(0, 1)).toBe(0.5);
    expect(factors.median(3, 0)).toBe(0);
    expect(factors.median(0, 2)).toBe(0.75);
    expect(factors.median(0, 3)).toBe(1);
  });
});

describe('firstFrom1', () => {
  it('finds the first number for which it holds', () => {
    expect(firstFrom1(9, value => value >= 4)).toBe(4);
    expect(firstFrom1(9, () => true)).toBe(1);
    expect(firstFrom1(9, value => value === 9)).toBe(9);
  });
});
