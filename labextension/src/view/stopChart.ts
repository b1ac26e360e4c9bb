/**
 * The early-stop chart: the leader's part of the finished samples as they finished, the part that
 * ends the run, where it ended, and what was not run.
 *
 * A drawing with a text alternative; the same is said in the sentences below it.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { drawing, element, setAttributes, setText } from '../elements';
import type { IStopping } from './chartPicture';
import { HEIGHT, Picture, shareOf } from './chartPicture';
import { percent, whole } from './numbers';
import { rulesInWords, shareThreshold } from './stopRules';
import type { ISnapshot, IViewSaved } from './wire';

export type { IStopping } from './chartPicture';

const USUAL_WIDTH = 640;
const LEAST_WIDTH = 260;

/** The stopping of a run. */
export function stoppingOf(
  snapshot: ISnapshot,
  trans: TranslationBundle
): IStopping {
  return {
    points: snapshot.points,
    planned: snapshot.planned,
    tau: shareThreshold(snapshot.head),
    rules: rulesInWords(snapshot.head, snapshot.end !== null, trans),
    stop: snapshot.end?.stop ?? null,
    saved: snapshot.end?.saved ?? null
  };
}

/** The chart with its sentences. */
export class StopChart {
  constructor(trans: TranslationBundle) {
    this._trans = trans;
    this._svg.setAttribute('role', 'img');
    this.node = element('figure', 'jp-TirChart', [
      element(
        'div',
        'jp-TirChart-title',
        trans.__('The leader’s share of the finished samples')
      ),
      this._svg,
      this._words
    ]);
    if (typeof ResizeObserver !== 'undefined') {
      this._observer = new ResizeObserver(() => this._fit());
      this._observer.observe(this.node);
    }
  }

  readonly node: HTMLElement;

  /** Draws another state. */
  update(stopping: IStopping): void {
    const before = this._stopping;
    const same =
      before !== undefined &&
      (Object.keys(stopping) as (keyof IStopping)[]).every(
        name => stopping[name] === before[name]
      );
    if (!same) {
      this._stopping = stopping;
      this._draw();
    }
  }

  dispose(): void {
    this._observer?.disconnect();
  }

  private _fit(): void {
    const width = Math.round(this.node.clientWidth);
    if (width > 0 && width !== this._width) {
      this._width = width;
      this._draw();
    }
  }

  private _draw(): void {
    if (this._stopping === undefined) {
      return;
    }
    const width = Math.max(LEAST_WIDTH, this._width);
    setAttributes(this._svg, {
      width,
      height: HEIGHT,
      viewBox: `0 0 ${width} ${HEIGHT}`,
      'aria-label': this._alternative(this._stopping)
    });
    this._svg.replaceChildren(
      ...new Picture(this._stopping, width, this._trans).parts()
    );
    const said = this._sentences(this._stopping);
    while (this._words.children.length > said.length) {
      this._words.lastElementChild?.remove();
    }
    said.forEach((sentence, index) => {
      const there = this._words.children.item(index);
      if (there === null) {
        this._words.append(element('p', '', sentence));
      } else {
        setText(there, sentence);
      }
    });
  }

  private _alternative({ points, tau, stop }: IStopping): string {
    const trans = this._trans;
    const last = points.at(-1);
    return [
      trans.__('Line chart of the leader’s share of the finished samples.'),
      last === undefined
        ? trans.__('No sample has finished yet.')
        : trans.__(
            'After %1 finished samples the leader %2 has %3 of them.',
            whole(last.finished),
            last.leader === '' ? '–' : last.leader,
            percent(shareOf(last))
          ),
      tau === null ? '' : trans.__('Threshold: %1.', percent(tau)),
      stop === null
        ? ''
        : trans.__('The run stopped after %1.', whole(stop.after))
    ]
      .filter(words => words !== '')
      .join(' ');
  }

  private _sentences(stopping: IStopping): string[] {
    const { points, rules, stop, saved, planned } = stopping;
    const trans = this._trans;
    const said: string[] = [];
    if (stop !== null) {
      said.push(
        trans.__(
          'Stopped after %1 of %2 samples by the rule %3.',
          whole(stop.after),
          whole(planned),
          stop.rule
        ) + ` ${stop.words}`
      );
    } else if (saved === null) {
      said.push(rules);
    } else {
      // Where nothing finished, no rule had anything to say.
      const would = points.length > 0 ? ` ${rules}` : '';
      said.push(trans.__('No stop rule fired.') + would);
    }
    if (saved !== null) {
      said.push(...savedInWords(saved, stop !== null, trans));
    }
    return said;
  }

  private readonly _observer: ResizeObserver | undefined;
  private _stopping: IStopping | undefined;
  private readonly _svg = drawing('svg', { class: 'jp-TirChart-drawing' });
  private readonly _trans: TranslationBundle;
  private _width = USUAL_WIDTH;
  private readonly _words = element('figcaption', 'jp-TirChart-words');
}

/** What was not run, in sentences. */
export function savedInWords(
  saved: IViewSaved,
  early: boolean,
  trans: TranslationBundle
): string[] {
  const said: string[] = [];
  const about = saved.savedTokensEstimated ?? 0;
  if (saved.notStarted > 0) {
    const words = early
      ? trans._n(
          'Saved: one sample never started',
          'Saved: %2 samples never started',
          saved.notStarted,
          whole(saved.notStarted)
        )
      : trans._n(
          'Not run: one sample',
          'Not run: %2 samples',
          saved.notStarted,
          whole(saved.notStarted)
        );
    said.push(
      about > 0
        ? trans.__('%1, about %2 tokens.', words, whole(about))
        : `${words}.`
    );
  }
  if (saved.cancelled > 0) {
    said.push(
      trans._n(
        'Wasted: %2 tokens of one sample in flight.',
        'Wasted: %2 tokens of %3 samples in flight.',
        saved.cancelled,
        whole(saved.wastedTokens),
        whole(saved.cancelled)
      )
    );
  }
  return said;
}
