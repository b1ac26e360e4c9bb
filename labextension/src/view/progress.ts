/**
 * How far the run is and what it costs: samples, tokens, seconds, and what the samples do.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { element, setAttributes, setText } from '../elements';
import { duration, whole } from './numbers';
import type { ISnapshot, IViewSample } from './wire';
import { doingWords } from './words';

/** Tokens a second are those of so many last seconds. */
const RATE_S = 5;

const DOINGS = [
  'writing',
  'running code',
  'starting a kernel',
  'verifying'
] as const;

/** The bar and the numbers. */
export class ProgressView {
  constructor(trans: TranslationBundle) {
    this._trans = trans;
    setAttributes(this._bar, {
      role: 'progressbar',
      'aria-label': trans.__('Samples'),
      'aria-valuemin': 0
    });
    this._bar.append(this._finished, this._lost, this._running);
    this.node = element('div', 'jp-TirProgress', [this._bar, this._facts]);
  }

  readonly node: HTMLElement;

  /**
   * Shows another state of the run; `nowS` is the run's clock. Where nothing goes on any more, what
   * had not ended is said to be that, not to run.
   */
  update(snapshot: ISnapshot, nowS: number, goesOn: boolean): void {
    const { tally, planned, samples } = snapshot;
    const doing = counted(samples);
    const ended = doing.get('ended') ?? 0;
    const running = samples.length - ended;
    const { finished } = tally;
    const other = Math.max(0, ended - finished);
    const cancelled = samples.filter(
      ({ status }) => status === 'cancelled'
    ).length;
    const trans = this._trans;
    setWidth(this._finished, finished, planned);
    setWidth(this._lost, other, planned);
    setWidth(this._running, running, planned);
    this.node.dataset.state = goesOn ? 'running' : 'over';
    const facts = [
      trans.__('%1 of %2 finished', whole(finished), whole(planned)),
      running > 0 ? this._runningWords(running, goesOn) : '',
      other > cancelled
        ? trans.__('%1 lost or cut off', whole(other - cancelled))
        : '',
      cancelled > 0 ? trans.__('%1 cancelled', whole(cancelled)) : '',
      trans._n(
        'one token',
        '%2 tokens',
        snapshot.tokens,
        whole(snapshot.tokens)
      ),
      duration(nowS),
      this._rateWords(snapshot, nowS, goesOn)
    ];
    setAttributes(this._bar, {
      'aria-valuemax': planned,
      'aria-valuenow': finished,
      'aria-valuetext': facts.slice(0, 3).filter(Boolean).join(', ')
    });
    this._show([...facts, goesOn ? this._doing(doing) : '']);
  }

  private _show(facts: readonly string[]): void {
    facts.forEach((words, index) => {
      const there = this._facts.children.item(index);
      const item = there ?? element('span', 'jp-TirProgress-fact');
      if (there === null) {
        this._facts.append(item);
      }
      setText(item, words);
      item.toggleAttribute('hidden', words === '');
    });
  }

  private _doing(counts: ReadonlyMap<string, number>): string {
    return DOINGS.flatMap(doing => {
      const count = counts.get(doing) ?? 0;
      const words = doingWords(doing, this._trans).toLocaleLowerCase();
      return count > 0 ? [`${whole(count)} ${words}`] : [];
    }).join(', ');
  }

  private _runningWords(count: number, goesOn: boolean): string {
    return goesOn
      ? this._trans.__('%1 running', whole(count))
      : this._trans.__('%1 without an end', whole(count));
  }

  private _rateWords(
    { tokens }: ISnapshot,
    nowS: number,
    goesOn: boolean
  ): string {
    const rate = goesOn ? this._lately(tokens, nowS) : tokens / nowS;
    return Number.isFinite(rate) && rate > 0
      ? this._trans.__('%1 tokens/s', whole(rate))
      : '';
  }

  private _lately(tokens: number, nowS: number): number {
    const last = this._past.at(-1);
    if (last === undefined || nowS - last[0] >= 0.5) {
      this._past.push([nowS, tokens]);
    }
    while (this._past.length > 2 && nowS - this._past[1][0] > RATE_S) {
      this._past.shift();
    }
    const [thenS, then] = this._past[0];
    // Until there is a past to look back on, the mean since the beginning.
    return nowS - thenS < 1 ? tokens / nowS : (tokens - then) / (nowS - thenS);
  }

  private readonly _bar = element('div', 'jp-TirProgress-bar');
  private readonly _facts = element('div', 'jp-TirProgress-facts');
  private readonly _finished = element('span', 'jp-mod-finished');
  private readonly _lost = element('span', 'jp-mod-lost');
  private readonly _past: [number, number][] = [];
  private readonly _running = element('span', 'jp-mod-running');
  private readonly _trans: TranslationBundle;
}

function counted(samples: readonly IViewSample[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { doing } of samples) {
    counts.set(doing, (counts.get(doing) ?? 0) + 1);
  }
  return counts;
}

function setWidth(node: HTMLElement, count: number, planned: number): void {
  const width = `${Math.round((count / Math.max(1, planned)) * 1e4) / 100}%`;
  if (node.style.width !== width) {
    node.style.width = width;
  }
}
