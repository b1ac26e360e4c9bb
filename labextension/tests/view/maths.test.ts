import type { Mock } from 'vitest';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { answerFormula } from '../../src/view/answerTex';
import { Maths } from '../../src/view/maths';
import { TextBody } from '../../src/view/textBody';
import { isTypesettable } from '../../src/view/typesettable';
import { plainTranslation } from '../plainTranslation';
import { fakeSight } from './fakeSight';

const FRACTION = String.raw`\frac{1}{2}`;

/** A typesetter that draws a formula as an element which names it. */
function typesetter(): Mock<(node: HTMLElement) => Promise<void>> {
  return vi.fn((node: HTMLElement): Promise<void> => {
    const made = document.createElement('i');
    made.textContent = `drawn ${node.textContent}`;
    node.replaceChildren(made);
    return Promise.resolve();
  });
}

function place(): HTMLElement {
  const node = document.createElement('div');
  document.body.append(node);
  return node;
}

async function typesetAll(node: HTMLElement, count: number): Promise<void> {
  await vi.waitFor(() => expect(node.querySelectorAll('i').length).toBe(count));
}

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

it('a formula on lines of its own takes its line ends with it, also those of Windows', () => {
  for (const end of ['\n', '\r\n']) {
    const node = place();
    new Maths(typesetter()).showText(node, `so${end}$$x$$${end}then`);
    expect([...node.childNodes].map(each => each.textContent)).toEqual([
      'so',
      '\n$$x$$\n',
      'then'
    ]);
  }
});

describe('an answer', () => {
  it.each([
    [FRACTION, FRACTION],
    [`$${FRACTION}$`, FRACTION],
    ['x^2', 'x^{2}'],
    ['2^10', '2^{10}'],
    ['10^-3', '10^{-3}'],
    [String.raw`x = 2 \text{ or } x = 3`, String.raw`x = 2 \text{ or } x = 3`],
    [String.raw`\boxed{\sqrt{2}}`, String.raw`\boxed{\sqrt{2}}`]
  ])('%s is typeset as %s', (answer, tex) => {
    expect(answerFormula(answer)).toBe(tex);
  });

  it.each([
    '42',
    '(1, 2]',
    'Monday',
    'max_value',
    'x^(n+1)',
    '{x^2, 1}',
    String.raw`the answer is \frac{1}{2}`,
    String.raw`$x$ or $y^2$`,
    String.raw`\foo{x}`,
    String.raw`\frac{1`
  ])('%s is text', answer => {
    expect(answerFormula(answer)).toBeUndefined();
  });

  it('is readable until it is typeset, and keeps its TeX as title', async () => {
    const node = place();
    new Maths(typesetter()).showAnswer(node, FRACTION);
    expect(node.textContent).toBe('1/2');
    expect(node.title).toBe(FRACTION);
    await typesetAll(node, 1);
    expect(node.textContent).toBe(String.raw`drawn \(\frac{1}{2}\)`);
  });

  it('that another took the place of is not drawn', async () => {
    const node = place();
    let finish: (() => void) | undefined;
    const draw = typesetter();
    const slow = vi.fn(async (drawn: HTMLElement) => {
      await new Promise<void>(done => (finish = done));
      await draw(drawn);
    });
    const maths = new Maths(slow);
    maths.showAnswer(node, FRACTION);
    await vi.waitFor(() => expect(finish).toBeDefined());
    maths.showAnswer(node, '7');
    finish?.();
    await vi.waitFor(() => expect(draw).toHaveBeenCalled());
    expect(node.textContent).toBe('7');
    maths.showAnswer(node, null, 'none');
    expect([node.textContent, node.title]).toEqual(['none', '']);
  });

  it.each([
    () => Promise.reject(new Error('no')),
    () => Promise.resolve(),
    () => undefined,
    (drawn: HTMLElement) =>
      drawn.replaceChildren(document.createElement('mjx-merror'))
  ])('stays readable where a typesetter makes nothing of it', async draw => {
    const node = place();
    const typeset = vi.fn(draw);
    new Maths(typeset).showAnswer(node, FRACTION);
    await vi.waitFor(() => expect(typeset).toHaveBeenCalled());
    await vi.waitFor(() => expect(node.childElementCount).toBe(0));
    expect(node.textContent).toBe('1/2');
  });

  it('is readable on a page that typesets nothing', () => {
    const node = place();
    new Maths().showAnswer(node, String.raw`\sqrt{2} \le x`);
    expect(node.textContent).toBe('√2 ≤ x');
  });
});

