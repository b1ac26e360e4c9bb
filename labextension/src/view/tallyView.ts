/**
 * The votes: a bar for each candidate, what code verified told apart from what text alone says.
 *
 * Bars are for the eye; every number that they show stands beside them.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { button, element, setText } from '../elements';
import { Maths } from './maths';
import { percent, whole } from './numbers';
import type { ISnapshot, IViewCandidate, IViewTally } from './wire';
import { shareThreshold } from './stopRules';
import { COLUMN_CLASSES, TallyRow } from './tallyRow';
import { statusWords } from './words';

/** Candidates that are listed before someone asks for more. */
export const LISTED = 10;

/** What is drawn: votes, the share that ends the run where one does, and whether that is settled. */
export interface IVotes {
  readonly tally: IViewTally;
  readonly tau: number | null;
  readonly over: boolean;
}

/** The votes of a run. */
export function votesOf(snapshot: ISnapshot): IVotes {
  return {
    tally: snapshot.tally,
    tau: shareThreshold(snapshot.head),
    over: snapshot.end !== null
  };
}

/** The table of votes. */
export class TallyView {
  constructor(
    trans: TranslationBundle,
    private readonly _maths = new Maths()
  ) {
    this._trans = trans;
    this._more = button('jp-TirRun-action', '', () => {
      this._all = !this._all;
      this._redraw();
    });
    const head = [
      trans.__('Answer'),
      '',
      trans.__('Samples'),
      trans.__('Code-verified'),
      trans.__('Weight'),
      trans.__('Share of the weight'),
      trans.__('Entropy')
    ].map((title, index) => {
      const cell = title === '' ? element('td', '') : element('th', '', title);
      cell.className = COLUMN_CLASSES[index];
      if (cell.tagName === 'TH') {
        cell.setAttribute('scope', 'col');
      }
      return cell;
    });
    const table = element('table', 'jp-TirTally-table', [
      this._caption,
      element('thead', '', [element('tr', '', head)]),
      this._body
    ]);
    this.node = element('div', 'jp-TirTally', [
      this._none,
      element('div', 'jp-TirTally-scroller', [table]),
      this._legend(),
      this._more,
      this._leftOut,
      this._remarks
    ]);
  }

  readonly node: HTMLElement;

  /** Shows other votes. */
  update(votes: IVotes): void {
    const before = this._votes;
    if (
      before?.tally === votes.tally &&
      before.tau === votes.tau &&
      before.over === votes.over
    ) {
      return;
    }
    this._votes = votes;
    this._redraw();
  }

  private _redraw(): void {
    if (this._votes === undefined) {
      return;
    }
    const { tally, tau, over } = this._votes;
    const trans = this._trans;
    const empty =
      tally.candidates.length === 0 && tally.withoutBallot.length === 0;
    this._none.hidden = !empty;
    setText(this._none, empty ? trans.__('No sample has finished yet.') : '');
    this._body.parentElement?.toggleAttribute('hidden', empty);
    setText(
      this._caption,
      trans.__(
        '%1 of %2 samples finished, %3 with an answer',
        whole(tally.finished),
        whole(tally.planned),
        whole(tally.answered)
      )
    );
    this._updateRows(tally, tau, over);
    this._threshold.hidden = tau === null;
    setText(
      this._thresholdWords,
      tau === null ? '' : trans.__('stops above %1 (τ)', percent(tau))
    );
    this._legendNode.hidden = tally.candidates.length === 0;
    this._sayMore(tally);
    this._remarks.replaceChildren(
      ...tally.remarks.map(said => element('li', '', said))
    );
    this._remarks.hidden = tally.remarks.length === 0;
  }

