/**
 * TeX as text that a person reads: `\frac{\sqrt{3}}{2}` is √3/2.
 *
 * For pages that have no typesetter. A library that makes MathML of TeX (Temml, KaTeX) has more code
 * than all of the view, which travels with each widget; text needs no style sheet either. What is
 * not known, or not well formed, stays as it was written, so that nothing is lost. `readable_tex.py`
 * of the kernel's package does the same; `tests/data/readable_tex.json` holds both to one table of
 * cases. Linear in time, bounded in depth.
 */
import type { IItem, Kind } from './readableRows';
import {
  accented,
  asAtom,
  bracketed,
  fraction,
  isOne,
  joined,
  kindOf,
  mapped,
  rowOf,
  script,
  signOf
} from './readableRows';
import { AsWritten, TexParts, isDigit, isSpace } from './texParts';
import * as tex from './texSymbols';

/** What is longer stays as it was written. */
export const MOST_CHARS = 20_000;

/** What is nested deeper stays as it was written. */
export const MOST_LEVELS = 40;

const SIGNS_OF_TEX = /[\\^_]|\{,\}/;
const NO_ENDS: ReadonlySet<string> = new Set();
const ROW_ENDS: ReadonlySet<string> = new Set(['&', '\\\\', '\\end']);
const SIGNS: ReadonlyMap<string, string> = new Map([
  ...tex.OPENING,
  ...tex.CLOSING,
  ['vert', '|'],
  ['Vert', '‖'],
  ['|', '‖']
]);
const NEGATED: ReadonlyMap<string, string> = new Map([
  ['=', '≠'],
  ['\\in', '∉'],
  ['\\equiv', '≢'],
  ['\\subset', '⊄'],
  ['\\mid', '∤']
]);

/** A formula, without its delimiters, as text; nobody vouches for it. */
export function readableTex(formula: string): string {
  if (formula.length > MOST_CHARS || !SIGNS_OF_TEX.test(formula)) {
    return formula;
  }
  try {
    return new Reader(formula).read();
  } catch (reason) {
    if (reason instanceof AsWritten) {
      return formula;
    }
    throw reason;
  }
}

/** Reads the pieces of a formula from left to right. */
class Reader {
  constructor(formula: string) {
    this._parts = new TexParts(formula);
    // Without a command it is hardly TeX, and braces are those of a set.
    this._bracesShow = !formula.includes('\\');
  }

  read(): string {
    const text = this._row(NO_ENDS);
    if (this._parts.peek() !== '') {
      throw new AsWritten();
    }
    return text;
  }

  /** The text up to one of these parts, which is left, or up to a closing brace. */
  private _row(ends: ReadonlySet<string>): string {
    this._enter();
    const items: IItem[] = [];
    for (
      let part = this._parts.peek();
      part !== '' && part !== '}' && !ends.has(part);
      part = this._parts.peek()
    ) {
      items.push(this._scripted(this._item()));
    }
    this._levels -= 1;
    return joined(items);
  }

  private _enter(): void {
    this._levels += 1;
    if (this._levels > MOST_LEVELS) {
      throw new AsWritten();
    }
  }

  private _item(): IItem {
    const part = this._parts.take();
    if (part === '{') {
      return this._group();
    }
    if (part.length > 1 && part.startsWith('\\')) {
      return this._command(part);
    }
    if (isDigit(part)) {
      return { kind: 'digits', text: part + this._parts.digits() };
    }
    const kind = kindOf(part);
    return { kind, text: kind === 'space' ? ' ' : part };
  }

  private _group(): IItem {
    const text = this._row(NO_ENDS);
    this._parts.expect('}');
    const shows = this._bracesShow || text.includes(',');
    return shows && text !== ','
      ? { kind: 'close', text: `{${text}}` }
      : { kind: 'group', text };
  }

  private _command(part: string): IItem {
    const name = part.slice(1).replace(/\*$/, '');
    const sign = signOf(name);
    if (sign !== undefined) {
      return sign;
    }
    return this._withArguments(part, name);
  }

  private _withArguments(part: string, name: string): IItem {
    if (tex.FRACTIONS.has(name)) {
      const text = fraction(this._argument(), this._argument());
      return { kind: 'fraction', text };
    }
    if (tex.BINOMIALS.has(name)) {
      const text = `C(${this._argument()}, ${this._argument()})`;
      return { kind: 'word', text };
    }
    if (tex.TEXTS.has(name)) {
      return { kind: 'word', text: this._parts.raw() };
    }
    if (tex.STYLES.has(name)) {
      return { kind: 'group', text: this._argument() };
    }
    if (tex.ACCENTS.has(name)) {
      return accented(name, this._argument());
    }
    switch (name) {
      case 'sqrt':
        return this._root();
      case 'operatorname':
        return { kind: 'function', text: this._parts.raw() };
      case 'mathbb':
        return this._blackboard();
      case 'left':
      case 'right':
        return this._delimiter(name === 'left' ? 'open' : 'close');
      case 'pmod':
        return { kind: 'word', text: ` (mod ${this._argument()})` };
      case 'not':
        return this._negated();
      case '\\':
        return { kind: 'sign', text: '; ' };
      case 'begin':
        return this._environment();
      default:
        return this._unknown(part);
    }
  }

