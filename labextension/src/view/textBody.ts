/**
 * Long text that grows at its end, in blocks, so that a page lays out only what is new.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { element, setText, visible } from '../elements';
import { formulasIn } from './formulas';
import { lastLineStart } from './lastLine';
import { isMarkedBeyond, whenUnmarked } from './marked';
import type { Maths } from './maths';
import { whole } from './numbers';

/** A block ends at the first line end after so many characters, and at the latest at the other. */
const BLOCK_CHARS = 600;
const BLOCK_CHARS_AT_MOST = 8_000;

/** A paragraph that has grown so long is parted at the line that is being written. */
const WRITTEN_CHARS = 600;

/** Letters that are written from right to left, by which a block chooses its direction. */
const LEFTWARD =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** What is longer is drawn up to here only. */
export const DRAWN_CHARS = 200_000;

/** A block, and what it shows of the text; its formulas are drawn up to `drawn`. */
interface IBlock {
  readonly node: HTMLElement;
  readonly from: number;
  to: number;
  drawn: number;
  /** Whether it goes on with the paragraph of the block before it. */
  readonly continues: boolean;
  /** Whether it shows each character as itself, from left to right. */
  plain: boolean;
}

/** The text in an element. */
export class TextBody {
  constructor(
    className: string,
    trans: TranslationBundle,
    private readonly _maths?: Maths
  ) {
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
    // Not `startsWith`, which takes ten times as long for long texts.
    if (text.slice(0, this._drawn) !== this._text.slice(0, this._drawn)) {
      this.node.replaceChildren();
      this._blocks = [];
      this._block = undefined;
      this._rest = undefined;
      this._drawn = 0;
    }
    this._text = text;
    const most = Math.min(text.length, DRAWN_CHARS);
    const goesOn = growing || text.length > most;
    const to = goesOn ? most - held(text, most) : most;
    while (this._drawn < to) {
      this._append(to);
    }
    if (!growing) {
      whenUnmarked(this.node, () => this._finish());
    }
    this._sayRest(text.length > most ? text.length - to : 0);
  }

  /**
   * Parts what has grown long at the line that is being written, which alone is laid out from then
   * on; nobody sees a difference. It reads the layout: call it after all writing.
   */
  settle(): void {
    const block = this._blocks.at(-1);
    if (
      !this._growing ||
      block === undefined ||
      block.node !== this._block ||
      block.to < WRITTEN_CHARS
    ) {
      return;
    }
    const width = this.node.clientWidth;
    if (width !== this._width) {
      // Lines end elsewhere now.
      this._width = width;
      this._rejoin();
    } else if (block.plain && block.to - block.from >= WRITTEN_CHARS) {
      this._part(block);
    }
  }

  private _finish(): void {
    if (!this._growing) {
      this._rejoin();
      this._drawFormulas();
    }
  }

  private _part(block: IBlock): void {
    const start = lastLineStart(block.node);
    if (start === undefined || isMarkedBeyond(block.node, start.place)) {
      return;
    }
    const { at, place } = start;
    const written = element('div', 'jp-TirText-block');
    let moved: ChildNode | null =
      place.offset > 0 ? place.node.splitText(place.offset) : place.node;
    while (moved !== null) {
      const next: ChildNode | null = moved.nextSibling;
      written.append(moved);
      moved = next;
    }
    block.node.after(written);
    const from = block.from + at;
    this._blocks.push({
      node: written,
      from,
      to: block.to,
      drawn: from,
      continues: true,
      plain: true
    });
    block.to = from;
    this._block = written;
  }

  /** Makes paragraphs whole again. */
  private _rejoin(): void {
    for (let number = this._blocks.length - 1; number > 0; number -= 1) {
      if (this._blocks[number].continues) {
        this._join(number - 1);
      }
    }
  }

  private _append(to: number): void {
    if (this._block === undefined) {
      this._block = element('div', 'jp-TirText-block');
      const from = this._drawn;
      this._blocks.push({
        node: this._block,
        from,
        to: from,
        drawn: from,
        continues: false,
        plain: true
      });
      this._filled = 0;
      this.node.insertBefore(this._block, this._rest ?? null);
    }
    const [length, full] = this._room(to);
    const part = this._text.slice(this._drawn, this._drawn + length);
    const shown = full
      ? endingBlock(part, this._text, this._drawn + length)
      : part;
    const drawn = visible(shown);
    this._block.append(document.createTextNode(drawn));
    this._drawn += length;
    const block = this._blocks[this._blocks.length - 1];
    block.to = this._drawn;
    block.plain &&= drawn === part && !LEFTWARD.test(drawn);
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
    let end = this._text.indexOf('\n', earliest) + 1;
    while (end > 0 && end < latest && !endsLine(this._text, end)) {
      end = this._text.indexOf('\n', end) + 1;
    }
    if (end > 0 && end <= Math.min(to, latest)) {
      return [end - from, true];
    }
    if (latest <= to) {
      return [Math.max(1, latest - held(this._text, latest) - from), true];
    }
    return [to - from, false];
  }

  /** Draws the formulas of a text that is whole; none is looked for while it grows. */
  private _drawFormulas(): void {
    if (this._maths === undefined) {
      return;
    }
    const formulas = formulasIn(this._text.slice(0, this._drawn));
    let number = 0;
    for (const formula of formulas) {
      while (this._blocks[number].to <= formula.from) {
        number += 1;
      }
      while (this._blocks[number].to < formula.to) {
        this._join(number);
      }
    }
    let first = 0;
    for (const block of this._blocks) {
      let next = first;
      while (next < formulas.length && formulas[next].to <= block.to) {
        next += 1;
      }
      if (next > first && block.drawn < block.to) {
        const text = this._text.slice(block.from, block.to);
        this._maths.showFormulas(
          block.node,
          block.node === this._block ? text : endingBlock(text),
          formulas.slice(first, next),
          block.from
        );
        block.drawn = block.to;
      }
      first = next;
    }
  }

  /** Makes one block of two. */
  private _join(number: number): void {
    const [next] = this._blocks.splice(number + 1, 1);
    const block = this._blocks[number];
    block.node.append(...next.node.childNodes);
    next.node.remove();
    block.to = next.to;
    block.drawn = block.from;
    block.plain &&= next.plain;
    if (this._block === next.node) {
      this._block = block.node;
      this._filled = block.to - block.from;
    }
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
  private _blocks: IBlock[] = [];
  private _drawn = 0;
  private _filled = 0;
  private _growing = false;
  private _rest: HTMLElement | undefined;
  private _text = '';
  private readonly _trans: TranslationBundle;
  private _width = 0;
}

/** Whether a line that has something on it ends before `at`. */
function endsLine(text: string, at: number): boolean {
  return /[^\r\n]\r?\n$/.test(text.slice(Math.max(0, at - 3), at));
}

/** The end of a block, up to `at` of a text: it ends a line by itself, but no empty one. */
function endingBlock(part: string, text = part, at = text.length): string {
  return endsLine(text, at) ? part.replace(/\r?\n$/, '') : part;
}

/** Characters before `at` that mean nothing without the one that follows them. */
function held(text: string, at: number): number {
  const last = text.charCodeAt(at - 1);
  return last === 13 || (last >= 0xd800 && last < 0xdc00) ? 1 : 0;
}