  private _updateRows(
    tally: IViewTally,
    tau: number | null,
    over: boolean
  ): void {
    const counts = [
      ...tally.candidates.map(each => each.count),
      ...tally.withoutBallot.map(each => each.samples.length)
    ];
    const scale = Math.max(1, tally.finished, ...counts);
    const listed = this._all
      ? tally.candidates
      : tally.candidates.slice(0, LISTED);
    const rows = new Map<string, TallyRow>();
    listed.forEach((candidate, index) => {
      const row = this._row(`candidate ${candidate.key}`);
      rows.set(`candidate ${candidate.key}`, row);
      const leads = index === 0 || (tally.tied && tiesWith(tally, candidate));
      row.showCandidate(
        candidate,
        scale,
        leads ? this._mark(tally.tied, over) : ''
      );
      // The threshold is a part of what has finished, as the bars are.
      row.showThreshold(
        index === 0 && tau !== null && scale === tally.finished ? tau : null
      );
    });
    for (const each of tally.withoutBallot) {
      const row = this._row(`status ${each.status}`);
      rows.set(`status ${each.status}`, row);
      row.showWithoutBallot(
        statusWords(each.status, this._trans),
        each.samples.length,
        scale
      );
    }
    for (const [key, row] of this._rows) {
      if (!rows.has(key)) {
        row.node.remove();
      }
    }
    this._rows = rows;
    inOrder(
      this._body,
      [...rows.values()].map(row => row.node)
    );
  }

  private _row(key: string): TallyRow {
    return this._rows.get(key) ?? new TallyRow(this._trans, this._maths);
  }

  private _mark(tied: boolean, over: boolean): string {
    if (tied) {
      return this._trans.__('tied');
    }
    return over ? this._trans.__('winner') : this._trans.__('leader');
  }

  private _sayMore(tally: IViewTally): void {
    const more = tally.candidates.length - LISTED;
    this._more.hidden = more <= 0;
    const trans = this._trans;
    if (this._all && more > 0) {
      setText(this._more, trans.__('Show the first %1 only', whole(LISTED)));
    } else if (more > 0) {
      setText(
        this._more,
        trans._n('Show one more answer', 'Show %1 more answers', more)
      );
    }
    this._leftOut.hidden = tally.leftOut === 0 || (more > 0 && !this._all);
    setText(
      this._leftOut,
      trans._n(
        'One more answer is not shown.',
        '%1 more answers are not shown.',
        tally.leftOut
      )
    );
  }

  private _legend(): HTMLElement {
    const trans = this._trans;
    this._legendNode.append(
      element('span', 'jp-TirTally-key', [
        element('span', 'jp-TirTally-swatch jp-mod-verified'),
        element('span', '', trans.__('code-verified'))
      ]),
      element('span', 'jp-TirTally-key', [
        element('span', 'jp-TirTally-swatch jp-mod-text'),
        element('span', '', trans.__('text only'))
      ]),
      this._threshold
    );
    return this._legendNode;
  }

  private _all = false;
  private readonly _body = element('tbody', '');
  private readonly _caption = element('caption', '');
  private readonly _leftOut = element('p', 'jp-TirRun-note');
  private readonly _legendNode = element('p', 'jp-TirTally-legend');
  private readonly _more: HTMLButtonElement;
  private readonly _none = element('p', 'jp-TirRun-note');
  private readonly _remarks = element('ul', 'jp-TirRun-remarks');
  private _rows = new Map<string, TallyRow>();
  private readonly _thresholdWords = element('span', '');
  private readonly _threshold = element('span', 'jp-TirTally-key', [
    element('span', 'jp-TirTally-swatch jp-mod-threshold'),
    this._thresholdWords
  ]);
  private readonly _trans: TranslationBundle;
  private _votes: IVotes | undefined;
}

function tiesWith(tally: IViewTally, candidate: IViewCandidate): boolean {
  const [first] = tally.candidates;
  return (
    candidate.weight === first.weight &&
    candidate.count === first.count &&
    candidate.codeVerified === first.codeVerified
  );
}

/** Puts children in order and moves none that stands right already. */
function inOrder(parent: Element, children: readonly Element[]): void {
  children.forEach((child, index) => {
    const there = parent.children[index] as Element | undefined;
    if (there !== child) {
      parent.insertBefore(child, there ?? null);
    }
  });
}
