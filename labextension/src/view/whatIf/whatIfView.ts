/**
 * What if the run had stopped by another rule, or counted its votes in another way?
 *
 * A finished run is voted on again on the spot, in the page, without a kernel: the record has every
 * ballot in the order in which it came in.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { button, element, setAttributes, setText } from '../../elements';
import { Announcer } from '../announcer';
import type { IExtraTab, ITabContent } from '../host';
import { Maths } from '../maths';
import { whole } from '../numbers';
import type { IAsk, IRevoted } from '../revote/course';
import { Course, RulesError } from '../revote/course';
import { isSound } from '../revote/sound';
import { StopChart, stoppingOf } from '../stopChart';
import { TallyView, votesOf } from '../tallyView';
import type { ISnapshot, IViewRevote } from '../wire';
import { changedRun } from './changedRun';
import { changeWords } from './changes';
import type { IChoice } from './choice';
import { askOf, recordedChoice } from './choice';
import { Controls } from './controls';
import { Slices } from './slices';
import type { IOutcome } from './story';
import { Sweep } from './sweep';
import {
  costWords,
  isSame,
  newOutcome,
  notesOn,
  recordedOutcome,
  sameWords,
  stopWords
} from './story';

/** The tab of a run that is over and has votes to try other rules on. */
export function whatIfTab(trans: TranslationBundle, maths?: Maths): IExtraTab {
  return {
    title: trans.__('What if'),
    available: ({ end, revote }) =>
      end !== null &&
      revote !== null &&
      revote.ended.length > 0 &&
      isSound(revote),
    create: snapshot => new WhatIfView(trans, snapshot, maths)
  };
}

/** Controls, what they change in words, and the votes and the chart as they would have been. */
export class WhatIfView implements ITabContent {
  constructor(
    private readonly _trans: TranslationBundle,
    snapshot: ISnapshot,
    private readonly _maths = new Maths()
  ) {
    const trans = _trans;
    this._tally = new TallyView(trans, _maths);
    this._sweep = new Sweep(trans, value => this._controls?.pick(value));
    this._chart = new StopChart(trans);
    this._reset = button(
      'jp-TirRun-action jp-TirWhatIf-reset',
      trans.__('Back to as run'),
      () => {
        if (!this._asRun) {
          this._controls?.reset();
        }
      }
    );
    this._story.append(
      this._line(trans.__('As run'), this._before),
      this._line(trans.__('Now'), this._now)
    );
    this.node = element('div', 'jp-TirWhatIf', [
      this._story,
      element('div', 'jp-TirWhatIf-top', [this._change, this._reset]),
      this._form,
      this._tally.node,
      this._chart.node,
      this._notes,
      this._window,
      this._announcer.node
    ]);
    this.update(snapshot);
  }

  readonly node: HTMLElement;

  /** Shows another state of the run; what was chosen is kept while its votes are the same. */
  update(snapshot: ISnapshot): void {
    if (snapshot === this._snapshot || snapshot.revote === null) {
      return;
    }
    const same = sameVotes(this._revote, snapshot.revote);
    this._snapshot = snapshot;
    this._revote = snapshot.revote;
    if (!same) {
      this._begin(snapshot, snapshot.revote);
    }
    this._vote();
  }

  dispose(): void {
    this._slices.cancel();
    this._sweep.dispose();
    this._announcer.dispose();
    this._chart.dispose();
  }

  private _begin(snapshot: ISnapshot, revote: IViewRevote): void {
    const course = new Course(revote);
    this._course = course;
    this._choice = recordedChoice(course.settings);
    this._controls = new Controls(
      this._trans,
      {
        part: course.settings,
        voted: course.hasVotes,
        weighable: course.isMeasured,
        measured:
          course.isMeasured ||
          snapshot.samples.some(({ entropy }) => entropy !== null),
        windows: revote.entropyWindows,
        ownWindow: ownWindow(snapshot) ?? 0
      },
      this._sweep.node,
      choice => this._chosen(choice)
    );
    this._form.replaceChildren(this._controls.node);
  }

  private _chosen(choice: IChoice): void {
    this._choice = choice;
    this._vote();
  }

  private _vote(): void {
    const { _choice: choice, _course: course, _snapshot: snapshot } = this;
    if (
      course === undefined ||
      choice === undefined ||
      snapshot === undefined
    ) {
      return;
    }
    const ask = askOf(choice, course.settings);
    this._slices.run(voteOrNull(course, ask, this._trans), found => {
      this.node.classList.toggle('jp-mod-unread', found === null);
      if (found === null) {
        setText(this._now.stop, this._trans.__('these rules cannot be read'));
      } else {
        this._asRun = Object.keys(ask).length === 0;
        this._show(snapshot, course, choice, found);
      }
    });
  }

