/**
 * Arithmetic as Python's: sums that are rounded once, medians, and how numbers are written.
 */

/**
 * The sum, rounded once, whatever the order: Python's `math.fsum`.
 *
 * Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates"
 * (1997): the partial sums do not overlap, so that none of their bits is lost.
 */
export function exactSum(values: Iterable<number>): number {
  const partials: number[] = [];
  for (const value of values) {
    let sum = value;
    let kept = 0;
    for (const partial of partials) {
      const [high, low] = addedExactly(sum, partial);
      if (low !== 0) {
        partials[kept] = low;
        kept += 1;
      }
      sum = high;
    }
    partials.length = kept;
    partials.push(sum);
  }
  return rounded(partials);
}

function addedExactly(one: number, other: number): [number, number] {
  const [greater, less] =
    Math.abs(one) < Math.abs(other) ? [other, one] : [one, other];
  const high = greater + less;
  return [high, less - (high - greater)];
}

function rounded(partials: readonly number[]): number {
  let place = partials.length - 1;
  if (place < 0) {
    return 0;
  }
  let high = partials[place];
  let low = 0;
  while (place > 0 && low === 0) {
    place -= 1;
    [high, low] = addedExactly(high, partials[place]);
  }
  // Half of the last bit was rounded to even, but what is left makes it more than a half.
  if (
    place > 0 &&
    low !== 0 &&
    Math.sign(low) === Math.sign(partials[place - 1])
  ) {
    const twice = low * 2;
    const further = high + twice;
    return further - high === twice ? further : high;
  }
  return high;
}

/** The middle of the values, or the mean of the two in the middle; not for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[half]
    : (sorted[half - 1] + sorted[half]) / 2;
}

/** A number with two digits after the point; what lies half-way goes to the even digit. */
export function twoDigits(value: number): string {
  // Only odd multiples of 1/8 are half-way between two such numbers.
  const halfway = Number.isInteger(value * 8) && !Number.isInteger(value * 4);
  return halfway ? (toEven(value * 100) / 100).toFixed(2) : value.toFixed(2);
}

/** A part of 1 in whole per cent; what lies half-way goes to the even number. */
export function percent(part: number): string {
  return `${toEven(part * 100)}%`;
}

/** At most six significant digits, no zeros at the end. */
export function brief(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function toEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest === 0.5) {
    return below % 2 === 0 ? below : below + 1;
  }
  return rest < 0.5 ? below : below + 1;
}

/** The place of the first of the sorted numbers from 1 to `most` for which it holds. */
export function firstFrom1(
  most: number,
  holds: (value: number) => boolean
): number {
  let low = 1;
  let high = most;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
