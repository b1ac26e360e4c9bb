/**
 * The lossless stop rule: whatever may still come, the leader stays.
 *
 * A port of `jupyterlab_tir/voting/rules_uncatchable.py`, which says why each case is as it is.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IDecision, Look } from './look';
import { twoDigits } from './numbers';
import type { Pile } from './piles';
import { byFirstVote, distinct, firstOf, weightsOf } from './piles';
import type { IStanding, Measure, Policy } from './policies';

/** Where factors may move, a rival must be short by more than rounding can do to a sum. */
const MARGIN = 1 + 1e-12;

/** What it says; null while the leader may still change, and where nothing can change. */
export function lossless(now: Look): IDecision | null {
  const { count } = now;
  const { policy } = count;
  const [leader, second] = count.leaders;
  if (leader === undefined || now.coming.length === 0) {
    return null;
  }
  const bounds = new Bounds(now, leader.key);
  // Most looks end at one of these two: a new answer, and the one that is second.
  const settled = second && count.settled.get(second.key);
  const likely = [[], ...(settled === undefined ? [] : [[settled]])];
  if (!bounds.usualFactors.every(usual => bounds.isAhead(usual, likely))) {
    return null;
  }
  const rivals = bounds.rivals();
  let closest: readonly [IStanding, IStanding] | null = null;
  for (const usual of bounds.usualFactors) {
    const least = bounds.least(usual);
    for (const rival of rivals) {
      const most = bounds.most(rival, usual);
      if (least === null || policy.compare(least, most) >= 0) {
        return null;
      }
      if (
        closest === null ||
        ahead(policy, least, most) < ahead(policy, ...closest)
      ) {
        closest = [least, most];
      }
    }
  }
  return closest && decision(now, count.shown(leader), ...closest);
}

/** The least that is certain for the leader, and the most that each rival could get. */
class Bounds {
  constructor(
    private readonly _now: Look,
    private readonly _leader: number
  ) {
    const { coming, count, measurable } = _now;
    const { factors } = count;
    this._moving = measurable && factors.isMissing;
    this.usualFactors = this._moving
      ? [factors.median(coming.length, 0), factors.median(0, coming.length)]
      : [factors.usual];
    this._sortOut();
  }

  readonly usualFactors: readonly number[];

  /** Where the leader stands at least; null if no vote of it is certain. */
  least(usual: number): IStanding | null {
    return this._leaders.length > 0
      ? this._standing(this._leaders, usual, 0)
      : null;
  }

  /** Where a rival with these votes of its own stands at most. */
  most(own: readonly Pile[], usual: number): IStanding {
    return this._standing(
      [...own, ...this._anyones],
      usual,
      this._now.coming.length
    );
  }

  /** Whether the leader comes before all of these, whatever they get. */
  isAhead(usual: number, rivals: readonly (readonly Pile[])[]): boolean {
    const least = this.least(usual);
    const { policy } = this._now.count;
    return (
      least !== null &&
      rivals.every(own => policy.compare(least, this.most(own, usual)) < 0)
    );
  }

  /** The votes that each rival has: first those of a new answer, which has none. */
  rivals(): readonly (readonly Pile[])[] {
    const rivals = new Map<number, Pile[]>();
    const toRival = (key: number, pile: Pile): void => {
      rivals.set(key, [...(rivals.get(key) ?? []), pile]);
    };
    inLaunchOrder(this._now.count.settled)
      .filter(([key]) => key !== this._leader)
      .forEach(([key, pile]) => toRival(key, pile));
    for (const [key, pile] of this._openRivals) {
      toRival(key, pile);
    }
    return [[], ...rivals.values()];
  }

