/**
 * What the run concluded, before all else: the verdict on a claim, the answer, and why it ended.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { element, setText, visible } from '../elements';
import type { Maths } from './maths';
import { percent, whole } from './numbers';
import type { ISnapshot, IViewEnd, IViewVerdict } from './wire';
import { endWords } from './words';

/** The conclusion, or where things stand. */
export class VerdictView {
  constructor(
    trans: TranslationBundle,
    private readonly _maths: Maths
  ) {
    this._trans = trans;
    this._symbol.setAttribute('aria-hidden', 'true');
    this.node = element('div', 'jp-TirVerdict', [
      element('p', 'jp-TirVerdict-word', [this._symbol, this._word]),
      this._words,
      element('p', 'jp-TirVerdict-answer', [
        this._label,
        this._answer,
        this._backing
      ]),
      this._reason
    ]);
  }

  readonly node: HTMLElement;

  /** Shows another state of the run, which may go on or have been lost on the way. */
  update(snapshot: ISnapshot, goesOn: boolean): void {
    const { end } = snapshot;
    this.node.dataset.state = stateOf(end);
    this._showVerdict(end);
    const answer = end === null ? leaderOf(snapshot) : end.answer;
    const label = this._labelWords(end, answer, goesOn);
    // A verdict on no answer says so in its first word.
    setText(this._label, this._word.textContent === label ? '' : label);
    this._label.parentElement?.toggleAttribute(
      'hidden',
      this._label.textContent === '' && answer === null
    );
    this._maths.showAnswer(this._answer, answer);
    this._answer.hidden = answer === null;
    setText(this._backing, this._backingWords(snapshot, answer));
    setText(this._reason, end?.reason ?? '');
    this._reason.hidden = !end || end.reason === '' || said(end);
  }

  private _showVerdict(end: IViewEnd | null): void {
    const verdict = end?.verdict ?? null;
    const word = verdict
      ? this._verdictWord(verdict.verdict)
      : end && end.status !== 'answered'
        ? endWords(end.status, this._trans)
        : '';
    setText(this._word, word);
    setText(this._symbol, word === '' ? '' : SYMBOLS[stateOf(end)]);
    if (verdict !== null && verdict.words !== this._said) {
      this._said = verdict.words;
      this._words.replaceChildren(
        ...this._withFormulas(verdict.words, [verdict.claim, end?.answer ?? ''])
      );
    }
    this._words.hidden = verdict === null;
    this._word.parentElement?.toggleAttribute('hidden', word === '');
  }

  /** A sentence in which answers that are TeX are shown as mathematics. */
  private _withFormulas(words: string, answers: readonly string[]): Node[] {
    const tex = answers.at(0);
    const others = answers.slice(1);
    if (tex === undefined) {
      return [document.createTextNode(visible(words))];
    }
    if (!/\\[A-Za-z]/.test(tex)) {
      return this._withFormulas(words, others);
    }
    return words.split(tex).flatMap((part, index) => {
      const nodes = this._withFormulas(part, others);
      if (index === 0) {
        return nodes;
      }
      const formula = element('span', 'jp-TirVerdict-formula');
      this._maths.showAnswer(formula, tex);
      return [formula, ...nodes];
    });
  }

  private _verdictWord(verdict: IViewVerdict['verdict']): string {
    const trans = this._trans;
    switch (verdict) {
      case 'agrees':
        return trans.__('Agrees');
      case 'disagrees':
        return trans.__('Disagrees');
      case 'undecided':
        return trans.__('Undecided');
    }
  }

  private _labelWords(
    end: IViewEnd | null,
    answer: string | null,
    goesOn: boolean
  ): string {
    const trans = this._trans;
    if (goesOn) {
      return answer === null ? trans.__('No answer yet') : trans.__('Leader');
    }
    if (end === null) {
      return answer === null
        ? trans.__('No answer, and no end')
        : trans.__('Last leader, without an end');
    }
    return answer === null ? trans.__('No answer') : trans.__('Answer');
  }

  private _backingWords(snapshot: ISnapshot, answer: string | null): string {
    const leader = snapshot.tally.candidates.at(0);
    if (answer === null || leader?.shown !== answer) {
      return '';
    }
    return this._trans.__(
      '%1 of %2 finished samples, %3 code-verified, %4 of the weight',
      whole(leader.count),
      whole(snapshot.tally.finished),
      whole(leader.codeVerified),
      percent(leader.share)
    );
  }

  private readonly _answer = element('span', 'jp-TirVerdict-shown');
  private readonly _backing = element('span', 'jp-TirVerdict-backing');
  private readonly _label = element('span', 'jp-TirVerdict-label');
  private readonly _reason = element('p', 'jp-TirVerdict-reason');
  private _said = '';
  private readonly _symbol = element('span', 'jp-TirVerdict-symbol');
  private readonly _trans: TranslationBundle;
  private readonly _word = element('span', '');
  private readonly _words = element('p', 'jp-TirVerdict-words');
}

const SYMBOLS: Readonly<Record<string, string>> = {
  agrees: '✓',
  disagrees: '✗',
  undecided: '?',
  ended: '■'
};

function stateOf(end: IViewEnd | null): string {
  if (end === null) {
    return 'running';
  }
  if (end.verdict !== null) {
    return end.verdict.verdict;
  }
  return end.status === 'answered' ? 'answered' : 'ended';
}

/** Whether the chart or the verdict says already why it ended. */
function said({ reason, stop, verdict }: IViewEnd): boolean {
  const words = reason.replace(/\.$/, '').toLowerCase();
  return (
    (stop !== null && reason.includes(stop.words)) ||
    verdict?.words.toLowerCase().includes(words) === true
  );
}

function leaderOf({ tally }: ISnapshot): string | null {
  return (tally.candidates.at(0) ?? null)?.shown ?? null;
}
