/**
 * Voting again over a finished run: other rules, another policy, no model and no kernel.
 *
 * A port of `jupyterlab_tir/record/revoting.py`: the samples are taken in the order in which the
 * run counted them, and the rules are asked at the moments at which the run asked its own.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type {
  IViewBallot,
  IViewPart,
  IViewPoint,
  IViewRevote,
  IViewTally
} from '../wire';
import { Answers } from './answers';
import type { IDecision, IMoment } from './look';
import type { IRule } from './rules';
import { applyRules, parseRules, samplesShort } from './rules';
import { tallyOf } from './tally';
import type { IWeighing, Step } from './way';
import { stepsOf, Way } from './way';

/** Settings in the place of the recorded ones; what is left out is as recorded. */
export interface IAsk extends IWeighing {
  readonly stop?: string;
  readonly tau?: number;
  readonly minAnswers?: number;
}

/** What a run says under other rules. */
export interface IRevoted {
  /** The rule that fires; null where none does before the record's end. */
  readonly decision: IDecision | null;
  /** Place of the part of the run that was going on then. */
  readonly part: number;
  /** Samples that had ended then, what they had generated, and how many were in flight. */
  readonly samples: number;
  readonly tokens: number;
  readonly inFlight: number;
  readonly tally: IViewTally;
  /** The leader after each finished sample. */
  readonly points: readonly IViewPoint[];
  /** Where no rule fires: the fewest further samples with which one could; else 0. */
  short(): number;
  /** Whether the rules of earlier parts were overruled by going on, and so not asked. */
  readonly overruled: boolean;
}

/** Raised where recorded stop rules cannot be read. */
export class RulesError extends Error {}

/** A finished run on which any rules can be tried. */
export class Course {
  constructor(readonly revote: IViewRevote) {
    this._answers = new Answers(revote);
    this._steps = stepsOf(revote);
    this._lastContinued = revote.parts.findLastIndex(each => each.continued);
  }

  /** Settings of its last part: those by which its result was counted. */
  get settings(): IViewPart {
    return this.revote.parts[this.revote.parts.length - 1];
  }

  /** Whether any sample has a vote. */
  get hasVotes(): boolean {
    return this.revote.ended.some(
      ({ ballot, blocks }) => ballot !== null || blocks.length > 0
    );
  }

  /** Whether any ballot has an entropy. */
  get isMeasured(): boolean {
    return this.revote.ended.some(
      ({ ballot, blocks }) =>
        hasEntropy(ballot) || blocks.some(each => hasEntropy(each.ballot))
    );
  }

  /** Samples that had begun. */
  get begun(): number {
    return this.revote.begun;
  }

  /** Goes through the run until a rule fires, or to its end. */
  vote(ask: IAsk, trans: TranslationBundle): IRevoted {
    const going = this.voting(ask, trans);
    for (;;) {
      const { done, value } = going.next();
      if (done === true) {
        return value;
      }
    }
  }

  /**
   * The same in small steps, so that a page can do something else in between.
   *
   * What was counted on the way is kept, also where the rest is not asked for.
   */
  *voting(ask: IAsk, trans: TranslationBundle): Generator<undefined, IRevoted> {
    const anyRule = [ask.stop, ask.tau, ask.minAnswers].some(
      given => given !== undefined
    );
    // The rules of the parts before the last one were overruled by going on.
    const overruled = this._lastContinued >= 0 && !anyRule;
    const way = this._way(ask, overruled ? this._lastContinued : 0);
    const passage = new Passage(this.revote, this._steps, way, ask, anyRule);
    while (passage.step()) {
      yield;
    }
    return passage.result(overruled, trans);
  }

  /** What was counted before in this way, or a new beginning. */
  private _way(
    { entropy, policy, wCode, window }: IAsk,
    askedFrom: number
  ): Way {
    const name = JSON.stringify([policy, wCode, entropy, window, askedFrom]);
    const found =
      this._ways.get(name) ??
      new Way(
        this.revote,
        this._steps,
        this._answers,
        { entropy, policy, wCode, window },
        askedFrom
      );
    // The last one used is the last one in the map.
    this._ways.delete(name);
    this._ways.set(name, found);
    const [oldest] = this._ways.keys();
    if (this._ways.size > WAYS_KEPT) {
      this._ways.delete(oldest);
    }
    return found;
  }

  private readonly _answers: Answers;
  private readonly _lastContinued: number;
  private readonly _steps: readonly Step[];
  private readonly _ways = new Map<string, Way>();
}

/** So many ways of counting are kept: those last asked for. */
const WAYS_KEPT = 6;

function hasEntropy(ballot: IViewBallot | null): boolean {
  return ballot !== null && ballot.factor !== null;
}

/** One way through a run, under some rules. */
class Passage {
  constructor(
    private readonly _revote: IViewRevote,
    private readonly _steps: readonly Step[],
    private readonly _way: Way,
    private readonly _ask: IAsk,
    private readonly _anyRule: boolean
  ) {}

  /** Takes the next step; false where the end was there before. */
  step(): boolean {
    // Where the run itself stopped at this moment, what was in flight ended as recorded.
    const isOver = this._decision !== null && this._place >= this._until;
    if (isOver || this._next === this._steps.length) {
      return false;
    }
    const step = this._steps[this._next];
    if (this._decision !== null && step.kind === 'part') {
      this._next += 1;
      return true;
    }
    const { moment, point } = this._way.step(this._next);
    this._next += 1;
    if (step.kind === 'part') {
      this._enter(step.part);
      this._decide(moment, this._revote.parts[step.part]);
    } else {
      const ended = this._revote.ended[step.place];
      this._begun = ended.begun;
      this._place = step.place + 1;
      if (point !== null) {
        this._points.push(point);
      }
      if (this._decision === null) {
        this._decide(moment, ended);
      }
    }
    return true;
  }

  /** What has come of it. */
  result(overruled: boolean, trans: TranslationBundle): IRevoted {
    const { _decision: decision, _place: place } = this;
    const now = this._way.look(this._part, place);
    const begun = decision === null ? this._revote.begun : this._begun;
    let short: number | undefined;
    return {
      decision,
      part: this._part,
      samples: place,
      tokens: now.count.outcomes.reduce((sum, { tokens }) => sum + tokens, 0),
      inFlight: Math.max(0, begun - place),
      tally: tallyOf(now, trans),
      points: this._points,
      short: () =>
        (short ??= decision === null ? samplesShort(this._rules, now) : 0),
      overruled
    };
  }

  private _enter(number: number): void {
    const part = this._revote.parts[number];
    const { _ask: ask } = this;
    // Rules that were asked for hold for all parts.
    this._stop =
      this._anyRule && number > 0 ? this._stop : (ask.stop ?? part.stop);
    const rules = parseRules(
      this._stop,
      ask.tau ?? part.tau,
      ask.minAnswers ?? part.minAnswers
    );
    if (rules === null) {
      throw new RulesError(this._stop);
    }
    this._rules = rules;
    this._part = number;
    this._begun = Math.max(this._begun, part.begun);
  }

  private _decide(
    moment: IMoment,
    { asked, until }: { readonly asked: boolean; readonly until: number }
  ): void {
    if (asked && this._part >= this._way.askedFrom) {
      this._decision = applyRules(this._rules, moment);
      this._until = until;
    }
  }

  private _begun = 0;
  private _decision: IDecision | null = null;
  private _next = 0;
  private _part = 0;
  private _place = 0;
  private readonly _points: IViewPoint[] = [];
  private _rules: readonly IRule[] = [];
  private _stop = '';
  private _until = 0;
}
