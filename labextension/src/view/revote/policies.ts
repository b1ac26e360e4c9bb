/**
 * Voting policies: what a vote weighs, and which candidate comes first.
 *
 * A port of `jupyterlab_tir/voting/policies.py` and `votes.py`, whose comments say why.
 */
import type { IViewBallot, IViewEnded, IViewPart } from '../wire';
import type { Answers } from './answers';
import { exactSum, median } from './numbers';

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

/** A class of equivalent answers; its key is a place. */
export interface ICandidate extends IStanding {
  readonly key: number;
  readonly shown: string;
  readonly share: number;
  readonly meanEntropy: number | null;
  readonly samples: readonly number[];
}

/** All votes of some outcomes as a policy counted them, in launch order; the winner first. */
export interface IPoll {
  readonly votes: readonly IVote[];
  readonly keys: readonly number[];
  readonly candidates: readonly ICandidate[];
  readonly usual: number;
  readonly settled: boolean;
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
    const heaviest = this.verifiable ? _values.wCode : 1;
    this.decidedBy = DECIDED_BY[name];
    this.tiesBy = TIES_BY[name];
    this.weighsEntropy = name === 'weighted' || name === 'votes-first';
    this.heaviestSample = [heaviest];
    if (name === 'majority') {
      this.heaviestSample = [1];
    } else if (name === 'blocks') {
      const blocks = new Array<number>(_values.maxBlocks).fill(heaviest);
      this.heaviestSample = [1, ...blocks];
    }
    this.mostASample = exactSum(this.heaviestSample);
  }

  readonly decidedBy: readonly Measure[];
  readonly tiesBy: readonly Measure[];
  readonly weighsEntropy: boolean;

  /** Weights of the votes of a sample that weighs as much as one can, and their sum. */
  readonly heaviestSample: readonly number[];
  readonly mostASample: number;

  /** Whether code can verify the votes of samples to come. */
  get verifiable(): boolean {
    return this._values.verifiable;
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

  /** All votes, in launch order: each sample's answer and then, where they vote, its blocks. */
  votes(outcomes: readonly IViewEnded[]): IVote[] {
    return [...outcomes]
      .sort((a, b) => a.sample - b.sample)
      .flatMap(ended => this.votesOf(ended));
  }

  /** The votes of one sample. */
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

  /** Counts and weighs the votes. */
  poll(votes: readonly IVote[], answers: Answers): IPoll {
    const usual = this._usual(votes);
    const weighed = votes.map(vote => this.weight(vote, usual));
    const total = exactSum(weighed);
    const cast = votes.map(({ ballot }) => ballot.answer);
    const settled = cast.every(answer => answers.isSettled(answer));
    const keys = answers.candidateKeys(cast);
    const members = new Map<number, number[]>();
    keys.forEach((key, place) => {
      const places = members.get(key);
      if (places === undefined) {
        members.set(key, [place]);
      } else {
        places.push(place);
      }
    });
    const candidates = [...members].map(([key, places]) =>
      candidateOf(
        key,
        places.map(place => votes[place]),
        places.map(place => weighed[place]),
        total,
        answers
      )
    );
    candidates.sort((one, other) => this.compare(one, other));
    return { votes, keys, candidates, usual, settled };
  }

  /** Stands in for missing entropies: the median factor, 1 where no vote has any. */
  private _usual(votes: readonly IVote[]): number {
    if (!votes.some(({ ballot }) => ballot.factor === null)) {
      return 1;
    }
    const factors = votes
      .map(({ ballot }) => ballot.factor)
      .filter(factor => factor !== null);
    return factors.length > 0 ? median(factors) : 1;
  }

  /** Below 0 where the first comes before the second, above 0 where it comes after. */
  compare(one: IStanding, other: IStanding): number {
    for (const measure of [...this.decidedBy, ...this.tiesBy]) {
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

function candidateOf(
  key: number,
  votes: readonly IVote[],
  weighed: readonly number[],
  total: number,
  answers: Answers
): ICandidate {
  const weight = exactSum(weighed);
  const entropies = votes
    .map(({ ballot }) => ballot.entropy)
    .filter(entropy => entropy !== null);
  const samples = [...new Set(votes.map(({ sample }) => sample))];
  // What joined is shown in the form of the candidate that it joined.
  const own = votes.find(({ ballot }) => answers.key(ballot.answer) === key);
  return {
    key,
    shown: own === undefined ? '' : answers.shown(own.ballot.answer),
    count: samples.length,
    codeVerified: verifiedSamples(votes),
    weight,
    share: weight / total,
    meanEntropy:
      entropies.length > 0 ? exactSum(entropies) / entropies.length : null,
    samples,
    first: samples[0]
  };
}

/** How many samples have a vote among these that code verified. */
export function verifiedSamples(votes: readonly IVote[]): number {
  const verified = votes.filter(({ ballot }) => ballot.replayed);
  return new Set(verified.map(({ sample }) => sample)).size;
}
