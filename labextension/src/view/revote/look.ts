/**
 * One look at a run, as stop rules see it, and what they answer.
 *
 * A port of `jupyterlab_tir/voting/rules_look.py` and `heads.py` for runs that are over: no replay
 * is waited for and no sample is asked again.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IViewEnded } from '../wire';
import type { Count, Group } from './count';
import { isFinished } from './policies';
import { lossless } from './uncatchable';

/** Why a run stops before its plan is done. */
export interface IDecision {
  readonly rule: RuleName;
  /** Samples that had finished when it fired. */
  readonly after: number;
  /** Launch index of the sample whose end made it fire; null before one has ended. */
  readonly sample: number | null;
  /** What it compared, by the names that records have. */
  readonly numbers: Readonly<Record<string, number>>;
  /** The rule with its numbers, one sentence. */
  words(trans: TranslationBundle): string;
}

export type RuleName =
  'uncatchable' | 'share' | 'planned' | 'beta' | 'lead' | 'window';

/** What rules that count heads decide by, for one answer. */
export interface IHeads {
  readonly count: number;
  /** Most samples that say any one of the others. */
  readonly second: number;
  readonly answered: number;
  readonly finished: number;
  readonly planned: number;
  /** Last finished samples in a row that say it. */
  readonly streak: number;
}

/** What all rules need of a look: it can be kept when the count has gone on. */
export interface IMoment {
  /** Whether samples are still to come. */
  readonly isOpen: boolean;
  readonly finished: number;
  readonly last: number | null;
  /** The candidate that comes first, as shown, with its samples and its part of all weight. */
  readonly leader: ILeader | undefined;
  /** Numbers of the leader if it is agreed on: untied, and no other has more samples. */
  readonly leadingHeads: IHeads | undefined;
  /** What the lossless rule says. */
  readonly lossless: IDecision | null;
}

export interface ILeader {
  readonly shown: string;
  readonly count: number;
  readonly share: number;
}

/** Launch indices of the samples that may still end. */
export class Coming {
  constructor(
    private readonly _planned: number,
    ended: readonly IViewEnded[]
  ) {
    this.length = _planned;
    ended.forEach(each => this.end(each));
  }

  length: number;

  /** The lowest one; the plan's length where there is none. */
  get first(): number {
    return this._first;
  }

  end({ sample }: IViewEnded): void {
    if (sample < this._planned) {
      this._ended.add(sample);
      this.length -= 1;
      while (this._ended.has(this._first)) {
        this._first += 1;
      }
    }
  }

  /** All of them, the lowest first. */
  all(): number[] {
    return Array.from({ length: this._planned }, (_, sample) => sample).filter(
      sample => !this._ended.has(sample)
    );
  }

  private readonly _ended = new Set<number>();
  private _first = 0;
}

/** What has come in, in order of finishing, and what may still come. */
export class Look implements IMoment {
  constructor(
    readonly count: Count,
    readonly planned: number,
    /** Whether votes to come may have an entropy. */
    readonly measurable: boolean,
    readonly coming = new Coming(planned, count.outcomes)
  ) {}

  get isOpen(): boolean {
    return this.coming.length > 0;
  }

  get finished(): number {
    return this.count.finished;
  }

  get last(): number | null {
    return this.count.last;
  }

  get leader(): ILeader | undefined {
    const { count } = this;
    const [leader] = count.leaders;
    return (
      leader && {
        shown: count.shown(leader),
        count: count.standing(leader).count,
        share: count.share(leader)
      }
    );
  }

  get leadingHeads(): IHeads | undefined {
    const { count } = this;
    const { policy, secondCount } = count;
    const [leader, second] = count.leaders;
    if (leader === undefined) {
      return undefined;
    }
    const mine = count.standing(leader);
    const tied =
      second !== undefined && policy.tied([mine, count.standing(second)]);
    return tied || mine.count < secondCount
      ? undefined
      : {
          count: mine.count,
          second: secondCount,
          answered: count.answered,
          finished: count.finished,
          planned: this.planned,
          streak: streakOf(leader, count)
        };
  }

  get lossless(): IDecision | null {
    return lossless(this);
  }

  /** The same for later; of a moment at which no rule was asked, without what rules say. */
  moment(asked: boolean): IMoment {
    const { finished, isOpen, last, leader } = this;
    return {
      finished,
      isOpen,
      last,
      leader,
      leadingHeads: asked ? this.leadingHeads : undefined,
      lossless: asked ? this.lossless : null
    };
  }
}

/** How many of the last finished samples in a row say an answer. */
function streakOf(group: Group, { outcomes }: Count): number {
  let streak = 0;
  for (let place = outcomes.length - 1; place >= 0; place -= 1) {
    if (isFinished(outcomes[place])) {
      if (!group.has(outcomes[place].sample)) {
        break;
      }
      streak += 1;
    }
  }
  return streak;
}
