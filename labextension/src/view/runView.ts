/**
 * The view of one run, live or over: plain elements and drawings, fed by the run's events only.
 *
 * It draws at most once a frame, changes what changed and nothing else, and brings only the tab in
 * sight up to date; so selections, focus and scroll positions stay, and sixty-four samples that
 * write at once do not hold up the page.
 */
import { element, setText } from '../elements';
import { Announcer } from './announcer';
import { readableAnswer } from './answerTex';
import { keepingFocus, keepKeysWithin, leaveByEscape } from './focus';
import { HeaderView } from './header';
import type { Connection, IExtraTab, IViewHost, ITabContent } from './host';
import { Maths } from './maths';
import { percent, whole } from './numbers';
import { ProgressView } from './progress';
import { RunModel } from './runModel';
import { SamplesView } from './samplesView';
import { Sight } from './sight';
import { StopChart, stoppingOf } from './stopChart';
import { Tabs } from './tabs';
import { TallyView, votesOf } from './tallyView';
import { TraceView } from './traceView';
import { VerdictView } from './verdict';
import { whatIfTab } from './whatIf/whatIfView';
import type { IBatch, ISnapshot } from './wire';

/** A run in `node`. */
export class RunView {
  constructor(host: IViewHost, snapshot: ISnapshot) {
    const { trans } = host;
    this._host = host;
    this._model = new RunModel(snapshot);
    this._maths = new Maths(host.typeset?.bind(host));
    this._header = new HeaderView(host, this._maths);
    this._verdict = new VerdictView(trans, this._maths);
    this._progress = new ProgressView(trans);
    this._tally = new TallyView(trans, this._maths);
    this._chart = new StopChart(trans);
    this._samples = new SamplesView(host, this._maths, {
      opened: () => this._opened(),
      again: () => this._schedule()
    });
    this._trace = new TraceView(host, () => this._schedule());
    this._tabs = new Tabs(trans.__('Parts of the run'), () => this._draw());
    this._tabs.add(trans.__('Tally'), [this._tally.node, this._chart.node]);
    this._tabs.add(trans.__('Samples'), [this._samples.node]);
    this._tabs.add(trans.__('Trace'), [this._trace.node]);
    this._extraTabs = [
      whatIfTab(trans, this._maths),
      ...(host.extraTabs ?? [])
    ];
    for (const extra of this._extraTabs) {
      this._tabs.add(extra.title);
    }
    this.node = element('div', 'jp-TirRun', [
      this._verdict.node,
      this._header.node,
      this._progress.node,
      this._notices,
      this._tabs.node,
      this._header.background,
      this._announcer.node
    ]);
    keepKeysWithin(this.node);
    leaveByEscape(this.node);
    this._received();
    this._draw();
  }

  readonly node: HTMLElement;

  /** The run so far. */
  get snapshot(): ISnapshot {
    return this._model.snapshot;
  }

  /** Samples whose transcripts the reader has open. */
  get openSamples(): readonly number[] {
    return this._samples.open;
  }

  /** Takes what changed; false where something before it is missing: ask for a snapshot then. */
  apply(batch: IBatch): boolean {
    const fits = this._model.apply(batch);
    if (fits) {
      this._received();
      // Out of sight, once a second will do while the run goes on.
      if (this._clock === undefined || this._sight.sees(this.node)) {
        this._schedule();
      }
    }
    return fits;
  }

  /** Shows another state of the same run; what is open stays open. */
  show(snapshot: ISnapshot): void {
    this._model = new RunModel(snapshot);
    this._received();
    this._schedule();
  }

  /** Says how the view hears of the run; `words` in place of the usual sentence. */
  setConnection(how: Connection, words = ''): void {
    this._connection = how;
    this._wasLive ||= how === 'live';
    if (how === 'live') {
      this._sight.watch(this.node);
    }
    this._header.setConnection(how, words);
    this._keepTime();
    if (this._heardLast !== (how === 'still')) {
      this._heardLast = how === 'still';
      this._schedule();
    }
  }

  /** Ends all that goes on; the node stays as it is. */
  dispose(): void {
    this._disposed = true;
    cancelAnimationFrame(this._frame);
    clearInterval(this._clock);
    this._clock = undefined;
    this._announcer.dispose();
    this._chart.dispose();
    this._maths.dispose();
    this._samples.dispose();
    this._sight.dispose();
    for (const content of this._contents.values()) {
      content.dispose?.();
    }
  }

  private _received(): void {
    this._receivedAt = performance.now();
    this._keepTime();
  }

  private _schedule(): void {
    if (!this._disposed && this._frame === 0) {
      this._frame = requestAnimationFrame(() => {
        this._frame = 0;
        this._draw();
      });
    }
  }

  private _draw(): void {
    keepingFocus(
      this.node,
      () => this._drawAll(),
      () => this._tabs.button
    );
  }

  private _drawAll(): void {
    const { snapshot } = this._model;
    const nowS = this._nowS();
    this._header.update(snapshot);
    this._verdict.update(snapshot, this._goesOn);
    this._progress.update(snapshot, nowS, this._goesOn);
    this._showNotices(snapshot);
    this._showTabs(snapshot);
    this._drawTab(snapshot, nowS);
    this._announce(snapshot);
  }

