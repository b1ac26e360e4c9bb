/**
 * Mathematics in a view: typeset where the page can, else as text that a person reads.
 *
 * What is typeset keeps its TeX as its title.
 */
import { element, setAttributes, visible } from '../elements';
import { answerFormula, readableAnswer } from './answerTex';
import type { IFormula } from './formulas';
import { formulasIn } from './formulas';
import { readableTex } from './readableTex';
import type { ISlot, Typeset } from './typesetQueue';
import { TypesetQueue } from './typesetQueue';
import { isTypesettable } from './typesettable';

const LINE_END_BEFORE = /\r?\n$/;
const LINE_END_AFTER = /^\r?\n/;

/** The mathematics of one view, on a page that typesets or does not. */
export class Maths {
  constructor(typeset?: Typeset) {
    this._queue = typeset && new TypesetQueue(typeset);
  }

  /**
   * Shows an answer, or what stands for none, as the only content of an element; what is shown
   * already is left alone.
   */
  showAnswer(node: HTMLElement, answer: string | null, none = ''): void {
    if (this._answers.get(node) === answer) {
      return;
    }
    this._answers.set(node, answer);
    setAttributes(node, { title: answer });
    node.textContent = visible(answer === null ? none : readableAnswer(answer));
    const tex =
      answer === null || this._queue === undefined
        ? undefined
        : answerFormula(answer);
    this._queue?.add(
      node,
      tex === undefined ? [] : [{ node, source: `\\(${tex}\\)` }]
    );
  }

  /** Shows a text that is whole as the only content of an element. */
  showText(node: HTMLElement, text: string): void {
    this.showFormulas(node, text, formulasIn(text));
  }

  /** The same for a part of a text, with the formulas that lie in it from its `start` on. */
  showFormulas(
    node: HTMLElement,
    text: string,
    formulas: readonly IFormula[],
    start = 0
  ): void {
    const nodes: Node[] = [];
    const slots: ISlot[] = [];
    let end = 0;
    for (const formula of formulas) {
      let from = formula.from - start;
      let to = formula.to - start;
      if (formula.display && this._queue !== undefined) {
        // It will be a block, which begins and ends a line by itself.
        const before = text.slice(Math.max(end, from - 2), from);
        from -= LINE_END_BEFORE.exec(before)?.[0].length ?? 0;
        to += LINE_END_AFTER.exec(text.slice(to, to + 2))?.[0].length ?? 0;
      }
      nodes.push(document.createTextNode(visible(text.slice(end, from))));
      nodes.push(this._formula(formula, text.slice(from, to), slots));
      end = to;
    }
    nodes.push(document.createTextNode(visible(text.slice(end))));
    node.replaceChildren(...nodes);
    this._queue?.add(node, slots);
  }

  dispose(): void {
    this._queue?.dispose();
  }

  private _formula(
    { tex, display }: IFormula,
    written: string,
    slots: ISlot[]
  ): Node {
    if (this._queue === undefined) {
      const shown = readableTex(tex.trim());
      const node = element('span', 'jp-TirFormula', shown);
      node.classList.toggle('jp-mod-boxed', tex.trim().startsWith('\\boxed'));
      setAttributes(node, { title: written });
      return node;
    }
    if (!isTypesettable(tex)) {
      return document.createTextNode(visible(written));
    }
    const node = element('span', 'jp-TirFormula-slot', written);
    node.classList.toggle('jp-mod-display', display);
    setAttributes(node, { title: written.trim() });
    const source = display ? `\\[${tex}\\]` : `\\(${tex}\\)`;
    slots.push({ node, source });
    return node;
  }

  private readonly _answers = new WeakMap<HTMLElement, string | null>();
  private readonly _queue: TypesetQueue | undefined;
}
