/**
 * Work that takes longer than a page may stand still: a slice at a time, and the newest wins.
 */

/** How long a slice is, in milliseconds: half of what a page has between two frames. */
const SLICE_MS = 8;

/** Does one piece of work at a time; another one takes its place. */
export class Slices {
  /** Begins at once, and is done at once where the first slice is enough. */
  run<T>(work: Generator<undefined, T>, done: (value: T) => void): void {
    this.cancel();
    this._go(work, done);
  }

  /** Begins once the page has had its turn. */
  runLater<T>(work: Generator<undefined, T>, done: (value: T) => void): void {
    this.cancel();
    this._timer = setTimeout(() => this._go(work, done), 0);
  }

  cancel(): void {
    clearTimeout(this._timer);
  }

  private _go<T>(
    work: Generator<undefined, T>,
    done: (value: T) => void
  ): void {
    const until = performance.now() + SLICE_MS;
    do {
      const next = work.next();
      if (next.done === true) {
        const { value } = next;
        if (performance.now() < until) {
          done(value);
        } else {
          // What is done with it is another piece of work.
          this._timer = setTimeout(() => done(value), 0);
        }
        return;
      }
    } while (performance.now() < until);
    this._timer = setTimeout(() => this._go(work, done), 0);
  }

  private _timer: ReturnType<typeof setTimeout> | undefined;
}