  private _show(
    snapshot: ISnapshot,
    course: Course,
    choice: IChoice,
    found: IRevoted
  ): void {
    const asRun = this._asRun;
    const { _trans: trans } = this;
    const before = recordedOutcome(snapshot, course.revote);
    const now = newOutcome(found, course.revote);
    // Not `disabled`, which would take the focus away from who has just pressed it.
    this._reset.setAttribute('aria-disabled', String(asRun));
    this._story.classList.toggle('jp-mod-same', asRun);
    this._tell(
      this._before,
      before,
      trans.__('%1 tokens', whole(before.tokens))
    );
    this._tell(this._now, now, costWords(before, now, trans));
    const other = before.key !== now.key;
    setText(this._now.badge, sameWords(before, now, trans));
    setAttributes(this._now.node, {
      'data-answer': other ? 'other' : 'same'
    });
    const notes = notesOn(found, snapshot, course.revote, trans);
    this._notes.replaceChildren(...notes.map(said => element('li', '', said)));
    this._notes.hidden = notes.length === 0;
    const window = this._aboutWindow(snapshot);
    setText(this._window, window);
    this._window.hidden = window === '';
    const shown = asRun
      ? snapshot
      : changedRun(snapshot, course, choice, found, trans);
    this._tally.update(votesOf(shown));
    this._chart.update(stoppingOf(shown, trans));
    this._sweep.update(
      course,
      choice,
      this._controls?.range ?? null,
      before.key
    );
    const said = changeWords(before, now, trans);
    setText(
      this._change,
      asRun && isSame(before, now)
        ? trans.__(
            'This is the run as it was. Change a rule or a number, and its votes are counted again on the spot.'
          )
        : said
    );
    if (said !== this._said) {
      // Nothing is said on its own before somebody has changed something.
      if (this._said !== '') {
        this._announcer.say(said);
      }
      this._said = said;
    }
  }

  private _aboutWindow(snapshot: ISnapshot): string {
    const trans = this._trans;
    const tokens = ownWindow(snapshot);
    if ((snapshot.revote?.entropyWindows.length ?? 0) > 0) {
      return '';
    }
    return tokens === null
      ? trans.__(
          'Entropies are of all tokens of a sample, as in the run. This record holds no others, so another window cannot be tried.'
        )
      : trans.__(
          'Entropies are of the last %1 tokens of a sample, as in the run. This record holds no others, so another window cannot be tried.',
          whole(tokens)
        );
  }

  private _tell(line: ILine, of: IOutcome, cost: string): void {
    this._maths.showAnswer(line.shown, of.shown, this._trans.__('No answer'));
    setText(line.stop, stopWords(of, this._trans));
    setText(line.cost, cost);
  }

  private _line(title: string, line: ILine): HTMLElement {
    line.node.append(
      element('dt', '', title),
      element('dd', 'jp-TirWhatIf-answer', [line.shown, line.badge]),
      element('dd', '', [line.stop]),
      element('dd', 'jp-TirWhatIf-cost', [line.cost])
    );
    return line.node;
  }

  private _asRun = true;
  private readonly _announcer = new Announcer();
  private readonly _before = lineOf('jp-TirWhatIf-before');
  private readonly _change = element('p', 'jp-TirWhatIf-change');
  private readonly _chart: StopChart;
  private _choice: IChoice | undefined;
  private _controls: Controls | undefined;
  private _course: Course | undefined;
  private readonly _form = element('div', 'jp-TirWhatIf-form');
  private readonly _notes = element(
    'ul',
    'jp-TirRun-remarks jp-TirWhatIf-notes'
  );
  private readonly _now = lineOf('jp-TirWhatIf-now');
  private readonly _reset: HTMLButtonElement;
  private _revote: IViewRevote | undefined;
  private _said = '';
  private readonly _slices = new Slices();
  private _snapshot: ISnapshot | undefined;
  private readonly _story = element('dl', 'jp-TirWhatIf-story');
  private readonly _sweep: Sweep;
  private readonly _tally: TallyView;
  private readonly _window = element('p', 'jp-TirRun-note');
}

/** Elements of one line of the comparison. */
interface ILine {
  readonly node: HTMLElement;
  readonly shown: HTMLElement;
  readonly badge: HTMLElement;
  readonly stop: HTMLElement;
  readonly cost: HTMLElement;
}

function lineOf(name: string): ILine {
  return {
    node: element('div', name),
    shown: element('span', 'jp-TirWhatIf-shown'),
    badge: element('span', 'jp-TirWhatIf-badge'),
    stop: element('span', ''),
    cost: element('span', '')
  };
}

/** A vote in small steps; null where the recorded rules cannot be read. */
function* voteOrNull(
  course: Course,
  ask: IAsk,
  trans: TranslationBundle
): Generator<undefined, IRevoted | null> {
  try {
    return yield* course.voting(ask, trans);
  } catch (reason) {
    if (reason instanceof RulesError) {
      return null;
    }
    throw reason;
  }
}

/** Last tokens whose entropy weighed in the run; null for all. */
function ownWindow({ head }: ISnapshot): number | null {
  const tokens = head.settings.entropy_window;
  return typeof tokens === 'number' ? tokens : null;
}

function sameVotes(one: IViewRevote | undefined, other: IViewRevote): boolean {
  return (
    one?.ended.length === other.ended.length &&
    one.parts.length === other.parts.length
  );
}
