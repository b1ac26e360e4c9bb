/**
 * How soon a stop rule could fire: what each answer can come to at best.
 *
 * A port of `jupyterlab_tir/voting/prospects.py` for runs in which no replay is waited for; that
 * says what these numbers mean.
 */
import type { IViewBallot } from '../wire';
import type { IHeads, Look } from './look';
import { firstFrom1 } from './numbers';
import type { IPlace } from './places';
import { placeOf, standing, together } from './places';
import type { IVote, Policy } from './policies';
import { isFinished } from './policies';

/** Whether a rule could fire for an answer if so many more samples end and all are for it. */
export type Possible = (prospect: Prospect, more: number) => boolean;

/** Fewest further samples, from 1, with which a rule could fire; at most what is to come. */
export function leastMore(now: Look, possible: Possible): number {
  let best = now.coming.length;
  for (const prospect of best > 1 ? prospectsOf(now) : []) {
    if (best > 1 && possible(prospect, best - 1)) {
      best = firstFrom1(best - 1, more => possible(prospect, more));
    }
  }
  return best;
}

/** The same heads if so many more samples end, all of them for the answer. */
export function headsAfter(heads: IHeads, more: number): IHeads {
  return {
    ...heads,
    count: heads.count + more,
    answered: heads.answered + more,
    finished: heads.finished + more,
    streak: heads.streak + more
  };
}

/** The median factor of the ballots that have an entropy, and how it may move. */
class Factors {
  constructor(now: Look, ballots: readonly IViewBallot[]) {
    this._known = ballots
      .map(({ factor }) => factor)
      .filter(factor => factor !== null)
      .sort((a, b) => a - b);
    this.missing =
      now.policy.weighsEntropy && this._known.length < ballots.length;
    this._moving = this.missing && now.measurable;
  }

  readonly missing: boolean;

  /** Least and greatest once so many more samples have ended. */
  after(more: number): readonly number[] {
    return this._moving
      ? [this._median(more, 0), this._median(0, more)]
      : [this._median(0, 0)];
  }

  /** Bounds of the lower of the two factors that `Uncatchable` tries, after so many more. */
  againstLeader(more: number, left: number): readonly number[] {
    return this._moving ? [0, this._median(left, more)] : [this._median(0, 0)];
  }

  private _median(zeros: number, ones: number): number {
    const total = zeros + this._known.length + ones;
    if (total === 0) {
      return 1;
    }
    const at = (place: number): number =>
      place < zeros ? 0 : (this._known.at(place - zeros) ?? 1);
    const [low, high] = [(total - 1) >> 1, total >> 1];
    return low === high ? at(low) : (at(low) + at(high)) / 2;
  }

  private readonly _known: readonly number[];
  private readonly _moving: boolean;
}

/** One answer at best: its heads, where it stands at most, and where the next ones at least. */
export class Prospect {
  constructor(
    private readonly _now: Look,
    private readonly _factors: Factors,
    readonly heads: IHeads,
    private readonly _most: IPlace,
    private readonly _rivals: readonly IPlace[]
  ) {}

  /** Whether so many more samples could put it first, untied, with as many heads as any. */
  couldLead(more: number): boolean {
    const { policy } = this._now;
    if (this.heads.count + more < this.heads.second) {
      return false;
    }
    return this._rivals.every(rival =>
      this._factors
        .after(more)
        .some(usual =>
          policy.decidesFor(
            standing(this._most, usual, policy, more, 'at-most'),
            standing(rival, usual, policy, 0, 'at-least')
          )
        )
    );
  }

  /** Whether so many more samples could put it out of reach of all that is left then. */
  couldBeSafe(more: number): boolean {
    const { policy, coming } = this._now;
    const left = coming.length - more;
    if (left === 0) {
      return false;
    }
    const first = Math.min(this._most.first, ...coming.slice(0, more));
    return this._rivals.every(rival =>
      this._factors.againstLeader(more, left).some(usual => {
        const most = standing(this._most, usual, policy, more, 'at-most');
        const other = standing(rival, usual, policy, left, 'at-least');
        return (
          policy.compare(
            { ...most, first },
            { ...other, first: Math.min(rival.first, coming[more]) }
          ) < 0
        );
      })
    );
  }
}

