/**
 * The count of a run's votes, sample by sample.
 *
 * A port of `Policy.poll` in `jupyterlab_tir/voting/policy.py`, which counts anew at each look.
 * Here a sample that ends is added to what was counted before: a page that votes again over a
 * thousand samples has no time for more.
 */
import type { IViewBallot, IViewEnded } from '../wire';
import type { Answers } from './answers';
import { Factors } from './factors';
import { ExactSum } from './numbers';
import type { IFirstVote } from './piles';
import { byFirstVote, Pile, standingOf, weightsOf } from './piles';
import type { IStanding, IVote, Policy } from './policies';
import { isFinished, isUnfinished } from './policies';

/** A class of equivalent answers, with all that a tally says of it; its key is a place. */
export interface ICandidate extends IStanding {
  readonly key: number;
  readonly shown: string;
  readonly share: number;
  readonly meanEntropy: number | null;
  readonly samples: readonly number[];
}

/** The votes for one candidate so far. */
export class Group {
  constructor(readonly key: number) {}

  readonly piles: Pile[] = [];

  /** Where it stands; worked out again where votes or the usual factor have changed. */
  standing(usual: number, policy: Policy): IStanding {
    let votes = 0;
    let hangs = false;
    for (const pile of this.piles) {
      votes += pile.votes;
      hangs ||= pile.hangsOnUsual;
    }
    const known = this._known;
    if (known?.votes !== votes || (hangs && known.usual !== usual)) {
      const standing = standingOf(this.piles, usual, policy);
      this._known = { votes, usual, standing };
      return standing;
    }
    return known.standing;
  }

  /** Its first vote in launch order. */
  get first(): IFirstVote {
    return this.piles.map(({ first }) => first).sort(byFirstVote)[0];
  }

  has(sample: number): boolean {
    return this.piles.some(({ samples }) => samples.has(sample));
  }

  private _known:
    | {
        readonly votes: number;
        readonly usual: number;
        readonly standing: IStanding;
      }
    | undefined;
}

/** The two that come first. */
function firstTwo(
  groups: Iterable<Group>,
  inOrder: (one: Group, other: Group) => number
): [Group?, Group?] {
  let first: Group | undefined;
  let second: Group | undefined;
  for (const group of groups) {
    if (first === undefined || inOrder(group, first) < 0) {
      [first, second] = [group, first];
    } else if (second === undefined || inOrder(group, second) < 0) {
      second = group;
    }
  }
  return [first, second];
}

/** What has come in so far, counted by a policy. */
export class Count {
  constructor(
    readonly policy: Policy,
    readonly answers: Answers,
    outcomes: readonly IViewEnded[] = []
  ) {
    this._all = new Pile(policy);
    outcomes.forEach(ended => this.add(ended));
  }

  /** Samples in the order in which they ended. */
  readonly outcomes: IViewEnded[] = [];
  /** Samples that concluded on their own. */
  finished = 0;
  /** The last sample that the run did not end itself. */
  last: number | null = null;
  readonly factors = new Factors();
  /** Votes for answers that count for their own key whatever comes, by that key. */
  readonly settled = new Map<number, Pile>();
  /** Votes for the others, by answer. */
  readonly open = new Map<number, Pile>();

  /** Adds the sample that ended next. */
  add(ended: IViewEnded): void {
    this.outcomes.push(ended);
    this.finished += Number(isFinished(ended));
    if (!isUnfinished(ended)) {
      this.last = ended.sample;
    }
    const votes = this.policy.votesOf(ended);
    let isNew = false;
    for (const vote of votes) {
      this.factors.add(vote.ballot.factor);
      this._all.add(vote);
      isNew = this._pile(vote) || isNew;
    }
    const moved = isNew && this.open.size > 0 && this._chooseKeys();
    this._isMoved ||= moved;
    this._unranked.push(...votes);
  }

  /** Samples that have a vote. */
  get answered(): number {
    return this._all.samples.size;
  }

  /** The candidates that come first and second. */
  get leaders(): readonly [Group?, Group?] {
    this._rank();
    return this._leaders;
  }

  /** Most samples that any candidate but the leader has. */
  get secondCount(): number {
    this._rank();
    const [most, next] = this._most;
    const second = most === this._leaders[0] ? next : most;
    return second === undefined ? 0 : this.standing(second).count;
  }

  standing(group: Group): IStanding {
    return group.standing(this.factors.usual, this.policy);
  }

  /** Weight of a candidate as a part of that of all votes. */
  share(group: Group): number {
    return this.standing(group).weight / this._total();
  }

