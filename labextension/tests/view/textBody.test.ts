import { describe, expect, it } from 'vitest';

import { DRAWN_CHARS, TextBody } from '../../src/view/textBody';
import { plainTranslation } from '../plainTranslation';

function bodyOf(...texts: readonly string[]): TextBody {
  const body = new TextBody('', plainTranslation);
  texts.forEach((text, index) => body.update(text, index < texts.length - 1));
  return body;
}

/** The text as one reads it: blocks are lines. */
function read(body: TextBody): string {
  return [...body.node.children].map(each => each.textContent).join('\n');
}

describe('TextBody', () => {
  it('adds what is new to what is there', () => {
    const body = bodyOf('one');
    const first = body.node.firstChild?.firstChild;
    body.update('one two', true);
    expect(body.node.firstChild?.firstChild).toBe(first);
    expect(body.node.textContent).toBe('one two');
  });

  it('begins anew where the text is another', () => {
    expect(read(bodyOf('one', 'on', 'ten'))).toBe('ten');
  });

  it('holds back half a character and half a line end until the rest is there', () => {
    const body = bodyOf('a\ud835', 'a\ud835\udf0b\r', 'a\ud835\udf0b\r\nb');
    expect(body.node.textContent).toBe('a𝜋\nb');
    expect(bodyOf('a\r').node.textContent).toBe('a<U+000D>');
  });

  it('names what hides in it', () => {
    expect(bodyOf('1\u001b[31m\u202e2').node.textContent).toBe(
      '1<U+001B>[31m<U+202E>2'
    );
  });

  it('parts long text at line ends and loses nothing', () => {
    const text = Array.from({ length: 500 }, (_, n) => `line ${n}`).join('\n');
    const body = bodyOf(text);
    expect(body.node.children.length).toBeGreaterThan(1);
    expect(read(body)).toBe(text);
    const grown = bodyOf(text.slice(0, 1500), text.slice(0, 2500), text);
    expect(read(grown)).toBe(text);
  });

  it('parts a line without end, and draws no more of it than a page can bear', () => {
    const body = bodyOf('x'.repeat(1_000_000));
    const blocks = body.node.querySelectorAll('.jp-TirText-block');
    expect(blocks).toHaveLength(DRAWN_CHARS / 8_000);
    expect(body.node.lastElementChild?.textContent).toBe(
      '800,000 more characters are not drawn; copying takes them along.'
    );
  });
});
