/**
 * Says what happens to those who do not see it, seldom enough to be listened to.
 */
import { element, setText } from '../elements';

/** Between two announcements at first, in milliseconds. */
export const PAUSE_MS = 5_000;

/** Before the last one, which must not come long after what it tells of. */
const LAST_PAUSE_MS = 2_000;

const GROWTH = 1.5;

const NEVER = -Infinity;

/** A live region that is not seen. */
export class Announcer {
  /** Each pause is longer than the one before, up to `longestMs`: who listens for long knows it. */
  constructor(private readonly _longestMs = PAUSE_MS) {
    this.node = element('div', 'jp-TirRun-hidden');
    this.node.setAttribute('role', 'status');
  }

  readonly node: HTMLElement;

  /** Says the words, or the latest ones when the pause is over; it is short before the last. */
  say(words: string, last = false): void {
    this._next = words;
    if (last) {
      clearTimeout(this._timer);
      this._timer = undefined;
    }
    const pauseMs = last ? LAST_PAUSE_MS : this._pauseMs;
    this._timer ??= setTimeout(
      () => this._speak(),
      Math.max(0, this._spokeAt + pauseMs - performance.now())
    );
  }

  dispose(): void {
    clearTimeout(this._timer);
  }

  private _speak(): void {
    this._timer = undefined;
    if (this._spokeAt !== NEVER) {
      this._pauseMs = Math.min(this._longestMs, this._pauseMs * GROWTH);
    }
    this._spokeAt = performance.now();
    setText(this.node, this._next);
  }

  private _next = '';
  private _pauseMs = PAUSE_MS;
  private _spokeAt = NEVER;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}
