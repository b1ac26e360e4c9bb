/**
 * One row of the votes: a bar for the eye, and all that it shows as numbers.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { element, setAttributes, setText } from '../elements';
import type { Maths } from './maths';
import { fixed, percent, whole } from './numbers';
import type { IViewCandidate } from './wire';

/** Of the table's columns. */
export const COLUMN_CLASSES = [
  'jp-TirTally-answer',
  'jp-TirTally-bars',
  'jp-TirTally-number jp-mod-count',
  'jp-TirTally-number',
  'jp-TirTally-number jp-mod-less',
  'jp-TirTally-number',
  'jp-TirTally-number jp-mod-less'
];

/** Where a candidate stands, or how many samples have none. */
export class TallyRow {
  constructor(
    trans: TranslationBundle,
    private readonly _maths: Maths
  ) {
    this._trans = trans;
    const title = element('th', COLUMN_CLASSES[0], [this._shown, this._mark]);
    title.scope = 'row';
    this._bar.setAttribute('aria-hidden', 'true');
    this._tick.hidden = true;
    this.node = element('tr', '', [
      title,
      element('td', COLUMN_CLASSES[1], [this._bar]),
      ...this._numbers
    ]);
  }

  readonly node: HTMLElement;

  showCandidate(candidate: IViewCandidate, scale: number, mark: string): void {
    this._maths.showAnswer(this._shown, candidate.shown);
    setText(this._mark, mark);
    this._mark.hidden = mark === '';
    setAttributes(this.node, {
      class: mark === '' ? '' : 'jp-mod-leader',
      'aria-current': mark === '' ? null : 'true'
    });
    const { count, codeVerified } = candidate;
    this._setBar(codeVerified, count - codeVerified, 0, scale);
    this._setNumbers([
      whole(count),
      whole(codeVerified),
      fixed(candidate.weight, 2),
      percent(candidate.share),
      candidate.meanEntropy === null ? '–' : fixed(candidate.meanEntropy, 2)
    ]);
  }

  showWithoutBallot(words: string, count: number, scale: number): void {
    setText(this._shown, words);
    this._mark.hidden = true;
    this.node.className = 'jp-mod-without';
    this._setBar(0, 0, count, scale);
    this._setNumbers([whole(count), '', '', this._trans.__('no vote'), '']);
  }

  showThreshold(tau: number | null): void {
    this._tick.hidden = tau === null;
    this._tick.style.left = width(tau ?? 0);
  }

  private _setBar(
    verified: number,
    text: number,
    without: number,
    scale: number
  ): void {
    this._verified.style.width = width(verified / scale);
    this._text.style.width = width(text / scale);
    this._without.style.width = width(without / scale);
  }

  private _setNumbers(numbers: readonly string[]): void {
    numbers.forEach((words, index) => setText(this._numbers[index], words));
  }

  private readonly _mark = element('span', 'jp-TirTally-mark');
  private readonly _numbers = COLUMN_CLASSES.slice(2).map(name =>
    element('td', name)
  );
  private readonly _shown = element('span', 'jp-TirTally-shown');
  private readonly _text = element('span', 'jp-TirTally-part jp-mod-text');
  private readonly _tick = element('span', 'jp-TirTally-tick');
  private readonly _trans: TranslationBundle;
  private readonly _verified = element(
    'span',
    'jp-TirTally-part jp-mod-verified'
  );
  private readonly _without = element(
    'span',
    'jp-TirTally-part jp-mod-without'
  );
  private readonly _bar = element('span', 'jp-TirTally-bar', [
    this._verified,
    this._text,
    this._without,
    this._tick
  ]);
}

function width(part: number): string {
  return `${Math.round(Math.min(Math.max(part, 0), 1) * 1e4) / 100}%`;
}
