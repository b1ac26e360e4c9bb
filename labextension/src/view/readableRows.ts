/**
 * How the pieces of a formula stand beside each other as text.
 */
import { isSpace } from './texParts';
import * as tex from './texSymbols';

export type Kind =
  | 'digits'
  | 'letters'
  | 'group'
  | 'fraction'
  | 'root'
  | 'function'
  | 'word'
  | 'open'
  | 'close'
  | 'relation'
  | 'tight'
  | 'sign'
  | 'space';

/** A piece of a formula; `bracketed` is how a root stands beside another factor. */
export interface IItem {
  readonly kind: Kind;
  readonly text: string;
  readonly bracketed?: string;
}

const FACTORS = new Set<Kind | undefined>([
  'digits',
  'letters',
  'group',
  'fraction',
  'root',
  'function',
  'open'
]);
const AFTER = new Set<Kind | undefined>([
  'letters',
  'group',
  'fraction',
  'root',
  'close'
]);
const SPACED = new Set<Kind>(['relation', 'space', 'function']);
const UNARY = new Set<string | undefined>(['±', '∓']);
const BEFORE_UNARY = new Set('([{=,<>≤≥≠≈∈');
const BRACKETS = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}']
]);
const SUMS = new Set('-+±∓=<>≤≥≠,;/ ');
// A number or a letter, then small signs and marks.
const ATOM =
  /^(?:√?(?:[0-9]+(?:\.[0-9]+)?|[\p{L}\p{Nl}\p{No}])(?:[′⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢₖₘ]|\p{M})*|[∞∅□])$/u;

/** A row of pieces as text. */
export function joined(items: readonly IItem[]): string {
  const parts: string[] = [];
  items.forEach((item, index) => {
    const before = items.at(index - 1 < 0 ? items.length : index - 1)?.kind;
    const after = items.at(index + 1)?.kind;
    switch (item.kind) {
      case 'relation':
      case 'tight':
      case 'space':
        separate(parts, item, before);
        break;
      case 'fraction':
        parts.push(beside(item.text, items, index));
        break;
      case 'root':
        parts.push(
          FACTORS.has(after) ? (item.bracketed ?? item.text) : item.text
        );
        break;
      case 'function': {
        const apart =
          AFTER.has(before) || before === 'digits' || before === 'function';
        parts.push(`${apart ? ' ' : ''}${item.text}`);
        if (
          FACTORS.has(after) &&
          after !== 'open' &&
          after !== 'fraction' &&
          after !== 'function'
        ) {
          parts.push(' ');
        }
        break;
      }
      default:
        if (item.kind === 'close' && parts.at(-1) === ' ') {
          parts.pop();
        }
        parts.push(item.text);
    }
  });
  const text = parts.join('');
  return items.some(({ kind }) => SPACED.has(kind))
    ? text.replace(/ +/g, ' ').replace(/^ | $/g, '')
    : text;
}

function separate(
  parts: string[],
  item: IItem,
  before: Kind | undefined
): void {
  if (item.kind === 'space') {
    const nothing =
      before === undefined || before === 'tight' || before === 'open';
    if (!nothing && !UNARY.has(parts.at(-1))) {
      parts.push(item.text);
    }
    return;
  }
  const last = parts.findLast(each => each.trim() !== '') ?? '(';
  if (UNARY.has(item.text) && BEFORE_UNARY.has(last.trim())) {
    parts.push(item.text);
    return;
  }
  while (parts.at(-1) === ' ') {
    parts.pop();
  }
  parts.push(item.kind === 'tight' ? item.text : ` ${item.text} `);
}

/** A fraction, in brackets where it could be read together with its neighbours. */
function beside(text: string, items: readonly IItem[], index: number): string {
  const before = items.slice(Math.max(0, index - 2), index);
  const after = items.slice(index + 1, index + 4);
  const last = before.findLast(({ kind }) => kind !== 'space')?.kind;
  const next = after.find(({ kind }) => kind !== 'space')?.kind;
  const word =
    after.map(({ kind }) => kind).join(' ') === 'space letters letters';
  const factor = FACTORS.has(next) || AFTER.has(last) || last === 'function';
  if (factor && !word) {
    return `(${text})`;
  }
  const touching = before.at(-1)?.kind === 'digits';
  return touching ? ` ${text}` : text;
}

