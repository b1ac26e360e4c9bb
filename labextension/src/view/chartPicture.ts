/**
 * The drawing of the early-stop chart: axes, what was not run, the threshold, the line and the stop.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { drawing } from '../elements';
import { percent, whole } from './numbers';
import type { IViewPoint, IViewSaved, IViewStop } from './wire';

/** Of the whole drawing, in pixels. */
export const HEIGHT = 170;

const MARGIN = { left: 40, right: 12, top: 18, bottom: 34 };

/** About as wide as a character of a label. */
const CHAR_PX = 7;
/** What a line of labels takes. */
const LABEL_PX = 12;
const MOST_TICKS = 8;

/** What is drawn. */
export interface IStopping {
  readonly points: readonly IViewPoint[];
  readonly planned: number;
  /** The part of the finished samples that the leader must pass; null where none is asked for. */
  readonly tau: number | null;
  /** The rules in words. */
  readonly rules: string;
  readonly stop: IViewStop | null;
  /** What was not run, once the run is over; null until then. */
  readonly saved: IViewSaved | null;
}

/** The leader's part of the finished samples. */
export function shareOf({ count, finished }: IViewPoint): number {
  return finished > 0 ? count / finished : 0;
}

/** The drawing for one state and width. */
export class Picture {
  constructor(
    private readonly _stopping: IStopping,
    private readonly _width: number,
    private readonly _trans: TranslationBundle
  ) {}

  parts(): Node[] {
    return [
      ...this._regions(),
      ...this._axes(),
      ...this._threshold(),
      ...this._line(),
      ...this._stop()
    ];
  }

  private _x(finished: number): number {
    const room = this._width - MARGIN.left - MARGIN.right;
    const most = Math.max(1, this._stopping.planned);
    return round(MARGIN.left + (room * Math.min(finished, most)) / most);
  }

  private _y(share: number): number {
    const room = HEIGHT - MARGIN.top - MARGIN.bottom;
    return round(MARGIN.top + room * (1 - Math.min(Math.max(share, 0), 1)));
  }

  /** What was cancelled and what was never started, at the end of the plan. */
  private _regions(): Node[] {
    const { saved, planned, stop } = this._stopping;
    if (saved === null) {
      return [];
    }
    const trans = this._trans;
    const started = planned - saved.notStarted;
    const early = stop !== null;
    return [
      ...this._region(
        started - saved.cancelled,
        started,
        'jp-mod-wasted',
        early
          ? trans.__('%1 wasted', whole(saved.cancelled))
          : trans.__('%1 cut off', whole(saved.cancelled)),
        0
      ),
      ...this._region(
        started,
        planned,
        'jp-mod-saved',
        early
          ? trans.__('%1 saved', whole(saved.notStarted))
          : trans.__('%1 not run', whole(saved.notStarted)),
        1
      )
    ];
  }

  private _region(
    from: number,
    to: number,
    className: string,
    words: string,
    line: number
  ): Node[] {
    if (to <= from) {
      return [];
    }
    const left = this._x(from);
    const right = this._x(to);
    const room = CHAR_PX * words.length;
    const fits = right - left > room;
    // What does not fit begins where its region does, right of the stop, as long as the page goes.
    const begins = !fits && left + room < this._width;
    return [
      drawing('rect', {
        class: `jp-TirChart-region ${className}`,
        x: left,
        y: this._y(1),
        width: right - left,
        height: this._y(0) - this._y(1)
      }),
      drawing(
        'text',
        {
          class: 'jp-TirChart-label jp-mod-strong',
          x: fits ? (left + right) / 2 : begins ? left + 3 : right,
          y: this._y(0) - 6 - (fits ? 0 : 14 * (1 - line)),
          'text-anchor': fits ? 'middle' : begins ? 'start' : 'end'
        },
        words
      )
    ];
  }

