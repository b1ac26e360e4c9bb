/**
 * Stop rules by name: are more samples needed?
 *
 * A port of `jupyterlab_tir/voting/rules.py` and `config/stop_rules.py`. The lossless rule is always
 * among them and asked first; the others count heads.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IDecision, IHeads, IMoment, Look, RuleName } from './look';
import { brief, counted, percent } from './numbers';
import { isMajority, majorityChance, roundedDown } from './posterior';
import { headsAfter, leastMore } from './prospects';

export const USUAL_TAU = 0.75;
export const USUAL_ANSWERS = 4;
export const USUAL_BETA = 0.97;

/** A stop rule. */
export interface IRule {
  readonly name: RuleName;
  /** Decides; null while more samples are wanted. */
  check(now: IMoment): IDecision | null;
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

  check({
    finished,
    last,
    leader,
    leadingHeads: heads
  }: IMoment): IDecision | null {
    if (leader === undefined || heads === undefined) {
      return null;
    }
    const { holds, numbers, words } = this._rule;
    return holds(heads)
      ? {
          rule: this.name,
          after: finished,
          sample: last,
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

/** The lossless rule, which a look has worked out whoever asks. */
const UNCATCHABLE: IRule = {
  name: 'uncatchable',
  check: now => now.lossless,
  short: now =>
    now.lossless !== null
      ? 0
      : leastMore(now, (prospect, more) => prospect.couldBeSafe(more))
};

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
    // `tau` is 0.5 or more: a single sample is enough only where it is the first.
    words: ({ count, finished }, shown, trans) =>
      finished === 1
        ? trans.__(
            '1 of 1 finished sample (100%) says %1: more than tau = %2, and the weights agree.',
            shown,
            brief(tau)
          )
        : trans.__(
            '%1 of %2 finished samples (%3) say %4: more than tau = %5, and the weights agree.',
            counted(count),
            counted(finished),
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
    // `tau` is 0.5 or more: a single sample is enough only where no other is planned.
    words: (heads, shown, trans) =>
      heads.planned === 1
        ? trans.__(
            '1 of 1 planned sample (100%) says %1: more than tau = %2, and the weights agree.',
            shown,
            brief(tau)
          )
        : trans.__(
            '%1 of %2 planned samples (%3) say %4: more than tau = %5, and the weights agree.',
            counted(heads.count),
            counted(heads.planned),
            percent(heads.count / heads.planned),
            shown,
            brief(tau)
          )
  };
}

function beta(p: number): IHeadRule {
  return {
    name: 'beta',
    holds: ({ count, second }) => isMajority(count, second, p),
    numbers: ({ count, second }) => ({
      count,
      second,
      chance: roundedDown(majorityChance(count, second)),
      p
    }),
    words: ({ count, second }, shown, trans) =>
      trans._n(
        '%2 has %3 sample and the next answer %4: the chance that it is the majority of the two is %5, more than p = %6, and the weights agree.',
        '%2 has %3 samples and the next answer %4: the chance that it is the majority of the two is %5, more than p = %6, and the weights agree.',
        count,
        shown,
        counted(count),
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
      trans._n(
        '%2 has %3 sample, %4 more than any other answer: a lead of %5 was asked for, and the weights agree.',
        '%2 has %3 samples, %4 more than any other answer: a lead of %5 was asked for, and the weights agree.',
        count,
        shown,
        counted(count),
        counted(count - second),
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

/** What the first rule that fires says; null while more samples matter. */
export function applyRules(
  rules: readonly IRule[],
  now: IMoment
): IDecision | null {
  if (!now.isOpen) {
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
  const rules: IRule[] = [UNCATCHABLE];
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
