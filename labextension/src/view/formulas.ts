/**
 * Telling formulas from dollars: in "a shirt costs $5 and trousers $20" nothing is mathematics.
 *
 * Formulas are found here and nowhere else: a page's typesetter would take any two dollar signs for
 * delimiters. Each finding is linear in the text, whoever wrote that; what is in backticks is code.
 * `formulas.py` of the kernel's package finds the same; `tests/data/readable_tex.json` holds both to
 * one table.
 */

/** A formula in a text: where it stands with its delimiters, and what stands between them. */
export interface IFormula {
  readonly from: number;
  readonly to: number;
  readonly tex: string;
  readonly display: boolean;
}

/** What lies further on in a text, or what is longer, is not looked at. */
export const MOST_TEXT_CHARS = 100_000;
export const MOST_FORMULAS = 400;
export const MOST_FORMULA_CHARS = 2_000;

const MARKS = /\\boxed(?![A-Za-z])|\\[\s\S]|\$\$?|`+|\n[ \t]*\r?\n/g;
// As in "$5 for each of them, or $20".
const MONEY = /^\d[\d.,]*\s+[A-Za-z]{2,}\s+[A-Za-z]{2,}/;

/** The formulas of a text, in order. */
export function formulasIn(text: string): readonly IFormula[] {
  return new Finder(text.slice(0, MOST_TEXT_CHARS)).find();
}

class Finder {
  constructor(private readonly _text: string) {}

  find(): readonly IFormula[] {
    const marks = [...this._text.matchAll(MARKS)];
    const code = codeSpans(marks);
    let after = 0;
    for (const [number, { 0: mark, index }] of marks.entries()) {
      if (index < after || this._found.length === MOST_FORMULAS) {
        continue;
      }
      if (mark.startsWith('`')) {
        after = this._opening === '' ? (code.get(number) ?? after) : after;
      } else if (mark === '\\boxed') {
        after = this._takeBox(index) ?? after;
      } else {
        this._takeMark(mark, index);
      }
    }
    return this._found;
  }

  private _takeMark(mark: string, at: number): void {
    if (mark === '\\(' || mark === '\\[') {
      this._open(mark, at);
    } else if (mark === '\\)' || mark === '\\]') {
      if (this._opening === (mark === '\\)' ? '\\(' : '\\[')) {
        this._close(at, 2);
      }
    } else if (mark.startsWith('$')) {
      this._takeDollars(mark, at);
    } else if (!mark.startsWith('\\') && this._opening === '$') {
      // An empty line ends what stands in single dollar signs.
      this._opening = '';
    }
  }

  private _takeDollars(mark: string, at: number): void {
    if (this._opening.startsWith('\\')) {
      return;
    }
    if (mark === '$$' && this._opening !== '$') {
      if (this._opening === '$$') {
        this._close(at, 2);
      } else {
        this._open('$$', at);
      }
      return;
    }
    if (this._opening === '$' && this._closesAt(at)) {
      this._close(at, 1);
      if (mark === '$$') {
        this._openDollar(at + 1);
      }
      return;
    }
    this._openDollar(at + mark.length - 1);
  }

  /** As in Pandoc: before the last dollar sign stands no space, and no digit follows. */
  private _closesAt(at: number): boolean {
    const tex = this._text.slice(this._from + 1, at);
    return (
      !/\s$/.test(this._text.slice(at - 1, at)) &&
      !/\d/.test(this._text.charAt(at + 1)) &&
      tex.length <= MOST_FORMULA_CHARS &&
      !MONEY.test(tex)
    );
  }

  private _openDollar(at: number): void {
    const next = this._text.charAt(at + 1);
    this._open(next === '' || /[\s$]/.test(next) ? '' : '$', at);
  }

  private _open(mark: string, at: number): void {
    this._opening = mark;
    this._from = at;
  }

  private _close(at: number, length: number): void {
    const opening = this._opening;
    this._opening = '';
    const from = this._from + opening.length;
    if (at - from <= MOST_FORMULA_CHARS) {
      const tex = this._text.slice(from, at);
      if (tex.trim() !== '') {
        const display = opening === '$$' || opening === '\\[';
        this._found.push({ from: this._from, to: at + length, tex, display });
      }
    }
  }

  /** A box stands without delimiters as well: where it ends, if it is one. */
  private _takeBox(at: number): number | undefined {
    this._boxes += 1;
    if (this._opening !== '' || this._boxes > MOST_FORMULAS) {
      return undefined;
    }
    const text = this._text.slice(at, at + MOST_FORMULA_CHARS);
    let levels = 0;
    for (const { 0: mark, index } of text.matchAll(/\\[\s\S]|[{}]|\n\s*\n/g)) {
      levels += mark === '{' ? 1 : mark === '}' ? -1 : 0;
      if (mark.startsWith('\n')) {
        return undefined;
      }
      if (mark === '}' && levels <= 0) {
        if (levels !== 0 || !/^\\boxed\s*\{/.test(text)) {
          return undefined;
        }
        const to = at + index + 1;
        const tex = this._text.slice(at, to);
        this._found.push({ from: at, to, tex, display: false });
        return to;
      }
    }
    return undefined;
  }

  private _boxes = 0;
  private readonly _found: IFormula[] = [];
  private _from = 0;
  /** The delimiter that is open; none is. */
  private _opening = '';
}

/** For each run of backticks that opens code, by its place among the marks, where the code ends. */
function codeSpans(marks: readonly RegExpMatchArray[]): Map<number, number> {
  const ends = new Map<number, number>();
  const next = new Map<string, number>();
  for (let number = marks.length - 1; number >= 0; number--) {
    const { 0: mark, index = 0 } = marks[number];
    if (mark.startsWith('`')) {
      const fence = mark.length > 2 ? Infinity : undefined;
      const end = next.get(mark) ?? fence;
      if (end !== undefined) {
        ends.set(number, end);
      }
      next.set(mark, index + mark.length);
    } else if (mark.startsWith('\n')) {
      // Code within a line ends before an empty one.
      next.delete('`');
      next.delete('``');
    }
  }
  return ends;
}
