/**
 * The lossless stop rule: whatever may still come, the leader stays.
 *
 * A port of `jupyterlab_tir/voting/rules_uncatchable.py`, which says why each case is as it is.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IDecision, Look } from './look';
import { exactSum, median, twoDigits } from './numbers';
import type { IStanding, IVote, Measure } from './policies';
import { verifiedSamples } from './policies';
import { leastMore } from './prospects';

/** Where factors may move, a rival must be short by more than rounding can do to a sum. */
const MARGIN = 1 + 1e-12;

/** The rule that is always on. */
export class Uncatchable {
  readonly name = 'uncatchable';

  /** Decides; null while the leader may still change, and where nothing can change. */
  check(now: Look): IDecision | null {
    const known = DECIDED.get(now);
    const found = known === undefined ? decide(now) : known;
    DECIDED.set(now, found);
    return found;
  }

  /** Fewest further samples that must end before it can fire; 0 if it fires now. */
  short(now: Look): number {
    return this.check(now) !== null
      ? 0
      : leastMore(now, (prospect, more) => prospect.couldBeSafe(more));
  }
}

/** What was decided of a look: it depends on nothing else. */
const DECIDED = new WeakMap<Look, IDecision | null>();

function decide(now: Look): IDecision | null {
  const { leader } = now;
  if (leader === undefined || now.coming.length === 0) {
    return null;
  }
  const bounds = new Bounds(now, leader.key);
  let closest: readonly [IStanding, IStanding] | null = null;
  for (const usual of bounds.usualFactors) {
    const least = bounds.least(usual);
    if (least === null) {
      return null;
    }
    for (const most of bounds.rivals(usual)) {
      if (now.policy.compare(least, most) >= 0) {
        return null;
      }
      if (
        closest === null ||
        ahead(now, least, most) < ahead(now, ...closest)
      ) {
        closest = [least, most];
      }
    }
  }
  return closest === null ? null : decision(now, leader.shown, ...closest);
}

/** The least that is certain for the leader, and the most that each rival could get. */
class Bounds {
  constructor(now: Look, leader: number) {
    const { votes, usual } = now.poll;
    this._now = now;
    const factors = votes
      .map(({ ballot }) => ballot.factor)
      .filter(factor => factor !== null);
    this._moving = now.measurable && factors.length < votes.length;
    this.usualFactors = this._moving
      ? [0, 1].map(end => median([...factors, ...now.coming.map(() => end)]))
      : [usual];
    this._sortOut(leader);
  }

  readonly usualFactors: readonly number[];

  /** Where the leader stands at least; null if no vote of it is certain. */
  least(usual: number): IStanding | null {
    return this._leaders.length > 0
      ? this._standing(this._leaders, usual, [])
      : null;
  }

  /** Where each rival stands at most, a new answer first: most looks end at that one. */
  *rivals(usual: number): Generator<IStanding> {
    for (const own of [[], ...this._rivals.values()]) {
      yield this._standing([...own, ...this._anyones], usual, this._now.coming);
    }
  }

  private _sortOut(leader: number): void {
    const { answers, poll } = this._now;
    const unsettled: IVote[] = [];
    poll.votes.forEach((vote, place) => {
      if (!poll.settled && !answers.isSettled(vote.ballot.answer)) {
        unsettled.push(vote);
      } else if (poll.keys[place] === leader) {
        this._leaders.push(vote);
      } else {
        this._toRival(poll.keys[place], vote);
      }
    });
    for (const vote of unsettled) {
      const { answer } = vote.ballot;
      const key = answers.key(answer);
      const readings = answers.readings(answer);
      if (readings.some(each => answers.hasFloat(each))) {
        if (readings.length === 1 && answers.isFloatOf(key, leader)) {
          this._toRival(key, vote);
        } else {
          this._anyones.push(vote);
        }
      } else if (this._leaders.length > 0 && key === leader) {
        // Its first reading is somebody's settled answer, so it is read as that.
        this._leaders.push(vote);
      } else {
        readings
          .filter(each => each !== leader)
          .forEach(each => this._toRival(each, vote));
      }
    }
  }

  private _toRival(key: number, vote: IVote): void {
    const known = this._rivals.get(key);
    if (known === undefined) {
      this._rivals.set(key, [vote]);
    } else {
      known.push(vote);
    }
  }

  private _standing(
    votes: readonly IVote[],
    usual: number,
    coming: readonly number[]
  ): IStanding {
    const { policy } = this._now;
    const weights = votes.map(vote => policy.weight(vote, usual));
    // One exact sum, rounded once as the tally's own are.
    const weight = exactSum([
      ...weights,
      ...coming.flatMap(() => policy.heaviestSample)
    ]);
    const samples = new Set(votes.map(({ sample }) => sample));
    return {
      weight: this._moving && coming.length > 0 ? weight * MARGIN : weight,
      count: samples.size + coming.length,
      codeVerified:
        verifiedSamples(votes) + (policy.verifiable ? coming.length : 0),
      first: Math.min(...samples, ...coming)
    };
  }

  private readonly _now: Look;
  private readonly _moving: boolean;
  private readonly _leaders: IVote[] = [];
  private readonly _anyones: IVote[] = [];
  private readonly _rivals = new Map<number, IVote[]>();
}

/** By how much the leader is ahead in what decides first. */
function ahead(now: Look, leader: IStanding, rival: IStanding): number {
  const [measure] = now.policy.decidedBy;
  return leader[measure] - rival[measure];
}

function decision(
  now: Look,
  shown: string,
  least: IStanding,
  most: IStanding
): IDecision {
  const [measure] = now.policy.decidedBy;
  const { coming, planned } = now;
  return {
    rule: 'uncatchable',
    after: now.finished,
    sample: now.last,
    numbers: {
      [`least_${measure}`]: least[measure],
      [`most_${measure}`]: most[measure],
      coming: coming.length,
      replaying: 0,
      planned
    },
    words: trans => {
      const given = [
        shown,
        measureWords(measure, trans),
        shownMeasure(measure, least),
        shownMeasure(measure, most),
        coming.length,
        planned
      ];
      return least[measure] === most[measure]
        ? trans.__(
            '%1 cannot be caught: its %2 is at least %3, and no other answer can pass %4 with %5 of %6 samples still to come; a tie goes to it by %7.',
            ...given,
            tieBreak(now, least, most, trans)
          )
        : trans.__(
            '%1 cannot be caught: its %2 is at least %3, and no other answer can pass %4 with %5 of %6 samples still to come.',
            ...given
          );
    }
  };
}

function tieBreak(
  { policy }: Look,
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
