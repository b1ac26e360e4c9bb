/**
 * Stop rules by name: are more samples needed?
 *
 * A port of `jupyterlab_tir/voting/rules.py` and `config/stop_rules.py`. The lossless rule is always
 * among them and asked first; the others count heads.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IDecision, IHeads, Look, RuleName } from './look';
import { brief, percent } from './numbers';
import { headsAfter, leastMore } from './prospects';
import { Uncatchable } from './uncatchable';

export const USUAL_TAU = 0.75;
export const USUAL_ANSWERS = 4;
export const USUAL_BETA = 0.97;

/** A stop rule. */
export interface IRule {
  readonly name: RuleName;
  /** Decides; null while more samples are wanted. */
  check(now: Look): IDecision | null;
  /** Fewest further samples that must end before it can fire; 0 if it fires now. */
  short(now: Look): number;
}

/** What tells the rules that count heads apart. */
interface IHeadRule {
  readonly name: RuleName;
  holds(heads: IHeads): boolean;
  numbers(heads: IHeads): Readonly<Record<string, number>>;
  words(heads: IHeads, shown: string, trans: TranslationBundle): string;
}

class HeadRule implements IRule {
  constructor(private readonly _rule: IHeadRule) {
    this.name = _rule.name;
  }

  readonly name: RuleName;

  check(now: Look): IDecision | null {
    const leader = now.agreedLeader;
    const heads = now.leadingHeads;
    if (leader === undefined || heads === undefined) {
      return null;
    }
    const { holds, numbers, words } = this._rule;
    return holds(heads)
      ? {
          rule: this.name,
          after: now.finished,
          sample: now.last,
          numbers: numbers(heads),
          words: trans => words(heads, leader.shown, trans)
        }
      : null;
  }

  short(now: Look): number {
    return this.check(now) !== null
      ? 0
      : leastMore(
          now,
          (prospect, more) =>
            prospect.couldLead(more) &&
            this._rule.holds(headsAfter(prospect.heads, more))
        );
  }
}

function share(tau: number, minAnswers: number): IHeadRule {
  return {
    name: 'share',
    // The quotient, not tau times the samples: 0.57 * 100 is a hair below 57.
    holds: ({ answered, count, finished }) =>
      answered >= minAnswers && count / finished > tau,
    numbers: ({ answered, count, finished }) => ({
      count,
      finished,
      share: count / finished,
      tau,
      answered,
      min_answers: minAnswers
    }),
    words: ({ count, finished }, shown, trans) =>
      trans.__(
        '%1 of %2 finished samples (%3) say %4: more than tau = %5, and the weights agree.',
        count,
        finished,
        percent(count / finished),
        shown,
        brief(tau)
      )
  };
}

function planned(tau: number): IHeadRule {
  return {
    name: 'planned',
    holds: heads => heads.count / heads.planned > tau,
    numbers: heads => ({
      count: heads.count,
      planned: heads.planned,
      share: heads.count / heads.planned,
      tau
    }),
    words: (heads, shown, trans) =>
      trans.__(
        '%1 of %2 planned samples (%3) say %4: more than tau = %5, and the weights agree.',
        heads.count,
        heads.planned,
        percent(heads.count / heads.planned),
        shown,
        brief(tau)
      )
  };
}

function beta(p: number): IHeadRule {
  return {
    name: 'beta',
    holds: ({ count, second }) => isAbove(majorityChance(count, second), p),
    numbers: ({ count, second }) => ({
      count,
      second,
      chance: roundedDown(majorityChance(count, second)),
      p
    }),
    words: ({ count, second }, shown, trans) =>
      trans.__(
        '%1 has %2 samples and the next answer %3: the chance that it is the majority of the two is %4, more than p = %5, and the weights agree.',
        shown,
        count,
        second,
        roundedDown(majorityChance(count, second)).toFixed(4),
        brief(p)
      )
  };
}

function lead(k: number): IHeadRule {
  return {
    name: 'lead',
    holds: ({ count, second }) => count - second >= k,
    numbers: ({ count, second }) => ({
      count,
      second,
      lead: count - second,
      k
    }),
    words: ({ count, second }, shown, trans) =>
      trans.__(
        '%1 has %2 samples, %3 more than any other answer: a lead of %4 was asked for, and the weights agree.',
        shown,
        count,
        count - second,
        k
      )
  };
}

