/**
 * Long text that grows at its end, in blocks, so that a page lays out only what is new.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { element, setText, visible } from '../elements';
import { whole } from './numbers';

/** A block ends at the first line end after so many characters, and at the latest at the other. */
const BLOCK_CHARS = 2_000;
const BLOCK_CHARS_AT_MOST = 8_000;

/** What is longer is drawn up to here only. */
export const DRAWN_CHARS = 200_000;

/** The text in an element. */
export class TextBody {
  constructor(className: string, trans: TranslationBundle) {
    this._trans = trans;
    this.node = element('div', `jp-TirText ${className}`);
  }

  readonly node: HTMLElement;

  /** Shows a text; where it only grew, what is drawn already stays as it is. */
  update(text: string, growing: boolean): void {
    if (text === this._text && growing === this._growing) {
      return;
    }
    this._growing = growing;
    if (!text.startsWith(this._text.slice(0, this._drawn))) {
      this.node.replaceChildren();
      this._block = undefined;
      this._rest = undefined;
      this._drawn = 0;
    }
    this._text = text;
    const most = Math.min(text.length, DRAWN_CHARS);
    const to = growing ? most - held(text, most) : most;
    while (this._drawn < to) {
      this._append(to);
    }
    this._sayRest(text.length - most);
  }

  private _append(to: number): void {
    if (this._block === undefined) {
      this._block = element('div', 'jp-TirText-block');
      this._filled = 0;
      this.node.insertBefore(this._block, this._rest ?? null);
    }
    const [length, full] = this._room(to);
    const part = this._text.slice(this._drawn, this._drawn + length);
    // A block ends its line by itself.
    const shown = full && part.endsWith('\n') ? part.slice(0, -1) : part;
    this._block.append(document.createTextNode(visible(shown)));
    this._drawn += length;
    this._filled += length;
    if (full) {
      this._block = undefined;
    }
  }

  /** How many characters the block takes, and whether it is full with them. */
  private _room(to: number): [number, boolean] {
    const from = this._drawn;
    const earliest = from + Math.max(0, BLOCK_CHARS - this._filled);
    const latest = from + BLOCK_CHARS_AT_MOST - this._filled;
    const lineEnd = this._text.indexOf('\n', earliest);
    if (lineEnd >= 0 && lineEnd < Math.min(to, latest)) {
      return [lineEnd + 1 - from, true];
    }
    if (latest <= to) {
      return [Math.max(1, latest - held(this._text, latest) - from), true];
    }
    return [to - from, false];
  }

  private _sayRest(chars: number): void {
    if (chars <= 0) {
      this._rest?.remove();
      this._rest = undefined;
      return;
    }
    if (this._rest === undefined) {
      this._rest = element('p', 'jp-TirRun-note');
      this.node.append(this._rest);
    }
    setText(
      this._rest,
      this._trans._n(
        'One more character is not drawn.',
        '%2 more characters are not drawn; copying takes them along.',
        chars,
        whole(chars)
      )
    );
  }

  private _block: HTMLElement | undefined;
  private _drawn = 0;
  private _filled = 0;
  private _growing = false;
  private _rest: HTMLElement | undefined;
  private _text = '';
  private readonly _trans: TranslationBundle;
}

/** Characters before `at` that mean nothing without the one that follows them. */
function held(text: string, at: number): number {
  const last = text.charCodeAt(at - 1);
  return last === 13 || (last >= 0xd800 && last < 0xdc00) ? 1 : 0;
}
