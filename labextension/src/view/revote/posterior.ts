/**
 * The chance that what leads is the majority of two answers.
 *
 * A port of `jupyterlab_tir/voting/posterior.py`.
 */

/** A fraction in integers. */
interface IFraction {
  readonly above: bigint;
  readonly below: bigint;
}

/**
 * Chance that the leader is the majority of two answers, after so many samples of each: the exact
 * posterior P(θ > 1/2) under Beta(1 + leader, 1 + second).
 */
export function majorityChance(leader: number, second: number): IFraction {
  const tosses = BigInt(leader + second + 1);
  let term = 1n;
  let above = 1n;
  for (let heads = 1n; heads <= BigInt(leader); heads += 1n) {
    term = (term * (tosses - heads + 1n)) / heads;
    above += term;
  }
  return { above, below: 1n << tosses };
}

/** More than rounding can do to the sum of a chance. */
const ROUNDING = 1e-9;

/** Whether the leader is the majority with more than this chance, exactly. */
export function isMajority(leader: number, second: number, p: number): boolean {
  const about = aboutChance(leader, second);
  return Math.abs(about - p) > ROUNDING
    ? about > p
    : isAbove(majorityChance(leader, second), p);
}

/** The same chance as a sum of doubles: all but the closest are told apart by it. */
function aboutChance(leader: number, second: number): number {
  if (leader < second) {
    return 1 - aboutChance(second, leader);
  }
  const tosses = leader + second + 1;
  const half = tosses >> 1;
  // C(tosses, half) / 2^tosses; the chances of fewer heads add up to a half, without an even middle.
  let term = tosses % 2 === 1 ? tosses / (tosses + 1) : 1;
  for (let pair = 1; pair <= half; pair += 1) {
    term *= (2 * pair - 1) / (2 * pair);
  }
  let sum = tosses % 2 === 1 ? 0.5 : 0.5 + term / 2;
  for (let heads = half + 1; heads <= leader; heads += 1) {
    term *= (tosses - heads + 1) / heads;
    sum += term;
  }
  return sum;
}

/** Whether a fraction is above a number, exactly. */
function isAbove({ above, below }: IFraction, p: number): boolean {
  // A number from 0.5 to 1 is a multiple of 2^-53.
  return above * (1n << 53n) > BigInt(p * 2 ** 53) * below;
}

/** Four digits, rounded down: a chance below 1 is not shown as 1. */
export function roundedDown({ above, below }: IFraction): number {
  return Number((above * 10_000n) / below) / 10_000;
}