  /** The answer as its first vote has it: what joined has the form of what it joined. */
  shown({ key, piles }: Group): string {
    const [own] = piles
      .map(({ first }) => first)
      .filter(({ answer }) => this.answers.key(answer) === key)
      .sort(byFirstVote);
    return (own as IFirstVote | undefined) === undefined
      ? ''
      : this.answers.shown(own.answer);
  }

  /** All candidates; the winner comes first. */
  candidates(): ICandidate[] {
    const total = this._total();
    const { usual } = this.factors;
    return [...this._groups.values()]
      .sort((one, other) => this._inOrder(one, other, usual))
      .map(group => {
        const standing = group.standing(usual, this.policy);
        const entropies = new ExactSum();
        const measured = group.piles
          .map(pile => pile.addEntropies(entropies))
          .reduce((sum, count) => sum + count, 0);
        const samples = group.piles.flatMap(pile => [...pile.samples]);
        return {
          ...standing,
          key: group.key,
          shown: this.shown(group),
          share: standing.weight / total,
          meanEntropy: measured > 0 ? entropies.value / measured : null,
          samples: [...new Set(samples)].sort((a, b) => a - b)
        };
      });
  }

  /** Adds a vote to its pile; whether that is the first of a pile. */
  private _pile(vote: IVote): boolean {
    const { answer } = vote.ballot;
    const settled = this.answers.isSettled(answer);
    const place = settled ? this.answers.key(answer) : answer;
    const piles = settled ? this.settled : this.open;
    let pile = piles.get(place);
    const isNew = pile === undefined;
    if (pile === undefined) {
      pile = new Pile(this.policy);
      piles.set(place, pile);
      if (settled) {
        this._group(place).piles.push(pile);
      }
    }
    pile.add(vote);
    return isNew;
  }

  private _group(key: number): Group {
    let group = this._groups.get(key);
    if (group === undefined) {
      group = new Group(key);
      this._groups.set(key, group);
    }
    return group;
  }

  /** What answers that are not settled count for hangs on which there are; whether some moved. */
  private _chooseKeys(): boolean {
    const settled = [...this.settled.values()].map(({ first }) => first.answer);
    const open = [...this.open.keys()];
    const keys = this.answers
      .candidateKeys([...settled, ...open])
      .slice(settled.length);
    const moved = open.some(
      (answer, place) =>
        this._keys.has(answer) && this._keys.get(answer) !== keys[place]
    );
    if (moved) {
      this._groups.clear();
      this._keys.clear();
      for (const [key, pile] of this.settled) {
        this._group(key).piles.push(pile);
      }
    }
    for (const [place, [answer, pile]] of [...this.open].entries()) {
      if (!this._keys.has(answer)) {
        this._keys.set(answer, keys[place]);
        this._group(keys[place]).piles.push(pile);
      }
    }
    return moved;
  }

  private _total(): number {
    return weightsOf([this._all], this.factors.usual).value;
  }

  /** Finds who is ahead, after the votes that have come since that was last asked. */
  private _rank(): void {
    const { _isMoved: moved, _unranked: votes } = this;
    if (!moved && votes.length === 0) {
      return;
    }
    const { usual } = this.factors;
    const own = votes.map(({ ballot }) => this._group(this._key(ballot)));
    const ahead = [...this._leaders, ...this._most];
    const few = new Set([...ahead.filter(each => each !== undefined), ...own]);
    // Another factor in the place of missing ones moves many candidates, votes move their own.
    const others = this._all.hangsOnUsual && usual !== this._usual;
    const all = this._groups;
    this._leaders = firstTwo(
      moved || others ? all.values() : few,
      (one, other) => this._inOrder(one, other, usual)
    );
    const count = (group: Group): number =>
      group.standing(usual, this.policy).count;
    this._most = firstTwo(
      moved ? all.values() : few,
      (one, other) => count(other) - count(one)
    );
    this._usual = usual;
    this._isMoved = false;
    this._unranked = [];
  }

  /** The candidate for which a ballot counts. */
  private _key({ answer }: IViewBallot): number {
    return this._keys.get(answer) ?? this.answers.key(answer);
  }

  /** Below 0 where the first one comes before the other. */
  private _inOrder(one: Group, other: Group, usual: number): number {
    const { policy } = this;
    return (
      policy.compare(
        one.standing(usual, policy),
        other.standing(usual, policy)
      ) || byFirstVote(one.first, other.first)
    );
  }

  private readonly _all: Pile;
  private readonly _groups = new Map<number, Group>();
  /** Whether candidates were made anew since the ranking. */
  private _isMoved = false;
  private _leaders: [Group?, Group?] = [];
  /** The two candidates with most samples. */
  private _most: [Group?, Group?] = [];
  private _unranked: IVote[] = [];
  private _usual = 1;
  /** The candidate for which each answer that is not settled counts. */
  private readonly _keys = new Map<number, number>();
}
