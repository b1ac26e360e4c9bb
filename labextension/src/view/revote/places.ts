/**
 * Where an answer stands while the factor that stands in for missing entropies may still move.
 *
 * A part of the port of `jupyterlab_tir/voting/prospects.py`.
 */
import { ExactSum } from './numbers';
import type { Pile } from './piles';
import { standingOf } from './piles';
import type { IStanding, Policy } from './policies';

// More than rounding can do to a sum of weights, as a part of it.
const ROUNDING = 1e-12;

/** A standing whose weight gains `unmeasured` if the median factor goes from 0 to 1. */
export interface IPlace extends IStanding {
  readonly unmeasured: number;
}

/** Where two sets of votes stand together. */
export function together(one: IPlace, other: IPlace): IPlace {
  return {
    weight: one.weight + other.weight,
    unmeasured: one.unmeasured + other.unmeasured,
    count: one.count + other.count,
    codeVerified: one.codeVerified + other.codeVerified,
    first: Math.min(one.first, other.first)
  };
}

/** Where it is with so many more of the heaviest samples, rounding on one side. */
export function standing(
  place: IPlace,
  usual: number,
  policy: Policy,
  more: number,
  side: 'at-most' | 'at-least'
): IStanding {
  let weight = place.weight + usual * place.unmeasured;
  if (more > 0) {
    weight += more * policy.mostASample;
  }
  if (!Number.isInteger(weight)) {
    weight *= side === 'at-most' ? 1 + ROUNDING : 1 - ROUNDING;
  }
  return {
    weight,
    count: place.count + more,
    codeVerified: place.codeVerified + (policy.verifiable ? more : 0),
    first: place.first
  };
}

/** Where some votes stand; `none` is the launch index of no votes. */
export function placeOf(
  piles: readonly Pile[],
  policy: Policy,
  none: number
): IPlace {
  const gains = new ExactSum();
  piles.forEach(pile => pile.addGains(gains));
  const now = standingOf(piles, 0, policy);
  return {
    ...now,
    unmeasured: gains.value,
    first: Math.min(now.first, none)
  };
}