/** The text in brackets, unless it stands in some. */
export function bracketed(text: string): string {
  return isBracketed(text) ? text : `(${text})`;
}

function isBracketed(text: string): boolean {
  const closing = BRACKETS.get(text.charAt(0));
  if (closing === undefined || !text.endsWith(closing)) {
    return false;
  }
  let levels = 0;
  for (let index = 0; index < text.length; index++) {
    levels += level(text[index]);
    if (levels === 0) {
      return index === text.length - 1;
    }
  }
  return false;
}

function level(character: string): number {
  return BRACKETS.has(character) ? 1 : ')]}'.includes(character) ? -1 : 0;
}

/** The text, in brackets unless it is one number or one sign. */
export function asAtom(text: string): string {
  return ATOM.test(text) || isBracketed(text) ? text : `(${text})`;
}

/** One over the other, with the brackets that are needed. */
export function fraction(above: string, below: string): string {
  const over = above.trim();
  return `${isProduct(over) ? over : `(${over})`}/${asAtom(below.trim())}`;
}

function isProduct(text: string): boolean {
  let levels = 0;
  for (let index = 0; index < text.length; index++) {
    levels += level(text[index]);
    if (levels === 0 && index > 0 && SUMS.has(text[index])) {
      return false;
    }
  }
  return text !== '';
}

/** The text in the characters of a table; empty where one is missing. */
export function mapped(
  text: string,
  table: ReadonlyMap<string, string>
): string {
  const found = Array.from(text.replaceAll(' ', ''), each => table.get(each));
  return found.includes(undefined) ? '' : found.join('');
}

/** What stands above (`^`) or below (`_`). */
export function script(mark: string, argument: string): string {
  const text = argument.trim();
  if (mark === '^' && (text === '∘' || text === '°')) {
    return '°';
  }
  if (text === '' || (mark === '^' && /^′+$/.test(text))) {
    return text;
  }
  const small = mapped(text, mark === '^' ? tex.SUPERSCRIPTS : tex.SUBSCRIPTS);
  if (small !== '') {
    return small;
  }
  return isOne(text) ? `${mark}${text}` : `${mark}${bracketed(text)}`;
}

/** A character with a mark, or the name of the mark where it has more than one. */
export function accented(name: string, text: string): IItem {
  const mark = tex.ACCENTS.get(name) ?? '';
  const line = name === 'overline' || name === 'underline';
  if (isOne(text) || (line && /^[\p{L}\p{N}]+$/u.test(text))) {
    return {
      kind: 'letters',
      text: Array.from(text, each => `${each}${mark}`).join('')
    };
  }
  return { kind: 'word', text: `${name}(${text})` };
}

/** Whether a text is one character. */
export function isOne(text: string): boolean {
  return /^[\s\S]$/u.test(text);
}

/** The cells of one row; none gets a comma that has one. */
export function rowOf(cells: readonly string[], between: string): string {
  let text = '';
  cells.forEach((cell, index) => {
    const gap = text.endsWith(',') ? ' ' : between;
    text = `${text}${index > 0 ? gap : ''}${cell.trim()}`;
  });
  return text.trim();
}

const TABLES: readonly (readonly [ReadonlyMap<string, string>, Kind])[] = [
  [tex.SYMBOLS, 'letters'],
  [tex.RELATIONS, 'relation'],
  [tex.TIGHT, 'tight'],
  [tex.OPENING, 'open'],
  [tex.CLOSING, 'close']
];

/** What a command without arguments is; undefined where it is none. */
export function signOf(name: string): IItem | undefined {
  for (const [table, kind] of TABLES) {
    const text = table.get(name);
    if (text !== undefined) {
      return { kind, text };
    }
  }
  if (tex.FUNCTIONS.has(name)) {
    return { kind: 'function', text: name };
  }
  if (tex.SPACES.has(name) || tex.NOTHING.has(name)) {
    return { kind: 'space', text: tex.SPACES.has(name) ? ' ' : '' };
  }
  return undefined;
}

/** What a character is. */
export function kindOf(part: string): Kind {
  if (isSpace(part) || part === '~') {
    return 'space';
  }
  if (/^\p{L}$/u.test(part)) {
    return 'letters';
  }
  return part === '(' || part === '['
    ? 'open'
    : part === ')' || part === ']'
      ? 'close'
      : 'sign';
}