  private _argument(): string {
    this._parts.skipSpace();
    const part = this._parts.take();
    if (part === '{') {
      const text = this._row(NO_ENDS);
      this._parts.expect('}');
      return text;
    }
    if (/^[}&^_]$/.test(part) || part === '\\\\') {
      throw new AsWritten();
    }
    if (isDigit(part)) {
      return part;
    }
    this._parts.back();
    this._enter();
    const text = joined([this._item()]);
    this._levels -= 1;
    return text;
  }

  private _root(): IItem {
    this._parts.skipSpace();
    let index = '';
    if (this._parts.peek() === '[') {
      this._parts.skip();
      index = this._row(new Set([']'])).trim();
      this._parts.expect(']');
    }
    const inner = this._argument().trim();
    const high = mapped(index, tex.SUPERSCRIPTS);
    const sign =
      tex.ROOTS.get(index) ?? (high === '' ? `(${index})√` : `${high}√`);
    return {
      kind: 'root',
      text: `${sign}${asAtom(inner)}`,
      bracketed: `${sign}(${inner})`
    };
  }

  private _blackboard(): IItem {
    const inner = this._argument();
    return { kind: 'letters', text: tex.BLACKBOARD.get(inner) ?? inner };
  }

  private _delimiter(kind: Kind): IItem {
    this._parts.skipSpace();
    const part = this._parts.take();
    if (isOne(part)) {
      return { kind, text: part === '.' ? '' : part };
    }
    const text = SIGNS.get(part.slice(1));
    if (text === undefined) {
      throw new AsWritten();
    }
    return { kind, text };
  }

  private _negated(): IItem {
    this._parts.skipSpace();
    const text = NEGATED.get(this._parts.take());
    if (text === undefined) {
      throw new AsWritten();
    }
    return { kind: 'relation', text };
  }

  private _environment(): IItem {
    const name = this._parts.raw().replace(/\*$/, '');
    const brackets = tex.MATRICES.get(name) ?? '';
    if (brackets === '' && !tex.LINES.has(name)) {
      throw new AsWritten();
    }
    if (name === 'array' || name === 'alignedat') {
      this._parts.raw();
    }
    const rows: string[] = [];
    let cells: string[] = [];
    for (let part = ''; part !== '\\end';) {
      cells.push(this._row(ROW_ENDS));
      part = this._parts.take();
      if (part !== '&') {
        rows.push(rowOf(cells, brackets === '' ? ' ' : ', '));
        cells = [];
      }
    }
    if (this._parts.raw().replace(/\*$/, '') !== name) {
      throw new AsWritten();
    }
    const text = rows.filter(row => row !== '').join('; ');
    return {
      kind: 'close',
      text: brackets.slice(0, 1) + text + brackets.slice(1)
    };
  }

  /** A command as it was written, its braces with it. */
  private _unknown(part: string): IItem {
    const written = [part];
    while (this._parts.peek() === '{') {
      this._parts.skip();
      written.push(`{${this._row(NO_ENDS)}}`);
      this._parts.expect('}');
    }
    return { kind: 'word', text: written.join('') };
  }

  /** The item with what stands above and below it. */
  private _scripted(item: IItem): IItem {
    if (item.kind === 'space') {
      return item;
    }
    const parts: string[] = [];
    for (;;) {
      if (isSpace(this._parts.peek()) && /^[\^_]$/.test(this._parts.peek(1))) {
        this._parts.skip();
      }
      const mark = this._parts.peek();
      if (mark === "'") {
        this._parts.skip();
        parts.push('′');
      } else if (mark === '^' || mark === '_') {
        this._parts.skip();
        parts.push(script(mark, this._scriptArgument()));
      } else {
        break;
      }
    }
    if (parts.length === 0) {
      return item;
    }
    const { kind, text } = item;
    const whole = kind === 'fraction' || kind === 'root';
    const group = kind === 'group';
    const base =
      whole || (group && !isOne(text) && text !== '') ? bracketed(text) : text;
    return {
      kind: whole || group || kind === 'digits' ? 'letters' : kind,
      text: base + parts.join('')
    };
  }

  /** What people write without braces as well: `2^10`, `x^-1`, `x^(n+1)`. */
  private _scriptArgument(): string {
    this._parts.skipSpace();
    const part = this._parts.peek();
    if ((part === '+' || part === '-') && isDigit(this._parts.peek(1))) {
      this._parts.skip();
      return part + this._parts.take() + this._parts.digits();
    }
    if (isDigit(part)) {
      return this._parts.take() + this._parts.digits();
    }
    if (part === '(') {
      this._parts.skip();
      const inner = this._row(new Set([')']));
      this._parts.expect(')');
      return inner;
    }
    return this._argument();
  }

  private readonly _bracesShow: boolean;
  private _levels = 0;
  private readonly _parts: TexParts;
}