  private _axes(): Node[] {
    const parts: Node[] = [];
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      parts.push(
        drawing('line', {
          class: share === 0 ? 'jp-TirChart-axis' : 'jp-TirChart-grid',
          x1: MARGIN.left,
          x2: this._width - MARGIN.right,
          y1: this._y(share),
          y2: this._y(share)
        })
      );
      if (share * 4 !== 1 && share * 4 !== 3) {
        parts.push(
          this._label(
            MARGIN.left - 6,
            this._y(share) + 4,
            percent(share),
            'end'
          )
        );
      }
    }
    const { planned } = this._stopping;
    const room = CHAR_PX * (whole(planned).length + 2);
    const most = Math.floor((this._width - MARGIN.left - MARGIN.right) / room);
    for (const at of ticks(planned, Math.min(MOST_TICKS, most))) {
      const anchor = at === planned ? 'end' : 'middle';
      const x = at === planned ? this._width - MARGIN.right : this._x(at);
      parts.push(this._label(x, this._y(0) + 14, whole(at), anchor));
    }
    const middle = (MARGIN.left + this._width - MARGIN.right) / 2;
    parts.push(
      this._label(
        middle,
        HEIGHT - 4,
        this._trans.__('finished samples, of those planned'),
        'middle'
      )
    );
    return parts;
  }

  private _threshold(): Node[] {
    const { tau } = this._stopping;
    if (tau === null) {
      return [];
    }
    return [
      drawing('line', {
        class: 'jp-TirChart-threshold',
        x1: MARGIN.left,
        x2: this._width - MARGIN.right,
        y1: this._y(tau),
        y2: this._y(tau)
      }),
      this._label(
        this._width - MARGIN.right,
        this._thresholdLabel(tau),
        this._trans.__('τ = %1', percent(tau)),
        'end'
      )
    ];
  }

  private _line(): Node[] {
    const { points } = this._stopping;
    const last = points.at(-1);
    if (last === undefined) {
      return [];
    }
    let path = '';
    const marks: Node[] = [];
    let leader = '';
    for (const point of points) {
      const x = this._x(point.finished);
      const y = this._y(shareOf(point));
      path += path === '' ? `M${x} ${y}` : `H${x}V${y}`;
      if (point.leader !== leader && leader !== '') {
        marks.push(
          drawing('circle', { class: 'jp-TirChart-turn', cx: x, cy: y, r: 3 }, [
            drawing('title', {}, this._trans.__('now %1 leads', point.leader))
          ])
        );
      }
      leader = point.leader;
    }
    return [
      drawing('path', { class: 'jp-TirChart-line', d: path }),
      ...marks,
      ...this._lastShare(last),
      drawing('circle', {
        class: 'jp-TirChart-end',
        cx: this._x(last.finished),
        cy: this._y(shareOf(last)),
        r: 3.5
      })
    ];
  }

  /** The share as it is now, beside the line's end; where the run stopped, the stop says it. */
  private _lastShare(last: IViewPoint): Node[] {
    const x = this._x(last.finished);
    const y = this._y(shareOf(last));
    const words = percent(shareOf(last));
    const toRight = this._width - MARGIN.right - x;
    if (toRight > 40 && !this._isTaken(y + 4, toRight < 110)) {
      return [this._label(x + 8, y + 4, words, 'start')];
    }
    const below = y + 16;
    return [
      this._label(
        x - 8,
        this._isTaken(below, true) ? y - 8 : below,
        words,
        'end'
      )
    ];
  }

  /** Whether the axis has its labels at a height, or, near the right end, the threshold has its. */
  private _isTaken(y: number, nearRight: boolean): boolean {
    const { tau } = this._stopping;
    return (
      y > this._y(0) - 3 ||
      (nearRight &&
        tau !== null &&
        Math.abs(y - this._thresholdLabel(tau)) < LABEL_PX)
    );
  }

  private _thresholdLabel(tau: number): number {
    return this._y(tau) - 4;
  }

  private _stop(): Node[] {
    const { stop, points } = this._stopping;
    if (stop === null) {
      return [];
    }
    const x = this._x(stop.after);
    const point = points.findLast(each => each.finished <= stop.after);
    const y = this._y(point === undefined ? 0 : shareOf(point));
    const left = x > this._width / 2;
    return [
      drawing('line', {
        class: 'jp-TirChart-stop',
        x1: x,
        x2: x,
        y1: this._y(1) - 6,
        y2: this._y(0)
      }),
      drawing('path', {
        class: 'jp-TirChart-stopMark',
        d: `M${x - 5} ${y - 5}H${x + 5}V${y + 5}H${x - 5}Z`
      }),
      this._label(
        x + (left ? -6 : 6),
        this._y(1) - 6,
        this._trans.__('stopped after %1', whole(stop.after)),
        left ? 'end' : 'start'
      )
    ];
  }

  private _label(x: number, y: number, words: string, anchor: string): Node {
    return drawing(
      'text',
      { class: 'jp-TirChart-label', x, y, 'text-anchor': anchor },
      words
    );
  }
}

/** Whole numbers along an axis to `most`, both ends among them and at most so many steps. */
function ticks(most: number, steps: number): number[] {
  const step = [1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128, 256].find(
    each => most / each <= steps
  );
  const every = step ?? Math.ceil(most / steps);
  const found = [];
  for (let at = 0; at <= most - every / 2; at += every) {
    found.push(at);
  }
  return [...found, most];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
