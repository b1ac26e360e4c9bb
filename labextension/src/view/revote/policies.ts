/**
 * Voting policies: what a vote weighs, and which candidate comes first.
 *
 * A port of `jupyterlab_tir/voting/policies.py` and `votes.py`, whose comments say why.
 */
import type { IViewBallot, IViewEnded, IViewPart } from '../wire';
import { ExactSum } from './numbers';

export type PolicyName = IViewPart['policy'];

/** What candidates are ordered by: more is better. */
export type Measure = 'weight' | 'count' | 'codeVerified';

/** A ballot, the sample that it is from, and its block if it is a block's. */
export interface IVote {
  readonly sample: number;
  readonly ballot: IViewBallot;
  readonly block: number | null;
}

/** Where a candidate could stand; `first` is the lowest launch index of its samples. */
export interface IStanding {
  readonly weight: number;
  readonly count: number;
  readonly codeVerified: number;
  readonly first: number;
}

/** The numbers of a policy. */
export interface IPolicyValues {
  readonly wCode: number;
  readonly maxBlocks: number;
  readonly verifiable: boolean;
}

const LOST = new Set(['server-lost', 'request-refused']);
const UNFINISHED = new Set(['deadline', 'cancelled']);

/** Whether the server lost a sample. */
export function isLost({ status }: IViewEnded): boolean {
  return LOST.has(status);
}

/** Whether the run ended a sample before it could conclude. */
export function isUnfinished({ status }: IViewEnded): boolean {
  return UNFINISHED.has(status);
}

/** Whether it concluded on its own, with an answer or without. */
export function isFinished(ended: IViewEnded): boolean {
  return !isLost(ended) && !isUnfinished(ended);
}

/** How votes are weighed and what decides. */
export class Policy {
  constructor(
    readonly name: PolicyName,
    private readonly _values: IPolicyValues
  ) {
    this.decidedBy = DECIDED_BY[name];
    this.tiesBy = TIES_BY[name];
    this._order = [...this.decidedBy, ...this.tiesBy];
    this.weighsEntropy = name === 'weighted' || name === 'votes-first';
    this.hasManyVotes = name === 'blocks';
    const sum = new ExactSum();
    this.addHeaviest(sum, 1);
    this.mostASample = sum.value;
  }

  readonly decidedBy: readonly Measure[];
  readonly tiesBy: readonly Measure[];
  readonly weighsEntropy: boolean;
  /** Whether one sample may have several votes. */
  readonly hasManyVotes: boolean;

  /** What a sample weighs that weighs as much as one can. */
  readonly mostASample: number;

  /** Whether code can verify the votes of samples to come. */
  get verifiable(): boolean {
    return this._values.verifiable;
  }

  /** Weight of what code verified, as far as this policy weighs that. */
  get wCode(): number {
    return this._values.wCode;
  }

  /** Whether votes of these count in the same way, by all that they depend on. */
  countsAs(other: Policy): boolean {
    const { _values: one } = this;
    const { _values: another } = other;
    return (
      this.name === other.name &&
      one.wCode === another.wCode &&
      one.maxBlocks === another.maxBlocks &&
      one.verifiable === another.verifiable
    );
  }

  /** Weight of a vote; `usual` stands in for a missing entropy. */
  weight({ ballot, block }: IVote, usual: number): number {
    const verified = ballot.replayed ? this._values.wCode : 1;
    if (this.name === 'majority') {
      return 1;
    }
    if (this.name === 'blocks') {
      return block === null ? 1 : verified;
    }
    return verified * (ballot.factor ?? usual);
  }

  /** Adds the votes of so many samples that weigh as much as one can. */
  addHeaviest(sum: ExactSum, samples: number): void {
    const { maxBlocks, verifiable, wCode } = this._values;
    const heaviest = verifiable ? wCode : 1;
    if (this.name === 'majority') {
      sum.addTimes(1, samples);
    } else if (this.name === 'blocks') {
      sum.addTimes(1, samples);
      sum.addTimes(heaviest, samples * maxBlocks);
    } else {
      sum.addTimes(heaviest, samples);
    }
  }

  /** The votes of one sample: its answer and then, where they vote, its blocks. */
  votesOf(ended: IViewEnded): IVote[] {
    const { ballot, sample } = ended;
    const found: IVote[] =
      ballot === null ? [] : [{ sample, ballot, block: null }];
    if (this.name === 'blocks' && isFinished(ended)) {
      const blocks = ended.blocks
        .filter(({ block }) => block < this._values.maxBlocks)
        .sort((a, b) => a.block - b.block);
      found.push(...blocks.map(each => ({ sample, ...each })));
    }
    return found;
  }

  /** Below 0 where the first comes before the second, above 0 where it comes after. */
  compare(one: IStanding, other: IStanding): number {
    for (const measure of this._order) {
      if (one[measure] !== other[measure]) {
        return other[measure] - one[measure];
      }
    }
    return one.first - other.first;
  }

  /** Whether the first two are equal in all that decides. */
  tied([first, second]: readonly (IStanding | undefined)[]): boolean {
    return (
      first !== undefined &&
      second !== undefined &&
      this.decidedBy.every(measure => first[measure] === second[measure])
    );
  }

  /** Whether one is ahead of another in what decides, in that order. */
  decidesFor(one: IStanding, other: IStanding): boolean {
    const measure = this.decidedBy.find(each => one[each] !== other[each]);
    return measure !== undefined && one[measure] > other[measure];
  }

  private readonly _order: readonly Measure[];
}

const DECIDED_BY: Readonly<Record<PolicyName, readonly Measure[]>> = {
  weighted: ['weight'],
  blocks: ['weight'],
  majority: ['count'],
  'votes-first': ['count', 'weight']
};

const TIES_BY: Readonly<Record<PolicyName, readonly Measure[]>> = {
  weighted: ['count', 'codeVerified'],
  blocks: ['count', 'codeVerified'],
  majority: ['codeVerified'],
  'votes-first': ['codeVerified']
};
