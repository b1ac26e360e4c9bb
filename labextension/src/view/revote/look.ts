/**
 * One look at a run, as stop rules see it, and what they answer.
 *
 * A port of `jupyterlab_tir/voting/rules_look.py` for runs that are over: no replay is waited for
 * and no sample is asked again.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IViewEnded } from '../wire';
import type { Answers } from './answers';
import type { ICandidate, IPoll, Policy } from './policies';
import { isFinished, isUnfinished } from './policies';

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

/** What has come in, in order of finishing, and what may still come. */
export class Look {
  constructor(
    readonly outcomes: readonly IViewEnded[],
    readonly planned: number,
    readonly policy: Policy,
    readonly answers: Answers,
    /** Whether votes to come may have an entropy. */
    readonly measurable: boolean,
    /** The look before the last sample ended, which spares the work of sorting. */
    before?: Look
  ) {
    const last = outcomes.at(-1);
    if (before === undefined || last === undefined) {
      const ended = new Set(outcomes.map(({ sample }) => sample));
      const all = Array.from({ length: planned }, (_, sample) => sample);
      this.coming = all.filter(sample => !ended.has(sample));
      this.finished = outcomes.filter(isFinished).length;
      this.poll = policy.poll(policy.votes(outcomes), answers);
    } else {
      this.coming = before.coming.filter(sample => sample !== last.sample);
      this.finished = before.finished + Number(isFinished(last));
      const { votes } = before.poll;
      const after = votes.findIndex(({ sample }) => sample > last.sample);
      const place = after < 0 ? votes.length : after;
      this.poll = policy.poll(
        votes.toSpliced(place, 0, ...policy.votesOf(last)),
        answers
      );
    }
    this.answered = new Set(this.poll.votes.map(({ sample }) => sample)).size;
    this.secondCount = Math.max(
      0,
      ...this.candidates.slice(1).map(({ count }) => count)
    );
  }

  readonly poll: IPoll;
  /** Launch indices of the samples that may still end. */
  readonly coming: readonly number[];
  readonly finished: number;
  /** Samples that have a vote. */
  readonly answered: number;
  /** Most samples that any candidate but the leader has. */
  readonly secondCount: number;

  get candidates(): readonly ICandidate[] {
    return this.poll.candidates;
  }

  /** The last sample that the run did not end itself. */
  get last(): number | null {
    return this.outcomes.findLast(each => !isUnfinished(each))?.sample ?? null;
  }

  get leader(): ICandidate | undefined {
    return this.candidates.at(0);
  }

  /** The leader, if no other candidate has more samples and it is not tied. */
  get agreedLeader(): ICandidate | undefined {
    const { leader } = this;
    return leader !== undefined &&
      !this.policy.tied(this.candidates) &&
      leader.count >= this.secondCount
      ? leader
      : undefined;
  }

  /** Numbers of the agreed leader as they are now. */
  get leadingHeads(): IHeads | undefined {
    this._heads ??= { found: this._findHeads() };
    return this._heads.found;
  }

  private _findHeads(): IHeads | undefined {
    const leader = this.agreedLeader;
    if (leader === undefined) {
      return undefined;
    }
    const said = new Set(leader.samples);
    const finished = this.outcomes.filter(isFinished);
    const broken = finished.findLastIndex(({ sample }) => !said.has(sample));
    return {
      count: leader.count,
      second: this.secondCount,
      answered: this.answered,
      finished: this.finished,
      planned: this.planned,
      streak: finished.length - 1 - broken
    };
  }

  private _heads: { readonly found: IHeads | undefined } | undefined;
}