function window(w: number): IHeadRule {
  return {
    name: 'window',
    holds: ({ streak }) => streak >= w,
    numbers: ({ streak }) => ({ streak, w }),
    words: (_, shown, trans) =>
      trans.__(
        'The last %1 finished samples all say %2, and the weights agree.',
        w,
        shown
      )
  };
}

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

/** Whether a fraction is above a number, exactly. */
function isAbove({ above, below }: IFraction, p: number): boolean {
  // A number from 0.5 to 1 is a multiple of 2^-53.
  return above * (1n << 53n) > BigInt(p * 2 ** 53) * below;
}

/** Four digits, rounded down: a chance below 1 is not shown as 1. */
function roundedDown({ above, below }: IFraction): number {
  return Number((above * 10_000n) / below) / 10_000;
}

/** What the first rule that fires says; null while more samples matter. */
export function applyRules(
  rules: readonly IRule[],
  now: Look
): IDecision | null {
  if (now.coming.length === 0) {
    return null;
  }
  for (const rule of rules) {
    const decision = rule.check(now);
    if (decision !== null) {
      return decision;
    }
  }
  return null;
}

/** Fewest further samples that must end before any rule can fire; 0 if one fires now. */
export function samplesShort(rules: readonly IRule[], now: Look): number {
  return Math.min(now.coming.length, ...rules.map(rule => rule.short(now)));
}

const NUMBER = /^[0-9]{1,9}(?:\.[0-9]{1,20})?$/;

function isWhole(value: number, least: number): boolean {
  return Number.isInteger(value) && value >= least && value <= 1024;
}

const HEAD_RULES: Readonly<
  Record<string, (value: number, minAnswers: number) => IHeadRule | null>
> = {
  share: (tau, minAnswers) =>
    tau >= 0.5 && tau <= 1 ? share(tau, minAnswers) : null,
  planned: tau => (tau >= 0.5 && tau <= 1 ? planned(tau) : null),
  beta: p => (p >= 0.5 && p < 1 ? beta(p) : null),
  lead: k => (isWhole(k, 1) ? lead(k) : null),
  window: w => (isWhole(w, 2) ? window(w) : null)
};

/** Makes rules of `share:0.75,lead:3`; null where that is not what stop rules look like. */
export function parseRules(
  text: string,
  tau: number,
  minAnswers: number
): readonly IRule[] | null {
  const rules: IRule[] = [new Uncatchable()];
  const names = new Set<string>();
  for (const part of partsOf(text, tau, minAnswers)) {
    const [name, number] = part;
    if (names.has(name)) {
      return null;
    }
    names.add(name);
    if (name === 'none' || name === 'uncatchable') {
      if (number !== null) {
        return null;
      }
      continue;
    }
    const value = name === 'share' ? (number ?? tau) : (number ?? NaN);
    const made = Object.hasOwn(HEAD_RULES, name)
      ? HEAD_RULES[name](value, minAnswers)
      : null;
    if (made === null) {
      return null;
    }
    rules.push(new HeadRule(made));
  }
  return names.has('none') && names.size > 1 ? null : rules;
}

type Part = readonly [string, number | null];

/** Rules as written, with those in place of `usual` that it stands for. */
function partsOf(text: string, tau: number, minAnswers: number): Part[] {
  return text.split(',').flatMap(written => {
    const [name, number] = written.trim().split(/:(.*)/s);
    if (written.trim() === 'usual') {
      return usualParts(tau, minAnswers);
    }
    const digits = (number as string | undefined)?.trim();
    const value =
      digits === undefined ? null : NUMBER.test(digits) ? Number(digits) : NaN;
    return [[name, value] as const];
  });
}

function usualParts(tau: number, minAnswers: number): Part[] {
  const alone = tau > USUAL_TAU || minAnswers > USUAL_ANSWERS;
  return alone
    ? [['share', tau]]
    : [
        ['share', tau],
        ['beta', USUAL_BETA]
      ];
}