  /** For whom the votes are whose answers are not settled, whatever they stand for now. */
  private _sortOut(): void {
    const { answers, open, settled } = this._now.count;
    const own = settled.get(this._leader);
    this._leaders.push(...(own === undefined ? [] : [own]));
    for (const [answer, pile] of inLaunchOrder(open)) {
      const key = answers.key(answer);
      const readings = answers.readings(answer);
      if (readings.some(each => answers.hasFloat(each))) {
        if (readings.length === 1 && answers.isFloatOf(key, this._leader)) {
          this._openRivals.push([key, pile]);
        } else {
          this._anyones.push(pile);
        }
      } else if (own !== undefined && key === this._leader) {
        // Its first reading is somebody's settled answer, so it is read as that.
        this._leaders.push(pile);
      } else {
        readings
          .filter(each => each !== this._leader)
          .forEach(each => this._openRivals.push([each, pile]));
      }
    }
  }

  private _standing(
    piles: readonly Pile[],
    usual: number,
    coming: number
  ): IStanding {
    const { count, coming: all } = this._now;
    const { policy } = count;
    // One exact sum, rounded once as the tally's own are.
    const sum = weightsOf(piles, usual);
    policy.addHeaviest(sum, coming);
    const more = this._moving && coming > 0;
    return {
      weight: more ? sum.value * MARGIN : sum.value,
      count: distinct(piles, policy, 'samples') + coming,
      codeVerified:
        distinct(piles, policy, 'verified') + (policy.verifiable ? coming : 0),
      first: Math.min(firstOf(piles), coming > 0 ? all.first : Infinity)
    };
  }

  private readonly _anyones: Pile[] = [];
  private readonly _leaders: Pile[] = [];
  private readonly _moving: boolean;
  private readonly _openRivals: [number, Pile][] = [];
}

function inLaunchOrder(piles: ReadonlyMap<number, Pile>): [number, Pile][] {
  return [...piles].sort(([, one], [, other]) =>
    byFirstVote(one.first, other.first)
  );
}

/** By how much the leader is ahead in what decides first. */
function ahead(
  { decidedBy: [measure] }: Policy,
  leader: IStanding,
  rival: IStanding
): number {
  return leader[measure] - rival[measure];
}

function decision(
  { coming, count, planned }: Look,
  shown: string,
  least: IStanding,
  most: IStanding
): IDecision {
  const { policy } = count;
  const [measure] = policy.decidedBy;
  // The look goes on when the next sample ends.
  const left = coming.length;
  return {
    rule: 'uncatchable',
    after: count.finished,
    sample: count.last,
    numbers: {
      [`least_${measure}`]: least[measure],
      [`most_${measure}`]: most[measure],
      coming: left,
      replaying: 0,
      planned
    },
    words: trans => {
      const given = [
        shown,
        measureWords(measure, trans),
        shownMeasure(measure, least),
        shownMeasure(measure, most),
        left,
        planned
      ];
      return least[measure] === most[measure]
        ? trans.__(
            '%1 cannot be caught: its %2 is at least %3, and no other answer can pass %4 with %5 of %6 samples still to come; a tie goes to it by %7.',
            ...given,
            tieBreak(policy, least, most, trans)
          )
        : trans.__(
            '%1 cannot be caught: its %2 is at least %3, and no other answer can pass %4 with %5 of %6 samples still to come.',
            ...given
          );
    }
  };
}

function tieBreak(
  policy: Policy,
  least: IStanding,
  most: IStanding,
  trans: TranslationBundle
): string {
  const measure = [...policy.decidedBy.slice(1), ...policy.tiesBy].find(
    each => least[each] !== most[each]
  );
  return measure === undefined
    ? trans.__('launch order')
    : measureWords(measure, trans);
}

/** A measure's name in a sentence. */
export function measureWords(
  measure: Measure,
  trans: TranslationBundle
): string {
  const words = {
    weight: trans.__('weight'),
    count: trans.__('count'),
    codeVerified: trans.__('code-verified count')
  };
  return words[measure];
}

/** A measure as sentences have it: weights with two digits, counts whole. */
export function shownMeasure(measure: Measure, of: IStanding): string {
  return measure === 'weight' ? twoDigits(of.weight) : String(of[measure]);
}
