/**
 * The samples as a table; each row opens its transcript.
 *
 * A table in the sense of ARIA: of HTML's own tables a page lays out every row again whenever one
 * changes.
 */
import { button, element, setAttributes, setText } from '../elements';
import { rove } from './focus';
import type { IViewHost } from './host';
import type { Maths } from './maths';
import { fixed, whole } from './numbers';
import { TranscriptView } from './transcriptView';
import type { ISnapshot, IViewSample, IViewTranscript } from './wire';
import { doingWords, statusWords, verificationWords } from './words';

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
      row?.update(sample, nowS, goesOn);
      if (row?.isOpen) {
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
}

/** A row; below it, once it was opened, another with the transcript. */
class SampleRow {
  constructor(
    sample: IViewSample,
    prefix: string,
    host: IViewHost,
    private readonly _maths: Maths,
    opened: () => void
  ) {
    this._host = host;
    this._detailId = `${prefix}-${sample.sample}`;
    this.sample = sample.sample;
    this._button = button(
      'jp-TirSamples-open',
      String(sample.sample + 1),
      () => {
        this._toggle();
        opened();
      }
    );
    setAttributes(this._button, {
      tabindex: -1,
      'aria-expanded': 'false',
      'aria-label': host.trans.__(
        'Transcript of sample %1',
        String(sample.sample + 1)
      )
    });
    const cell = this._cells;
    this.node = element('div', 'jp-TirSamples-row', [
      withRole('rowheader', element('span', '', [this._button])),
      cell.status,
      cell.answer,
      cell.verified,
      cell.entropy,
      cell.tokens,
      cell.seconds,
      cell.turns
    ]);
    withRole('row', this.node);
  }

  readonly node: HTMLElement;
  readonly sample: number;

  /** Has the Tab key come to it, before any row was chosen. */
  beReached(): void {
    setAttributes(this._button, { tabindex: 0 });
  }

  get isOpen(): boolean {
    return this._detail !== undefined && !this._detail.hidden;
  }

  update(sample: IViewSample, nowS: number, goesOn: boolean): void {
    const ended = sample.status !== null;
    if (sample === this._shown && ended) {
      return;
    }
    const cell = this._cells;
    if (!ended) {
      const seconds = Math.max(0, nowS - sample.startedS);
      setText(cell.seconds, whole(Math.floor(seconds)));
      this._showDoing(sample, goesOn);
    }
    if (sample === this._shown) {
      return;
    }
    this._shown = sample;
    const { trans } = this._host;
    if (sample.status !== null) {
      this.node.dataset.state = sample.status;
      setText(cell.status, statusWords(sample.status, trans));
    }
    this._maths.showAnswer(cell.answer, sample.answer, '–');
    const judged =
      sample.answer !== null &&
      (sample.status === 'answered' || sample.verification !== 'none');
    setText(
      cell.verified,
      judged ? verificationWords(sample.verification, trans) : '–'
    );
    cell.verified.dataset.level = sample.verification;
    setText(
      cell.entropy,
      sample.entropy === null ? '–' : fixed(sample.entropy, 2)
    );
    setText(cell.tokens, whole(sample.tokens));
    if (sample.seconds !== null) {
      setText(cell.seconds, fixed(sample.seconds, 1));
    }
    setText(cell.turns, whole(sample.turns));
    this._sayWhy();
  }

  private _showDoing({ doing }: IViewSample, goesOn: boolean): void {
    const { trans } = this._host;
    this.node.dataset.state = goesOn ? 'running' : 'lost';
    setText(
      this._cells.status,
      goesOn ? `${doingWords(doing, trans)}…` : trans.__('Without an end')
    );
  }

  /** Brings the open transcript up to date. */
  showTranscript(
    transcript: IViewTranscript | undefined,
    writes: boolean,
    running: boolean
  ): TranscriptView {
    const view = (this._view ??= new TranscriptView(
      this.sample,
      this._host,
      this._maths
    ));
    const { trans } = this._host;
    if (transcript !== undefined) {
      this._missing.hidden = true;
      view.node.hidden = transcript.segments.length === 0;
      view.update(transcript, writes);
      if (transcript.segments.length === 0) {
        this._missing.hidden = false;
        setText(
          this._missing,
          running
            ? trans.__('It has written nothing yet.')
            : trans.__('It wrote nothing.')
        );
      }
    } else {
      view.node.hidden = true;
      this._missing.hidden = false;
      setText(
        this._missing,
        running
          ? trans.__('Its transcript is on the way…')
          : trans.__(
              'This transcript is not kept here: %tir show in a cell, or tir show in a terminal, shows the whole record.'
            )
      );
    }
    if (view.node.parentElement === null) {
      this._inside.append(view.node);
    }
    return view;
  }

  private _toggle(): void {
    if (this._detail === undefined) {
      const cell = withRole('cell', this._inside);
      cell.setAttribute('aria-colspan', String(this.node.children.length));
      this._detail = element('div', 'jp-TirSamples-detail', [cell]);
      withRole('row', this._detail);
      this._detail.id = this._detailId;
      this._detail.hidden = true;
      setAttributes(this._button, { 'aria-controls': this._detailId });
      this.node.after(this._detail);
    }
    this._detail.hidden = !this._detail.hidden;
    this._button.setAttribute('aria-expanded', String(!this._detail.hidden));
    this._sayWhy();
  }

  private _sayWhy(): void {
    const { trans } = this._host;
    const sample = this._shown;
    if (this._detail === undefined || sample === undefined) {
      return;
    }
    const said = [
      sample.reason,
      sample.verificationReason === ''
        ? ''
        : trans.__('Not code-verified: %1.', sample.verificationReason)
    ].filter(words => words !== '');
    this._why.hidden = said.length === 0;
    setText(this._why, said.join(' '));
  }

  private readonly _button: HTMLButtonElement;
  private readonly _cells = {
    status: cellOf('jp-TirSamples-status'),
    answer: cellOf('jp-TirSamples-answer'),
    verified: cellOf('jp-TirSamples-verified'),
    entropy: cellOf('jp-TirSamples-number'),
    tokens: cellOf('jp-TirSamples-number'),
    seconds: cellOf('jp-TirSamples-number'),
    turns: cellOf('jp-TirSamples-number')
  };
  private _detail: HTMLElement | undefined;
  private readonly _detailId: string;
  private readonly _host: IViewHost;
  private readonly _why = element('p', 'jp-TirRun-note');
  private readonly _missing = element('p', 'jp-TirRun-note');
  private readonly _inside = element('div', 'jp-TirSamples-inside', [
    this._why,
    this._missing
  ]);
  private _shown: IViewSample | undefined;
  private _view: TranscriptView | undefined;
}

function withRole<T extends Element>(role: string, node: T): T {
  node.setAttribute('role', role);
  return node;
}

function cellOf(className: string): HTMLElement {
  return withRole('cell', element('span', className));
}
