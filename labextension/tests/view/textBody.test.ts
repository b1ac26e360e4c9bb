import { afterEach, describe, expect, it, vi } from 'vitest';

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

  it.each(['😀', '\r\n'])('draws no half of %j where it is cut', sign => {
    const body = bodyOf(`${'x'.repeat(DRAWN_CHARS - 1)}${sign}end`);
    const last = body.node.lastElementChild;
    expect(last?.textContent).toBe(
      '5 more characters are not drawn; copying takes them along.'
    );
    expect(last?.previousElementSibling?.textContent).toMatch(/^x+$/);
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

  it.each(['\r\n', '\n', '\n\n', '\r\n\r\n'])(
    'loses no line where blocks end by %j',
    end => {
      const text = `a line${end}`.repeat(400);
      const lines = text.replaceAll('\r', '').split('\n');
      const blocks = [...bodyOf(text, text).node.children];
      expect(blocks.length).toBeGreaterThan(3);
      expect(
        // As in a page: the last line end of a block begins no line.
        blocks.flatMap(each => each.textContent.replace(/\n$/, '').split('\n'))
      ).toEqual(lines.slice(0, -1));
    }
  );

  it('parts a line without end, and draws no more of it than a page can bear', () => {
    const body = bodyOf('x'.repeat(1_000_000));
    const blocks = body.node.querySelectorAll('.jp-TirText-block');
    expect(blocks).toHaveLength(DRAWN_CHARS / 8_000);
    expect(body.node.lastElementChild?.textContent).toBe(
      '800,000 more characters are not drawn; copying takes them along.'
    );
  });
});

/** A page that breaks lines after so many characters, and at line ends. */
const LINE = 40;

/** The line of a block that one of its characters stands on. */
function lineOf(block: Element, at: number): number {
  let [line, column] = [0, 0];
  for (const letter of block.textContent.slice(0, at)) {
    column += 1;
    if (letter === '\n' || column === LINE) {
      [line, column] = [line + 1, 0];
    }
  }
  return line;
}

function layOut(): void {
  const value = function (this: Range): DOMRect {
    let at = this.startOffset;
    let before = this.startContainer.previousSibling;
    for (; before !== null; before = before.previousSibling) {
      at += before.textContent?.length ?? 0;
    }
    const block = this.startContainer.parentElement;
    return { top: block === null ? 0 : 20 * lineOf(block, at) } as DOMRect;
  };
  Object.defineProperty(Range.prototype, 'getBoundingClientRect', {
    configurable: true,
    value
  });
}

describe('a paragraph that grows long', () => {
  afterEach(() => {
    Reflect.deleteProperty(Range.prototype, 'getBoundingClientRect');
  });

  /** Grows by so much at a time, each time laid out. */
  function grown(text: string, by = 25): TextBody {
    layOut();
    const body = new TextBody('', plainTranslation);
    for (let to = by; to < text.length + by; to += by) {
      body.update(text.slice(0, to), true);
      body.settle();
    }
    return body;
  }

  it('is parted where a line begins, and whole in the end', () => {
    const text = 'word '.repeat(1000);
    const body = grown(text);
    const parts = [...body.node.children].map(each => each.textContent);
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.join('')).toBe(text);
    for (const part of parts.slice(0, -1)) {
      expect(part.length % LINE).toBe(0);
      expect(part.length).toBeLessThan(700);
    }
    expect(parts.at(-1)?.length).toBeLessThan(700);
    body.update(text, false);
    expect(body.node.children).toHaveLength(1);
    expect(body.node.textContent).toBe(text);
  });

  it('is parted at its own line ends, too', () => {
    const text = `${'a line of it\n'.repeat(40)}${'word '.repeat(300)}`;
    const body = grown(text, 7);
    body.update(text, false);
    expect(read(body)).toBe(read(bodyOf(text)));
  });

  it('ends as a block does, however often it was parted', () => {
    const text = 'x'.repeat(20_000);
    const body = grown(text, 100);
    body.update(text, false);
    const lengths = [...body.node.children].map(
      each => each.textContent.length
    );
    expect(lengths).toEqual([8_000, 8_000, 4_000]);
  });

  it('is whole again where its lines become others', () => {
    const text = 'word '.repeat(400);
    const body = grown(text);
    expect(body.node.children.length).toBeGreaterThan(1);
    vi.spyOn(body.node, 'clientWidth', 'get').mockReturnValue(500);
    body.settle();
    expect(body.node.children).toHaveLength(1);
    expect(body.node.textContent).toBe(text);
    body.settle();
    expect(body.node.children).toHaveLength(2);
  });

  it.each([
    ['from right to left', '\u05d0\u05d1 '.repeat(500)],
    ['by name', 'a\u202eb'.repeat(400)]
  ])('stays whole where it is written %s', (_, text) => {
    expect(grown(text).node.children).toHaveLength(1);
  });

  it('leaves what a reader has selected', () => {
    const text = 'word '.repeat(110);
    const body = grown(text);
    document.body.replaceChildren(body.node);
    const selection = document.getSelection();
    const first = body.node.firstChild?.firstChild;
    if (first instanceof Text) {
      selection?.setBaseAndExtent(first, 0, first, first.length);
    }
    const before = String(selection);
    expect(before).not.toBe('');
    body.update('word '.repeat(130), true);
    body.settle();
    expect(body.node.children).toHaveLength(2);
    expect(String(selection)).toBe(before);
  });

  it('keeps what a reader has selected of it until that is copied', () => {
    const text = 'word '.repeat(110);
    const body = grown(text);
    document.body.replaceChildren(body.node);
    const selection = document.getSelection();
    selection?.selectAllChildren(body.node);
    body.update('word '.repeat(130), true);
    body.settle();
    expect(body.node.children).toHaveLength(1);
    selection?.setPosition(body.node, 0);
    body.settle();
    expect(body.node.children).toHaveLength(2);
    selection?.selectAllChildren(body.node);
    body.update('word '.repeat(130), false);
    expect(String(selection)).toBe('word '.repeat(130));
    expect(body.node.children).toHaveLength(2);
    selection?.removeAllRanges();
    document.dispatchEvent(new Event('selectionchange'));
    expect(body.node.children).toHaveLength(1);
  });

  it('is left alone by a page that lays nothing out', () => {
    const body = bodyOf('word '.repeat(300), 'word '.repeat(301), '');
    body.update('word '.repeat(300), true);
    body.settle();
    expect(body.node.children).toHaveLength(1);
  });
});