/** What answers can come to: the first one, and those that are not behind it in all. */
function prospectsOf(now: Look): Prospect[] {
  const known = new Known(now);
  const { least } = known;
  const counts = [...least.values()]
    .map(({ count }) => count)
    .sort((a, b) => b - a);
  const byFactor = (known.factors.missing ? [0, 1] : [0]).map(usual =>
    known.ranked(usual)
  );
  const keys: (number | null)[] = byFactor[0].length > 0 ? byFactor[0] : [null];
  return keys
    .filter(
      (key, place) =>
        key === null || place === 0 || !known.behind(key, byFactor[0][0])
    )
    .map(key => {
      const most = known.mostOf(key);
      const hasMost = key !== null && least.get(key)?.count === counts[0];
      const others = new Set(
        byFactor.flatMap(ranked =>
          ranked.slice(0, 2).filter(other => other !== key)
        )
      );
      const rivals = [...others]
        .map(other => least.get(other))
        .filter(place => place !== undefined);
      return new Prospect(
        now,
        known.factors,
        {
          count: most.count,
          second: counts.at(hasMost ? 1 : 0) ?? 0,
          answered: now.answered,
          finished: now.finished,
          planned: now.planned,
          streak: known.streak(key)
        },
        most,
        rivals.length > 0 ? rivals : [placeOf(now, [], false)]
      );
    });
}

/** The votes of a run by settled answer, and those that may yet be for any. */
class Known {
  constructor(now: Look) {
    const { poll, answers } = now;
    const settled = new Map<number, IVote[]>();
    const anyones: IVote[] = [];
    for (const vote of poll.votes) {
      const { answer } = vote.ballot;
      const key = answers.key(answer);
      const own = settled.get(key);
      if (!poll.settled && !answers.isSettled(answer)) {
        anyones.push(vote);
      } else if (own === undefined) {
        settled.set(key, [vote]);
      } else {
        own.push(vote);
      }
    }
    this._policy = now.policy;
    this.factors = new Factors(
      now,
      poll.votes.map(({ ballot }) => ballot)
    );
    const { missing } = this.factors;
    this._anyones = placeOf(now, anyones, missing);
    this.least =
      missing || anyones.length > 0
        ? new Map(
            [...settled].map(([key, own]) => [key, placeOf(now, own, missing)])
          )
        : new Map(
            now.candidates.map(each => [each.key, { ...each, unmeasured: 0 }])
          );
    this._countStreaks(now, settled, anyones);
  }

  readonly factors: Factors;
  readonly least: ReadonlyMap<number, IPlace>;

  /** Where an answer stands at most: with its own votes, and those that may be for any. */
  mostOf(key: number | null): IPlace {
    const own = key === null ? undefined : this.least.get(key);
    return own === undefined ? this._anyones : together(own, this._anyones);
  }

  /** Keys in the order in which the policy has what is certain, with this median factor. */
  ranked(usual: number): number[] {
    const standings = [...this.least].map(
      ([key, place]) =>
        [key, standing(place, usual, this._policy, 0, 'at-least')] as const
    );
    standings.sort(([, one], [, other]) => this._policy.compare(one, other));
    return standings.map(([key]) => key);
  }

  /** Whether an answer, whatever comes, is no sooner there than the leader. */
  behind(key: number, leader: number): boolean {
    const most = this.least.get(key);
    const least = this.least.get(leader);
    return (
      most !== undefined &&
      least !== undefined &&
      most.weight <= least.weight &&
      most.unmeasured <= least.unmeasured &&
      most.count <= least.count &&
      most.codeVerified <= least.codeVerified &&
      least.first <= most.first &&
      this.streak(key) <= this.streak(leader)
    );
  }

  /** Last finished samples in a row that may be for an answer. */
  streak(key: number | null): number {
    return (
      (key === null ? undefined : this._streaks.get(key)) ??
      this._streakOfOthers
    );
  }

  private _countStreaks(
    now: Look,
    settled: ReadonlyMap<number, readonly IVote[]>,
    anyones: readonly IVote[]
  ): void {
    const said = new Map<number, Set<number>>();
    for (const [key, votes] of settled) {
      for (const { sample } of votes) {
        const keys = said.get(sample) ?? new Set<number>();
        said.set(sample, keys.add(key));
      }
    }
    const forAny = new Set(anyones.map(({ sample }) => sample));
    let length = 0;
    let alive: Set<number> | null = null;
    for (const { sample } of now.outcomes.filter(isFinished).reverse()) {
      if (!forAny.has(sample)) {
        const keys = said.get(sample) ?? new Set<number>();
        alive = alive === null ? keys : inBoth(alive, keys);
        if (alive.size === 0) {
          break;
        }
      }
      length += 1;
      if (alive === null) {
        this._streakOfOthers = length;
      } else {
        alive.forEach(key => this._streaks.set(key, length));
      }
    }
  }

  private readonly _policy: Policy;
  private readonly _anyones: IPlace;
  private readonly _streaks = new Map<number, number>();
  private _streakOfOthers = 0;
}

function inBoth(one: Set<number>, other: Set<number>): Set<number> {
  return new Set([...one].filter(key => other.has(key)));
}
