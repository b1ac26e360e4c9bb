/**
 * The samples as a table; each row opens its transcript.
 *
 * A table in the sense of ARIA: of HTML's own tables a page lays out every row again whenever one
 * changes.
 */
import { element, setText } from '../elements';
import { rove } from './focus';
import type { IViewHost } from './host';
import type { Maths } from './maths';
import { SampleRow, withRole } from './sampleRow';
import { Sight } from './sight';
import type { TranscriptView } from './transcriptView';
import type { ISnapshot, IViewSample } from './wire';

/** Rows that are made in one frame; a thousand take a few. */
const ROWS_A_FRAME = 100;

let tables = 0;

/** What the table needs of the view that it is a part of. */
export interface ISamplesOwner {
  /** A transcript was opened or closed. */
  opened(): void;
  /** Asks to be updated once more. */
  again(): void;
}

/** The table and the transcripts that are open in it. */
export class SamplesView {
  constructor(
    host: IViewHost,
    private readonly _maths: Maths,
    owner: ISamplesOwner
  ) {
    this._host = host;
    this._owner = owner;
    this._prefix = `jp-tir-samples-${++tables}`;
    const { trans } = host;
    const titles = [
      trans.__('Sample'),
      trans.__('Status'),
      trans.__('Answer'),
      trans.__('Verified'),
      trans.__('Entropy'),
      trans.__('Tokens'),
      trans.__('Seconds'),
      trans.__('Turns')
    ];
    const head = element(
      'div',
      'jp-TirSamples-head',
      titles.map(title => withRole('columnheader', element('span', '', title)))
    );
    const table = element('div', 'jp-TirSamples-table', [
      withRole('rowgroup', element('div', '', [withRole('row', head)])),
      this._body
    ]);
    table.setAttribute('aria-label', trans.__('Samples'));
    rove(this._body, '.jp-TirSamples-open');
    this._scroller.append(withRole('table', table));
    this.node = element('div', 'jp-TirSamples', [this._none, this._scroller]);
    this._sight = new Sight(() => owner.again());
  }

  readonly node: HTMLElement;

  /** The samples whose transcripts are open. */
  get open(): readonly number[] {
    return [...this._rows.values()]
      .filter(row => row.isOpen)
      .map(row => row.sample);
  }

  /** Shows another state of the run, which may go on; `nowS` is the run's clock. */
  update(snapshot: ISnapshot, nowS: number, goesOn: boolean): void {
    const none = snapshot.samples.length === 0;
    this._none.hidden = !none;
    this._scroller.hidden = none;
    if (none) {
      const { trans } = this._host;
      setText(
        this._none,
        goesOn
          ? trans.__('No sample has begun yet.')
          : trans.__('No sample began.')
      );
    }
    this._addRows(snapshot.samples);
    const transcripts = new Map(
      snapshot.transcripts.map(each => [each.sample, each])
    );
    const views: TranscriptView[] = [];
    for (const sample of snapshot.samples) {
      const row = this._rows.get(sample.sample);
      if (!row?.isDue(sample, nowS, goesOn)) {
        continue;
      }
      row.update(sample, nowS, goesOn);
      if (row.isOpen) {
        const view = row.showTranscript(
          transcripts.get(sample.sample),
          sample.status === null && goesOn,
          goesOn
        );
        views.push(view);
      }
    }
    views.forEach(view => view.settle());
  }

  dispose(): void {
    this._sight.dispose();
  }

  private _addRows(samples: readonly IViewSample[]): void {
    let room = ROWS_A_FRAME;
    for (const sample of samples) {
      if (this._rows.has(sample.sample)) {
        continue;
      }
      if (room-- === 0) {
        this._owner.again();
        return;
      }
      const row = new SampleRow(
        sample,
        this._prefix,
        this._host,
        this._maths,
        this._sight,
        () => this._owner.opened()
      );
      const after = this._numbers.findLastIndex(each => each < sample.sample);
      this._numbers.splice(after + 1, 0, sample.sample);
      const before = this._rows.get(this._numbers[after + 2] ?? -1);
      if (this._rows.size === 0) {
        row.beReached();
      }
      this._rows.set(sample.sample, row);
      this._body.insertBefore(row.node, before?.node ?? null);
    }
  }

  private readonly _body = withRole('rowgroup', element('div', ''));
  private readonly _host: IViewHost;
  private readonly _none = element('p', 'jp-TirRun-note');
  private readonly _numbers: number[] = [];
  private readonly _owner: ISamplesOwner;
  private readonly _prefix: string;
  private readonly _rows = new Map<number, SampleRow>();
  private readonly _scroller = element('div', 'jp-TirSamples-scroller');
  private readonly _sight: Sight;
}
