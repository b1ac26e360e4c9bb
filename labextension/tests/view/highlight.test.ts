import { describe, expect, it } from 'vitest';

import { element } from '../../src/elements';
import { HIGHLIGHTED_CHARS, highlighted } from '../../src/view/highlight';

function drawn(code: string): HTMLElement {
  return element('pre', '', highlighted(code));
}

describe('highlighted', () => {
  it('gives kinds of words their classes', () => {
    const made = drawn('def f(n):\n    return "a" + str(2)  # why');
    const kinds = [...made.querySelectorAll('span[class]')].map(each => [
      each.textContent,
      each.className.replace('jp-TirCode-', '')
    ]);
    expect(kinds).toEqual([
      ['def', 'keyword'],
      ['f', 'definition'],
      ['return', 'keyword'],
      ['"a"', 'string'],
      ['+', 'operator'],
      ['2', 'number'],
      ['# why', 'comment']
    ]);
  });

  it.each([
    '',
    'x = 1\n',
    'print("unfinished',
    'if x\n\treturn )',
    '<script>alert(1)</script>',
    'π = "שלום"'
  ])('keeps every character of %j', code => {
    expect(drawn(code).textContent).toBe(code);
  });

  it('never makes markup of code', () => {
    const made = drawn('"<img src=x onerror=alert(1)>"\n<script>1</script>');
    expect(made.querySelector('img, script')).toBe(null);
  });

  it('names what hides in code', () => {
    expect(drawn('x = "\u202e1"').textContent).toBe('x = "<U+202E>1"');
  });

  it('leaves long code without colours', () => {
    expect(highlighted('x = 1\n'.repeat(HIGHLIGHTED_CHARS))).toHaveLength(1);
  });
});
