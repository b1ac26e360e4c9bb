/**
 * Votes that count together, summed up as they come in; what they come to is worked out when asked.
 *
 * Sums are exact until then, so that a pile of votes gives what adding them all anew would give.
 */
import { ExactSum } from './numbers';
import type { IStanding, IVote, Policy } from './policies';

/** The first vote of a pile in launch order; `block` is -1 for a sample's answer. */
export interface IFirstVote {
  readonly sample: number;
  readonly block: number;
  readonly answer: number;
}

/** Below 0 where the first vote of one comes before that of the other. */
export function byFirstVote(one: IFirstVote, other: IFirstVote): number {
  return one.sample - other.sample || one.block - other.block;
}

/** Votes of one answer, or of all settled answers with one key. */
export class Pile {
  constructor(private readonly _policy: Policy) {}

  /** Takes one more vote; those of one sample come one after the other. */
  add(vote: IVote): void {
    const { ballot, block, sample } = vote;
    if (ballot.factor !== null || !this._policy.weighsEntropy) {
      this._known.add(this._policy.weight(vote, 1));
    } else if (ballot.replayed) {
      this._unmeasuredVerified += 1;
    } else {
      this._unmeasured += 1;
    }
    if (ballot.entropy !== null) {
      this._entropies.add(ballot.entropy);
      this._measured += 1;
    }
    this.samples.add(sample);
    if (ballot.replayed) {
      this.verified.add(sample);
    }
    if (this._first === undefined || sample < this._first.sample) {
      this._first = { sample, block: block ?? -1, answer: ballot.answer };
    }
    this.votes += 1;
  }

  /** How many votes it has. */
  votes = 0;

  /** Launch indices of its samples, and of those whose vote code verified. */
  readonly samples = new Set<number>();
  readonly verified = new Set<number>();

  get first(): IFirstVote {
    return this._first ?? { sample: Infinity, block: -1, answer: -1 };
  }

  /** Whether the factor that stands in for missing ones plays a part. */
  get hangsOnUsual(): boolean {
    return this._unmeasured + this._unmeasuredVerified > 0;
  }

  /** Adds the weights of all votes, with a factor in the place of missing ones. */
  addWeights(sum: ExactSum, usual: number): void {
    sum.addSum(this._known);
    if (usual !== 0) {
      this._addUnmeasured(sum, usual);
    }
  }

  /** Adds what the weights gain if that factor goes from 0 to 1. */
  addGains(sum: ExactSum): void {
    this._addUnmeasured(sum, 1);
  }

  /** Adds the entropies of all votes that have one, and says how many these are. */
  addEntropies(sum: ExactSum): number {
    sum.addSum(this._entropies);
    return this._measured;
  }

  private _addUnmeasured(sum: ExactSum, usual: number): void {
    sum.addTimes(usual, this._unmeasured);
    sum.addTimes(this._policy.wCode * usual, this._unmeasuredVerified);
  }

  private readonly _entropies = new ExactSum();
  private _first: IFirstVote | undefined;
  private readonly _known = new ExactSum();
  private _measured = 0;
  private _unmeasured = 0;
  private _unmeasuredVerified = 0;
}

/** Exact weight of all piles together. */
export function weightsOf(piles: readonly Pile[], usual: number): ExactSum {
  const sum = new ExactSum();
  for (const pile of piles) {
    pile.addWeights(sum, usual);
  }
  return sum;
}

/** How many different samples there are in all of these, or how many that code verified. */
export function distinct(
  piles: readonly Pile[],
  policy: Policy,
  which: 'samples' | 'verified'
): number {
  if (piles.length > 1 && policy.hasManyVotes) {
    return new Set(piles.flatMap(pile => [...pile[which]])).size;
  }
  let count = 0;
  for (const pile of piles) {
    count += pile[which].size;
  }
  return count;
}

/** The lowest launch index; infinite for no piles. */
export function firstOf(piles: readonly Pile[]): number {
  let first = Infinity;
  for (const pile of piles) {
    first = Math.min(first, pile.first.sample);
  }
  return first;
}

/** Where the votes of some piles stand together. */
export function standingOf(
  piles: readonly Pile[],
  usual: number,
  policy: Policy
): IStanding {
  return {
    weight: weightsOf(piles, usual).value,
    count: distinct(piles, policy, 'samples'),
    codeVerified: distinct(piles, policy, 'verified'),
    first: firstOf(piles)
  };
}
