/**
 * Arithmetic as Python's: sums that are rounded once, and how numbers are written.
 */

/**
 * A sum that is rounded once, whatever the order: Python's `math.fsum`, term by term.
 *
 * Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates"
 * (1997): the partial sums do not overlap, so that none of their bits is lost.
 */
export class ExactSum {
  /** Adds one number. */
  add(value: number): void {
    const partials = this._partials;
    let sum = value;
    let kept = 0;
    for (const partial of partials) {
      const high = sum + partial;
      const low =
        Math.abs(sum) < Math.abs(partial)
          ? sum - (high - partial)
          : partial - (high - sum);
      if (low !== 0) {
        partials[kept] = low;
        kept += 1;
      }
      sum = high;
    }
    partials.length = kept;
    partials.push(sum);
  }

  /** Adds a number so many times: by its doubles, each of which is exact. */
  addTimes(value: number, times: number): void {
    let doubled = value;
    for (let left = times; left > 0; left = Math.floor(left / 2)) {
      if (left % 2 === 1) {
        this.add(doubled);
      }
      doubled *= 2;
    }
  }

  /** Adds all of another sum. */
  addSum(other: ExactSum): void {
    for (const partial of other._partials) {
      this.add(partial);
    }
  }

  /** What it is, rounded once. */
  get value(): number {
    return rounded(this._partials);
  }

  private readonly _partials: number[] = [];
}

/** The sum, rounded once. */
export function exactSum(values: Iterable<number>): number {
  const sum = new ExactSum();
  for (const value of values) {
    sum.add(value);
  }
  return sum.value;
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
    // Each partial sum is smaller than the ones behind it.
    const less = partials[place];
    const sum = high + less;
    low = less - (sum - high);
    high = sum;
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

/** A number with two digits after the point; what lies half-way goes to the even digit. */
export function twoDigits(value: number): string {
  // Only odd multiples of 1/8 are half-way between two such numbers.
  const halfway = Number.isInteger(value * 8) && !Number.isInteger(value * 4);
  return halfway ? (toEven(value * 100) / 100).toFixed(2) : value.toFixed(2);
}

/**
 * A part of 1 in whole per cent, as `jupyterlab_tir/in_words.py` writes it: half of one counts as a
 * whole, by the decimal number and not its binary neighbour.
 */
export function percent(part: number): string {
  return `${Math.floor(Number((part * 100).toPrecision(12)) + 0.5)}%`;
}

const COUNTS = new Intl.NumberFormat('en');

/** A count as `jupyterlab_tir/in_words.py` writes it, such as 1,024. */
export function counted(value: number): string {
  return COUNTS.format(value);
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
