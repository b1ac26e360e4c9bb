import { describe, expect, it } from 'vitest';

import { withFormulas } from '../../src/view/formulas';

/** The texts of which a typesetter sees each alone. */
function parts(text: string): (string | null)[] {
  return withFormulas(text).map(node => node.textContent);
}

describe('formulas in a problem', () => {
  it.each([
    ['What is $x^2$?', ['What is ', '$x^2$', '?']],
    ['$$a+b$$', ['$$a+b$$']],
    [
      String.raw`\(a\) and \[b\]`,
      [String.raw`\(a\)`, ' and ', String.raw`\[b\]`]
    ],
    [String.raw`$5\$$ or`, [String.raw`$5\$$`, ' or']]
  ])('are left whole: %s', (text, expected) => {
    expect(parts(text)).toEqual(expected);
  });

  it.each([
    'A shirt costs $5 and trousers $20.',
    'Between $5/$10 a day',
    'It costs 5$.',
    '$ 3 $'
  ])('are not made of money: %s', text => {
    const found = parts(text);
    expect(found.join('')).toBe(text);
    for (const part of found) {
      expect(part === '$' || part?.includes('$') === false).toBe(true);
    }
  });

  it('are told from money in one text', () => {
    expect(parts('For $5 solve $x = 3$.')).toEqual([
      'For ',
      '$',
      '5 solve ',
      '$x = 3$',
      '.'
    ]);
  });

  it.each(['$', '\\(', '\\[', '$$', '$a'])(
    'take no time where nothing closes: %s',
    opening => {
      const text = opening.repeat(10_000);
      expect(parts(text).join('')).toBe(text);
    }
  );
});