  private _drawTab(snapshot: ISnapshot, nowS: number): void {
    const { current } = this._tabs;
    switch (current) {
      case 0:
        this._tally.update(votesOf(snapshot));
        this._chart.update(stoppingOf(snapshot, this._host.trans));
        break;
      case 1:
        this._samples.update(snapshot, nowS, this._goesOn);
        break;
      case 2:
        this._trace.update(snapshot);
        break;
      default:
        this._drawExtra(current, snapshot);
    }
  }

  private _drawExtra(index: number, snapshot: ISnapshot): void {
    let content = this._contents.get(index);
    if (content === undefined) {
      content = this._extraTabs[index - OWN_TABS].create(snapshot);
      this._contents.set(index, content);
      this._tabs.panel(index).append(content.node);
    }
    content.update(snapshot);
  }

  private _showTabs(snapshot: ISnapshot): void {
    const { trans } = this._host;
    const count = snapshot.samples.length;
    this._tabs.setTitle(
      1,
      count === 0 ? trans.__('Samples') : trans.__('Samples (%1)', whole(count))
    );
    this._extraTabs.forEach((extra, index) => {
      const available = extra.available?.(snapshot) ?? true;
      this._tabs.setAvailable(OWN_TABS + index, available);
    });
  }

  private _showNotices({ notices }: ISnapshot): void {
    this._notices.hidden = notices.length === 0;
    while (this._notices.children.length > notices.length) {
      this._notices.lastElementChild?.remove();
    }
    const there = [...this._notices.children];
    notices.forEach((words, index) => {
      if (index < there.length) {
        setText(there[index], words);
      } else {
        this._notices.append(element('li', '', words));
      }
    });
  }

  private _announce(snapshot: ISnapshot): void {
    if (!this._wasLive) {
      // A saved run is read, not listened to.
      return;
    }
    const said = this._announcement(snapshot);
    if (said !== this._announced) {
      this._announced = said;
      this._announcer.say(said, snapshot.end !== null);
    }
  }

  private _announcement({ tally, end }: ISnapshot): string {
    const { trans } = this._host;
    if (end !== null) {
      return [
        end.verdict?.words ?? '',
        end.answer === null
          ? trans.__('The run is over without an answer.')
          : trans.__(
              'The run is over. Answer: %1',
              inShort(readableAnswer(end.answer))
            )
      ]
        .join(' ')
        .trim();
    }
    const leader = tally.candidates.at(0);
    return leader === undefined
      ? trans.__(
          '%1 of %2 samples have finished.',
          whole(tally.finished),
          whole(tally.planned)
        )
      : trans.__(
          '%1 of %2 samples have finished; %3 leads with %4 of the weight.',
          whole(tally.finished),
          whole(tally.planned),
          inShort(readableAnswer(leader.shown)),
          percent(leader.share)
        );
  }

  private _opened(): void {
    this._host.open?.(this.openSamples);
    this._draw();
  }

  /** Whether the run may go on: not where it has an end, or no kernel to come to one. */
  private get _goesOn(): boolean {
    return this._model.snapshot.end === null && !this._heardLast;
  }

  /** Seconds of the run; between two batches they go on by the page's clock. */
  private _nowS(): number {
    const { seconds } = this._model.snapshot;
    return this._clock === undefined
      ? seconds
      : seconds + (performance.now() - this._receivedAt) / 1000;
  }

  /** Draws each second while the run goes on, since what takes long sends nothing. */
  private _keepTime(): void {
    const runs =
      !this._disposed &&
      this._connection === 'live' &&
      this._model.snapshot.end === null;
    if (runs) {
      this._clock ??= setInterval(() => this._schedule(), 1000);
    } else {
      clearInterval(this._clock);
      this._clock = undefined;
    }
  }

  private _announced = '';
  private readonly _announcer = new Announcer(LONGEST_PAUSE_MS);
  private readonly _chart: StopChart;
  private _clock: ReturnType<typeof setInterval> | undefined;
  private _connection: Connection = 'still';
  private readonly _contents = new Map<number, ITabContent>();
  private _disposed = false;
  private readonly _extraTabs: readonly IExtraTab[];
  private _frame = 0;
  private readonly _header: HeaderView;
  /** Whether the page has said that nothing more will come. */
  private _heardLast = false;
  private readonly _host: IViewHost;
  private readonly _maths: Maths;
  private _model: RunModel;
  private readonly _notices = element('ul', 'jp-TirRun-notices');
  private readonly _progress: ProgressView;
  private _receivedAt = 0;
  private readonly _samples: SamplesView;
  private readonly _sight = new Sight(() => this._schedule());
  private readonly _tabs: Tabs;
  private readonly _tally: TallyView;
  private readonly _trace: TraceView;
  private readonly _verdict: VerdictView;
  private _wasLive = false;
}

const OWN_TABS = 3;

/** Between two announcements of a run that has gone on for long. */
const LONGEST_PAUSE_MS = 30_000;

const SPOKEN_CHARS = 100;

/** An answer as it can be listened to. */
function inShort(answer: string): string {
  return answer.length > SPOKEN_CHARS
    ? `${answer.slice(0, SPOKEN_CHARS)}…`
    : answer;
}
