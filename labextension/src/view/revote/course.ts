/**
 * Voting again over a finished run: other rules, another policy, no model and no kernel.
 *
 * A port of `jupyterlab_tir/record/revoting.py`: the samples are taken in the order in which the
 * run counted them, and the rules are asked at the moments at which the run asked its own.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type {
  IViewBallot,
  IViewEnded,
  IViewPart,
  IViewPoint,
  IViewRevote,
  IViewTally
} from '../wire';
import { Answers } from './answers';
import type { IDecision } from './look';
import { Look } from './look';
import type { PolicyName } from './policies';
import { Policy } from './policies';
import type { IRule } from './rules';
import { applyRules, parseRules, samplesShort } from './rules';
import { tallyOf } from './tally';

/** Settings in the place of the recorded ones; what is left out is as recorded. */
export interface IAsk {
  readonly stop?: string;
  readonly tau?: number;
  readonly minAnswers?: number;
  readonly policy?: PolicyName;
  readonly wCode?: number;
  /** False weighs each ballot as if the model had been sure of every token. */
  readonly entropy?: boolean;
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
    return new Passage(this.revote, this._answers, ask, this._looks).vote(
      trans
    );
  }

  private readonly _answers: Answers;
  private readonly _looks = new Map<string, Look[]>();
}

/** Looks are kept of runs with at most so many ended samples, for so many ways of counting. */
const MOST_KEPT = 256;
const WAYS_KEPT = 4;

function hasEntropy(ballot: IViewBallot | null): boolean {
  return ballot !== null && ballot.factor !== null;
}

/** One way through a run. */
class Passage {
  constructor(
    private readonly _revote: IViewRevote,
    private readonly _answers: Answers,
    private readonly _ask: IAsk,
    private readonly _looks: Map<string, Look[]>
  ) {
    const { ended, parts } = _revote;
    this._ended = _ask.entropy === false ? ended.map(withoutEntropy) : ended;
    this._anyRule = [_ask.stop, _ask.tau, _ask.minAnswers].some(
      given => given !== undefined
    );
    this._lastContinued = parts.findLastIndex(({ continued }) => continued);
    // The rules of the parts before the last one were overruled by going on.
    this._overruled = this._lastContinued >= 0 && !this._anyRule;
    this._asking = !this._overruled;
  }

  vote(trans: TranslationBundle): IRevoted {
    const { parts } = this._revote;
    let decision: IDecision | null = null;
    let part = 0;
    let place = 0;
    let until = 0;
    while (decision === null) {
      if (part < parts.length && parts[part].start === place) {
        this._enter(part);
        ({ until } = parts[part]);
        decision = parts[part].asked ? this._decide(place) : null;
        part += 1;
      } else if (place < this._ended.length) {
        const ended = this._ended[place];
        ({ until } = ended);
        place += 1;
        this._begun = ended.begun;
        this._addPoint(place);
        decision = ended.asked ? this._decide(place) : null;
      } else {
        break;
      }
    }
    // Where the run itself stopped at this moment, what was in flight ended as recorded.
    while (decision !== null && place < until) {
      this._begun = this._ended[place].begun;
      place += 1;
      this._addPoint(place);
    }
    if (decision === null) {
      this._begun = this._revote.begun;
    }
    return this._result(decision, part - 1, place, trans);
  }

  private _result(
    decision: IDecision | null,
    part: number,
    place: number,
    trans: TranslationBundle
  ): IRevoted {
    const taken = this._ended.slice(0, place);
    const now = this._look(place);
    return {
      decision,
      part,
      samples: place,
      tokens: taken.reduce((sum, { tokens }) => sum + tokens, 0),
      inFlight: Math.max(0, this._begun - place),
      tally: tallyOf(now, trans),
      points: this._points,
      short: () => (decision === null ? samplesShort(this._rules, now) : 0),
      overruled: this._overruled
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
    this._part = part;
    this._policy = new Policy(ask.policy ?? part.policy, {
      ...part,
      wCode: ask.wCode ?? part.wCode
    });
    this._kept = this._lookAgain(number, ask.wCode ?? part.wCode);
    this._begun = Math.max(this._begun, part.begun);
    this._asking ||= number === this._lastContinued;
  }

  private _decide(place: number): IDecision | null {
    return this._asking ? applyRules(this._rules, this._look(place)) : null;
  }

  /** The run when so many samples had ended; looked at once, whatever the rules. */
  private _look(place: number): Look {
    const kept = this._kept[place];
    if (kept !== undefined) {
      return kept;
    }
    const now = new Look(
      this._ended.slice(0, place),
      this._part.planned,
      this._policy,
      this._answers,
      this._part.measurable,
      this._kept[place - 1]
    );
    this._kept[place] = now;
    return now;
  }

  /** What was seen by earlier passages that counted in the same way. */
  private _lookAgain(part: number, wCode: number): Look[] {
    if (this._ended.length > MOST_KEPT) {
      return [];
    }
    const way = JSON.stringify([
      part,
      this._policy.name,
      wCode,
      this._ask.entropy !== false
    ]);
    const found = this._looks.get(way) ?? [];
    // The last one used is the last one in the map.
    this._looks.delete(way);
    this._looks.set(way, found);
    const [oldest] = this._looks.keys();
    if (this._looks.size > WAYS_KEPT * this._revote.parts.length) {
      this._looks.delete(oldest);
    }
    return found;
  }

  private _addPoint(place: number): void {
    const { finished, leader } = this._look(place);
    if (finished > 0 && this._points.at(-1)?.finished !== finished) {
      this._points.push({
        finished,
        sample: this._ended[place - 1].sample,
        leader: leader?.shown ?? '',
        count: leader?.count ?? 0,
        weightShare: leader?.share ?? 0
      });
    }
  }

  private readonly _ended: readonly IViewEnded[];
  private readonly _anyRule: boolean;
  private readonly _lastContinued: number;
  private readonly _overruled: boolean;
  private readonly _points: IViewPoint[] = [];
  private _asking: boolean;
  private _begun = 0;
  private _stop = '';
  private _rules: readonly IRule[] = [];
  private _part!: IViewPart;
  private _policy!: Policy;
  /** By how many samples had ended; one that was not looked at is missing. */
  private _kept: (Look | undefined)[] = [];
}

function withoutEntropy(ended: IViewEnded): IViewEnded {
  const sure = (ballot: IViewBallot): IViewBallot => ({
    ...ballot,
    entropy: null,
    factor: 1
  });
  return {
    ...ended,
    ballot: ended.ballot === null ? null : sure(ended.ballot),
    blocks: ended.blocks.map(({ ballot, block }) => ({
      block,
      ballot: sure(ballot)
    }))
  };
}
