/**
 * A sample's row in the table of samples, and its transcript below.
 */
import { button, element, setAttributes, setText } from '../elements';
import type { IViewHost } from './host';
import type { Maths } from './maths';
import { fixed, whole } from './numbers';
import type { Sight } from './sight';
import { TranscriptView } from './transcriptView';
import type { IViewSample, IViewTranscript } from './wire';
import { doingWords, statusWords, verificationWords } from './words';

/** Seconds after which a row out of sight is brought up to date. */
const UNSEEN_S = 1;
/** Rows out of sight take turns within this many parts of a second. */
const TURNS_A_SECOND = 15;

/** A row; below it, once it was opened, another with the transcript. */
export class SampleRow {
  constructor(
    sample: IViewSample,
    prefix: string,
    host: IViewHost,
    private readonly _maths: Maths,
    private readonly _sight: Sight,
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
    if (sample.status === null) {
      this._sight.watch(this.node);
    }
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

  /** Whether a reader would miss an update: what is out of sight follows each second. */
  isDue(sample: IViewSample, nowS: number, goesOn: boolean): boolean {
    return (
      sample.status !== null ||
      !goesOn ||
      nowS >= this._dueS ||
      this._sight.sees(this.node) ||
      (this._detail !== undefined && this._sight.sees(this._detail))
    );
  }

  update(sample: IViewSample, nowS: number, goesOn: boolean): void {
    const turn = this._shown === undefined ? this.sample % TURNS_A_SECOND : 0;
    this._dueS = nowS + UNSEEN_S + turn / TURNS_A_SECOND;
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
      this._sight.forget(this.node);
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
      this._sight.watch(this._detail);
    }
    this._detail.hidden = !this._detail.hidden;
    this._dueS = 0;
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
  /** The run's second at which the row is to be brought up to date, seen or not. */
  private _dueS = 0;
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

/** Gives an element a role. */
export function withRole<T extends Element>(role: string, node: T): T {
  node.setAttribute('role', role);
  return node;
}

function cellOf(className: string): HTMLElement {
  return withRole('cell', element('span', className));
}
