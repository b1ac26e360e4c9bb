import { describe, expect, it } from 'vitest';

import {
  MOST_CHARS,
  MOST_LEVELS,
  readableTex
} from '../../src/view/readableTex';
import * as symbols from '../../src/view/texSymbols';
import table from '../../../tests/data/readable_tex.json';

/** Tables and sets as they stand in the file that Python is held to as well. */
function plain(
  value: ReadonlyMap<string, string> | ReadonlySet<string>
): unknown {
  return value instanceof Map ? Object.fromEntries(value) : [...value].sort();
}

describe('TeX as readable text', () => {
  it.each(table.formulas)('%s is %s', (formula, text) => {
    expect(readableTex(formula)).toBe(text);
  });

  it('knows the commands that Python knows', () => {
    const ours = Object.entries(symbols).map(([name, value]) => [
      name,
      plain(value)
    ]);
    expect(Object.fromEntries(ours)).toEqual(table.symbols);
  });

  it.each(['{', '\\sqrt{', '\\frac{1}{', 'x^{', '\\left(', '\\sqrt', '^'])(
    'leaves what is nested 10,000 deep as it was written: %s',
    opening => {
      const deep = opening.repeat(10_000).slice(0, MOST_CHARS);
      const text = `\\pi${deep}`.slice(0, MOST_CHARS);
      const shown = readableTex(text);
      expect(
        shown === text || shown === `π${'('.repeat(shown.length - 1)}`
      ).toBe(true);
    }
  );

  it('nests to a depth, and no further', () => {
    const nested = (levels: number): string =>
      `${'\\sqrt{'.repeat(levels)}x${'}'.repeat(levels)}`;
    expect(readableTex(nested(MOST_LEVELS - 1))).toBe(
      `${'√('.repeat(MOST_LEVELS - 3)}√√x${')'.repeat(MOST_LEVELS - 3)}`
    );
    expect(readableTex(nested(MOST_LEVELS))).toBe(nested(MOST_LEVELS));
  });

  it('leaves what is longer than a formula as it was written', () => {
    const line = '\\pi '.repeat(250_000);
    expect(readableTex(line)).toBe(line);
    const most = '\\pi '.repeat(MOST_CHARS / 4);
    expect(readableTex(most)).toBe('π '.repeat(MOST_CHARS / 4).trim());
  });
});
