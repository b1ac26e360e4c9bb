/**
 * The factors exp(-H) of some votes, and the median that stands in where one is missing.
 */

/** The factors in order, and how many votes come without one. */
export class Factors {
  /** Whether some votes have no factor. */
  get isMissing(): boolean {
    return this._missing > 0;
  }

  /** What stands in for a missing factor: the median of the others, 1 where there is none. */
  get usual(): number {
    return this._missing > 0 ? this.median(0, 0) : 1;
  }

  add(factor: number | null): void {
    if (factor === null) {
      this._missing += 1;
      return;
    }
    let low = 0;
    let high = this._known.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this._known[middle] <= factor) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    this._known.splice(low, 0, factor);
  }

  /** The median of the known ones with so many of 0 and of 1 added; 1 where there is none. */
  median(zeros: number, ones: number): number {
    const total = zeros + this._known.length + ones;
    if (total === 0) {
      return 1;
    }
    const at = (place: number): number =>
      place < zeros ? 0 : (this._known.at(place - zeros) ?? 1);
    const [low, high] = [(total - 1) >> 1, total >> 1];
    return low === high ? at(low) : (at(low) + at(high)) / 2;
  }

  private readonly _known: number[] = [];
  private _missing = 0;
}
