/**
 * Says what happens to those who do not see it, seldom enough to be listened to.
 */
import { element, setText } from '../elements';

/** Between two announcements, in milliseconds. */
export const PAUSE_MS = 5_000;

/** A live region that is not seen. */
export class Announcer {
  constructor() {
    this.node = element('div', 'jp-TirRun-hidden');
    this.node.setAttribute('role', 'status');
  }

  readonly node: HTMLElement;

  /** Says the words, or the latest ones when the pause is over. */
  say(words: string): void {
    this._next = words;
    this._timer ??= setTimeout(
      () => this._speak(),
      Math.max(0, this._last + PAUSE_MS - performance.now())
    );
  }

  dispose(): void {
    clearTimeout(this._timer);
  }

  private _speak(): void {
    this._timer = undefined;
    this._last = performance.now();
    setText(this.node, this._next);
  }

  private _last = -PAUSE_MS;
  private _next = '';
  private _timer: ReturnType<typeof setTimeout> | undefined;
}
