/**
 * How soon a stop rule could fire: what each answer can come to at best.
 *
 * A port of `jupyterlab_tir/voting/prospects.py` for runs in which no replay is waited for; that
 * says what these numbers mean.
 */
import type { Count } from './count';
import type { Factors } from './factors';
import type { IHeads, Look } from './look';
import { firstFrom1 } from './numbers';
import type { Pile } from './piles';
import { byFirstVote } from './piles';
import type { IPlace } from './places';
import { placeOf, standing, together } from './places';
import type { Policy } from './policies';
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

/** The factor that stands in for a missing entropy, and how it may move. */
class Usual {
  constructor({ count, measurable }: Pick<Look, 'count' | 'measurable'>) {
    this._factors = count.factors;
    this.isMissing = count.policy.weighsEntropy && count.factors.isMissing;
    this._moving = this.isMissing && measurable;
  }

  readonly isMissing: boolean;

  /** Least and greatest once so many more samples have ended. */
  after(more: number): readonly number[] {
    return this._moving
      ? [this._factors.median(more, 0), this._factors.median(0, more)]
      : [this._factors.median(0, 0)];
  }

  /** Bounds of the lower of the two factors that `Uncatchable` tries, after so many more. */
  againstLeader(more: number, left: number): readonly number[] {
    return this._moving
      ? [0, this._factors.median(left, more)]
      : [this._factors.median(0, 0)];
  }

  private readonly _factors: Factors;
  private readonly _moving: boolean;
}

/** One answer at best: its heads, where it stands at most, and where the next ones at least. */
export class Prospect {
  constructor(
    private readonly _known: Known,
    readonly heads: IHeads,
    private readonly _most: IPlace,
    private readonly _rivals: readonly IPlace[]
  ) {}

  /** Whether so many more samples could put it first, untied, with as many heads as any. */
  couldLead(more: number): boolean {
    const { policy, usual } = this._known;
    if (this.heads.count + more < this.heads.second) {
      return false;
    }
    return this._rivals.every(rival =>
      usual
        .after(more)
        .some(factor =>
          policy.decidesFor(
            standing(this._most, factor, policy, more, 'at-most'),
            standing(rival, factor, policy, 0, 'at-least')
          )
        )
    );
  }

  /** Whether so many more samples could put it out of reach of all that is left then. */
  couldBeSafe(more: number): boolean {
    const { coming, policy, usual } = this._known;
    const left = coming.length - more;
    if (left === 0) {
      return false;
    }
    const first = Math.min(this._most.first, coming[0]);
    return this._rivals.every(rival =>
      usual.againstLeader(more, left).some(factor => {
        const most = standing(this._most, factor, policy, more, 'at-most');
        const other = standing(rival, factor, policy, left, 'at-least');
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
  const { least, usual } = known;
  const { count, planned } = now;
  const counts = [...least.values()]
    .map(place => place.count)
    .sort((a, b) => b - a);
  const byFactor = (usual.isMissing ? [0, 1] : [0]).map(factor =>
    known.ranked(factor)
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
        known,
        {
          count: most.count,
          second: counts.at(hasMost ? 1 : 0) ?? 0,
          answered: count.answered,
          finished: count.finished,
          planned,
          streak: known.streak(key)
        },
        most,
        rivals.length > 0 ? rivals : [placeOf([], known.policy, planned)]
      );
    });
}

/** The votes of a run by settled answer, and those that may yet be for any. */
class Known {
  constructor({ coming, count, measurable, planned }: Look) {
    this.coming = coming.all();
    this.policy = count.policy;
    this.usual = new Usual({ count, measurable });
    const open = [...count.open.values()];
    this._anyones = placeOf(open, this.policy, planned);
    // Where all is known, the order to begin with is that of the candidates.
    const isKnown = !this.usual.isMissing && open.length === 0;
    const settled = [...count.settled]
      .map(([key, pile]) => {
        const place = placeOf([pile], this.policy, planned);
        return { key, place, vote: pile.first };
      })
      .sort(
        (one, other) =>
          (isKnown ? this.policy.compare(one.place, other.place) : 0) ||
          byFirstVote(one.vote, other.vote)
      );
    this.least = new Map(settled.map(({ key, place }) => [key, place]));
    this._countStreaks(count, open);
  }

  readonly coming: readonly number[];
  readonly policy: Policy;
  readonly usual: Usual;
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
        [key, standing(place, usual, this.policy, 0, 'at-least')] as const
    );
    standings.sort(([, one], [, other]) => this.policy.compare(one, other));
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

  private _countStreaks(count: Count, open: readonly Pile[]): void {
    const said = new Map<number, Set<number>>();
    for (const [key, { samples }] of count.settled) {
      for (const sample of samples) {
        const keys = said.get(sample) ?? new Set<number>();
        said.set(sample, keys.add(key));
      }
    }
    const forAny = new Set(open.flatMap(({ samples }) => [...samples]));
    let length = 0;
    let alive: Set<number> | null = null;
    for (const { sample } of count.outcomes.filter(isFinished).reverse()) {
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

  private readonly _anyones: IPlace;
  private readonly _streaks = new Map<number, number>();
  private _streakOfOthers = 0;
}

function inBoth(one: Set<number>, other: Set<number>): Set<number> {
  return new Set([...one].filter(key => other.has(key)));
}
