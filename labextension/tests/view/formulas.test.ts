import { describe, expect, it } from 'vitest';

import { readableAnswer, readableText } from '../../src/view/answerTex';
import {
  MOST_FORMULAS,
  MOST_FORMULA_CHARS,
  formulasIn
} from '../../src/view/formulas';
import table from '../../../tests/data/readable_tex.json';

function found(text: string): string[] {
  return formulasIn(text).map(({ from, to }) => text.slice(from, to));
}

describe('formulas in a text', () => {
  it.each(table.texts)('are found and read: %s', (text, shown) => {
    expect(readableText(text)).toBe(shown);
  });

  it.each([
    [
      String.raw`$x^2$, $$a+b$$, \(c\) and \[d\]`,
      ['$x^2$', '$$a+b$$', String.raw`\(c\)`, String.raw`\[d\]`]
    ],
    [String.raw`$5\$$ or`, [String.raw`$5\$$`]],
    [String.raw`So \boxed{\frac{1}{2}}.`, [String.raw`\boxed{\frac{1}{2}}`]],
    ['$a$$b$', ['$a$', '$b$']],
    ['For $5 solve $x = 3$.', ['$x = 3$']]
  ])('are told from what is around them: %s', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([
    'A shirt costs $5 and trousers $20.',
    'Between $5/$10 a day',
    'It costs 5$.',
    '$ 3 $',
    'It is $5 for each of them, or 6$ in all.',
    'In `$x$` and ``$`y`$`` stands code',
    '```\n$x$\n```',
    '```\n$x$',
    'a $b\n\nc$ d',
    'a $b\r\n\r\nc$ d',
    'a \\boxed\n\n{b}',
    String.raw`a \( b`,
    String.raw`\boxed{a`,
    String.raw`\boxedx{a}`
  ])('are not made of anything else: %s', text => {
    expect(found(text)).toEqual([]);
  });

  it.each(['$', '\\(', '\\[', '$$', '$a', '\\boxed{', '`', '``` `', '{'])(
    'take no time where nothing closes: %s',
    opening => {
      const text = opening.repeat(200_000);
      expect(formulasIn(text).length).toBeLessThanOrEqual(MOST_FORMULAS);
    }
  );

  it('are bounded in number and length', () => {
    expect(formulasIn('$a$ '.repeat(10_000)).length).toBe(MOST_FORMULAS);
    const long = 'a'.repeat(MOST_FORMULA_CHARS);
    expect(found(`$${long}$`)).toEqual([`$${long}$`]);
    expect(found(`$${long}a$`)).toEqual([]);
    expect(found(`\\[${long}a\\]`)).toEqual([]);
  });
});

describe('an answer', () => {
  it.each(table.answers)('%s is read as %s', (answer, shown) => {
    expect(readableAnswer(answer)).toBe(shown);
  });
});