describe('a text', () => {
  it('is typeset formula by formula, and nothing else of it is', async () => {
    const node = place();
    const typeset = typesetter();
    const text = String.raw`For $5, \begin{align}x\end{align} and $x^2$: \[y\]`;
    new Maths(typeset).showText(node, text);
    expect(node.textContent).toBe(text);
    await typesetAll(node, 2);
    expect(typeset.mock.calls.length).toBe(2);
    expect(node.textContent).toBe(
      String.raw`For $5, \begin{align}x\end{align} and drawn \(x^2\): drawn \[y\]`
    );
  });

  it('is readable on a page that typesets nothing', () => {
    const node = place();
    new Maths().showText(node, String.raw`So $x^2$, $\foo$ and \boxed{7}`);
    expect(node.textContent).toBe(String.raw`So x², \foo and 7`);
    expect([...node.children].map(each => (each as HTMLElement).title)).toEqual(
      ['$x^2$', String.raw`$\foo$`, String.raw`\boxed{7}`]
    );
  });

  it('waits until it is in sight', async () => {
    const sight = fakeSight();
    const node = place();
    const typeset = typesetter();
    new Maths(typeset).showText(node, '$x^2$');
    expect([...sight.watched]).toEqual([node]);
    sight.tell(node, false);
    await new Promise(done => setTimeout(done, 50));
    expect(typeset).not.toHaveBeenCalled();
    sight.tell(node, true);
    await typesetAll(node, 1);
  });

  it('is not typeset while it grows', async () => {
    const typeset = typesetter();
    const body = new TextBody('', plainTranslation, new Maths(typeset));
    place().append(body.node);
    body.update('Let $x^2$ be', true);
    expect(body.node.querySelector('[title]')).toBe(null);
    body.update('Let $x^2$ be $y$', false);
    await typesetAll(body.node, 2);
    expect(body.node.textContent).toBe(
      String.raw`Let drawn \(x^2\) be drawn \(y\)`
    );
  });

  it('has formulas across the borders of its blocks', () => {
    const body = new TextBody('', plainTranslation, new Maths());
    const line = `${'word '.repeat(20)}\n`;
    const lines = line.repeat(Math.floor(580 / line.length));
    const text = `${lines}\\[\n  ${'a + '.repeat(60)}\n  b^2\n\\]\n${line.repeat(60)}$z^2$\n`;
    body.update(text.slice(0, 900), true);
    body.update(text, true);
    const blocks = body.node.childElementCount;
    body.update(text, false);
    expect(body.node.childElementCount).toBe(blocks - 1);
    expect(
      [...body.node.querySelectorAll('[title]')].map(each =>
        each.textContent.slice(-2)
      )
    ).toEqual(['b²', 'z²']);
    expect(body.node.textContent.split('word').length).toBe(
      text.split('word').length
    );
    body.update(`${text}and $w^2$`, false);
    expect(body.node.textContent.endsWith('z²\nand w²')).toBe(true);
  });
});

describe('a formula', () => {
  it.each([
    FRACTION,
    String.raw`\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}`,
    String.raw`\operatorname*{lim}_{x \to 0} \left\{ x \right.`,
    String.raw`50\% \, x \#`
  ])('that is only drawn is typeset: %s', formula => {
    expect(isTypesettable(formula)).toBe(true);
  });

  it.each([
    String.raw`\def\a{\a\a}\a`,
    String.raw`\newcommand{\frac}{1}`,
    String.raw`\href{javascript:alert(1)}{x}`,
    String.raw`\class{jp-Button}{x}`,
    String.raw`\style{position:fixed}{x}`,
    String.raw`\require{html}`,
    String.raw`\phantom{7}`,
    String.raw`\color{white}{7}`,
    String.raw`\unicode{x202e}`,
    String.raw`\hspace{-100em}`,
    String.raw`\begin{array}{*{100000}{c}} 1 \end{array}`,
    String.raw`\begin{CD} A \end{CD}`,
    '20% of 50',
    String.raw`x \\% y`,
    '#S = 5',
    `${'{'.repeat(100)}x${'}'.repeat(100)}`,
    '}{',
    '{x',
    `x${String.raw`\!`.repeat(100)}`,
    'a\u202eb',
    'x'.repeat(2_001)
  ])('that does more is left as it was written: %s', formula => {
    expect(isTypesettable(formula)).toBe(false);
  });
});
