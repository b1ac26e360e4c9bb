/**
 * The trace of a run, a row an event; thousands of rows, of which only those in sight are made.
 *
 * A grid in the sense of ARIA: the arrow keys, Page Up, Page Down, Home and End choose a row, and
 * what a row has no room for stands below.
 */
import { element, setAttributes, setText } from '../elements';
import { keepKeys } from '../ownKeys';
import type { IViewHost } from './host';
import { fixed, milliseconds, whole } from './numbers';
import type { ISnapshot, IViewStep } from './wire';

/** As in the style sheet. */
const ROW_PX = 24;
const ROWS_AROUND = 12;
const ROWS_IN_SIGHT = 15;

let grids = 0;

/** The trace with the details of the row that is chosen. */
export class TraceView {
  constructor(host: IViewHost, again: () => void) {
    this._host = host;
    this._prefix = `jp-tir-trace-${++grids}`;
    const { trans } = host;
    const titles = [
      trans.__('Time'),
      trans.__('Event'),
      trans.__('Work by'),
      trans.__('Decided by'),
      trans.__('Title'),
      trans.__('Tokens'),
      trans.__('Took')
    ];
    const head = element(
      'div',
      'jp-TirTrace-row jp-TirTrace-head',
      titles.map(title => {
        const cell = element('span', '', title);
        cell.setAttribute('role', 'columnheader');
        return cell;
      })
    );
    setAttributes(head, { role: 'row', 'aria-rowindex': 1 });
    setAttributes(this._rows, { role: 'rowgroup' });
    setAttributes(this._grid, {
      role: 'grid',
      'aria-label': trans.__('Trace'),
      'aria-readonly': 'true',
      tabindex: 0
    });
    this._grid.append(head, this._rows);
    this._grid.addEventListener('scroll', again, { passive: true });
    this._grid.addEventListener('keydown', event => this._onKey(event));
    this._rows.addEventListener('click', event => this._onClick(event));
    this._detail.hidden = true;
    this.node = element('div', 'jp-TirTrace', [
      this._grid,
      this._detail,
      this._leftOut
    ]);
  }

  readonly node: HTMLElement;

  /** Shows the events so far. */
  update(snapshot: ISnapshot): void {
    this._steps = snapshot.steps;
    setAttributes(this._grid, { 'aria-rowcount': this._steps.length + 1 });
    const height = `${this._steps.length * ROW_PX}px`;
    if (this._rows.style.height !== height) {
      this._rows.style.height = height;
    }
    this._drawRows();
    const more = snapshot.stepsLeftOut;
    this._leftOut.hidden = more === 0;
    setText(
      this._leftOut,
      this._host.trans._n(
        'One more event is in the record, not here.',
        '%2 more events are in the record, not here.',
        more,
        whole(more)
      )
    );
  }

  private _drawRows(): void {
    const inSight =
      Math.ceil(this._grid.clientHeight / ROW_PX) || ROWS_IN_SIGHT;
    const top = Math.floor(this._grid.scrollTop / ROW_PX);
    const from = Math.max(0, top - ROWS_AROUND);
    const to = Math.min(this._steps.length, top + inSight + ROWS_AROUND);
    for (const [index, row] of this._drawn) {
      // The chosen row stays: the grid names it as the active one.
      if ((index < from || index >= to) && index !== this._chosen) {
        row.remove();
        this._drawn.delete(index);
      }
    }
    for (let index = from; index < to; index++) {
      if (!this._drawn.has(index)) {
        this._drawn.set(index, this._row(index));
      }
    }
    // In order of the run for those who read the page, however one scrolled.
    let before: Element | null = null;
    for (let index = to - 1; index >= from; index--) {
      const row: HTMLElement | undefined = this._drawn.get(index);
      if (row !== undefined) {
        if (row.nextElementSibling !== before || row.parentElement === null) {
          this._rows.insertBefore(row, before);
        }
        before = row;
      }
    }
  }

  private _row(index: number): HTMLElement {
    const step = this._steps[index];
    const made = element(
      'div',
      'jp-TirTrace-row',
      [
        fixed(step.atS, 2),
        step.type,
        this._by(step.kind),
        this._by(step.decidedBy),
        step.detail === '' ? step.title : `${step.title} – ${step.detail}`,
        step.tokensOut === null ? '' : whole(step.tokensOut),
        step.ms === null ? '' : milliseconds(step.ms)
      ].map(words => {
        const cell = element('span', '', words.slice(0, 400));
        cell.setAttribute('role', 'gridcell');
        return cell;
      })
    );
    made.style.transform = `translateY(${index * ROW_PX}px)`;
    made.dataset.kind = step.kind;
    setAttributes(made, {
      id: `${this._prefix}-${index}`,
      role: 'row',
      'aria-rowindex': index + 2,
      'aria-selected': String(index === this._chosen)
    });
    return made;
  }

  private _by(kind: IViewStep['kind']): string {
    const { trans } = this._host;
    return kind === 'model' ? trans.__('model') : trans.__('code');
  }

  private _choose(index: number): void {
    const to = Math.min(Math.max(index, 0), this._steps.length - 1);
    if (to < 0) {
      return;
    }
    this._drawn.get(this._chosen)?.setAttribute('aria-selected', 'false');
    this._chosen = to;
    // The head stays on top and covers a row.
    const top = to * ROW_PX;
    const room = this._grid.clientHeight - ROW_PX;
    if (top < this._grid.scrollTop) {
      this._grid.scrollTop = top;
    } else if (top + ROW_PX > this._grid.scrollTop + room && room > 0) {
      this._grid.scrollTop = top + ROW_PX - room;
    }
    this._drawRows();
    this._drawn.get(to)?.setAttribute('aria-selected', 'true');
    this._grid.setAttribute('aria-activedescendant', `${this._prefix}-${to}`);
    const step = this._steps[to];
    this._detail.hidden = false;
    this._detail.replaceChildren(
      element('strong', '', step.title),
      element('span', '', step.detail === '' ? '' : ` ${step.detail}`)
    );
  }

  private _onKey(event: KeyboardEvent): void {
    const page = Math.max(
      1,
      (Math.floor(this._grid.clientHeight / ROW_PX) || ROWS_IN_SIGHT) - 2
    );
    const to = {
      ArrowDown: this._chosen + 1,
      ArrowUp: this._chosen - 1,
      PageDown: this._chosen + page,
      PageUp: this._chosen - page,
      Home: 0,
      End: this._steps.length - 1
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      this._choose(to);
    }
  }

  private _onClick(event: Event): void {
    const row = (event.target as Element).closest('.jp-TirTrace-row');
    const index = [...this._drawn].find(([, each]) => each === row)?.[0];
    if (index !== undefined) {
      this._choose(index);
    }
  }

  private _chosen = -1;
  private readonly _detail = element('p', 'jp-TirTrace-detail');
  private readonly _drawn = new Map<number, HTMLElement>();
  private readonly _grid = keepKeys(element('div', 'jp-TirTrace-grid'));
  private readonly _host: IViewHost;
  private readonly _leftOut = element('p', 'jp-TirRun-note');
  private readonly _prefix: string;
  private readonly _rows = element('div', 'jp-TirTrace-rows');
  private _steps: readonly IViewStep[] = [];
}
