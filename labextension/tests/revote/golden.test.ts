/**
 * Voting again gives what Python's voting room gives, to the bit: weights, orders, stops, words.
 *
 * `golden.json` is written by tests/viewing/test_revoting_data.py.
 */
import { describe, expect, it } from 'vitest';

import { Answers } from '../../src/view/revote/answers';
import type { IAsk } from '../../src/view/revote/course';
import { Count } from '../../src/view/revote/count';
import { Course } from '../../src/view/revote/course';
import { Look } from '../../src/view/revote/look';
import type { PolicyName } from '../../src/view/revote/policies';
import { Policy } from '../../src/view/revote/policies';
import type { IRule } from '../../src/view/revote/rules';
import { parseRules } from '../../src/view/revote/rules';
import type { IViewRevote } from '../../src/view/wire';
import golden from '../data/revote/golden.json';
import { plainTranslation } from '../plainTranslation';
import { revoteOf } from './reading';

interface IGoldenAsk {
  readonly ask: Readonly<Record<string, unknown>>;
  readonly decision: readonly unknown[] | null;
  readonly samples: number;
  readonly tokens: number;
  readonly inFlight: number;
  readonly tally: Readonly<Record<string, unknown>>;
}

const cases = golden.cases.map(each => ({
  ...each,
  revote: revoteOf(each.revote),
  asks: each.asks as unknown as readonly IGoldenAsk[]
}));

function lastRule(text: string): IRule {
  const rule = parseRules(text, 0.75, 4)?.at(-1);
  if (rule === undefined) {
    throw new Error(`no rule: ${text}`);
  }
  return rule;
}

function askOf(ask: IGoldenAsk['ask']): IAsk {
  const { min_answers: minAnswers, w_code: wCode, ...others } = ask;
  return { ...others, minAnswers, wCode } as IAsk;
}

function lookAt(
  revote: IViewRevote,
  end: number,
  how: (typeof golden.cases)[number]['prefixes']
): Look {
  const policy = new Policy(how.policy as PolicyName, { ...how, maxBlocks: 3 });
  const ended = revote.ended.slice(0, end);
  const count = new Count(policy, new Answers(revote), ended);
  return new Look(count, how.planned, how.measurable);
}

describe('voting again, held to what Python says', () => {
  it.each(cases)('asks every rule after every sample: $name', each => {
    const rules = golden.rules.slice(0, 7).map(lastRule);
    const { looks } = each.prefixes;
    expect(looks).toHaveLength(each.revote.ended.length + 1);
    looks.forEach((expected, end) => {
      const now = lookAt(each.revote, end, each.prefixes);
      const found = [
        now.count.candidates().map(({ key }) => key),
        rules.map(rule => (rule.check(now) === null ? '0' : '1')).join(''),
        rules.map(rule => rule.short(now))
      ];
      expect([end, ...found]).toEqual([end, ...expected]);
    });
  });

  it.each(
    cases.flatMap(({ asks, name, revote }) =>
      asks.map(expected => ({
        name: `${name}, ${JSON.stringify(expected.ask)}`,
        revote,
        expected
      }))
    )
  )('goes through the run: $name', ({ expected, revote }) => {
    const found = new Course(revote).vote(
      askOf(expected.ask),
      plainTranslation
    );
    const { decision, tally } = found;
    const place = new Map(revote.keys.map(({ key }, n) => [key, n]));
    expect({
      ask: expected.ask,
      decision:
        decision === null
          ? null
          : [
              decision.rule,
              decision.after,
              decision.sample,
              decision.words(plainTranslation),
              withoutCase(decision.numbers)
            ],
      samples: found.samples,
      tokens: found.tokens,
      inFlight: found.inFlight,
      tally: {
        counts: [
          tally.planned,
          tally.finished,
          tally.answered,
          tally.lost,
          tally.unfinished
        ],
        candidates: tally.candidates.map(row => [
          place.get(row.key),
          row.shown,
          row.count,
          row.codeVerified,
          row.weight,
          row.share,
          row.meanEntropy,
          row.samples
        ]),
        without: tally.withoutBallot.map(row => [row.status, row.samples]),
        tied: tally.tied,
        remarks: tally.remarks
      }
    }).toEqual(expected);
  });
});

/** Measures by the names that records have. */
function withoutCase(
  numbers: Readonly<Record<string, number>>
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [
      name.replace('codeVerified', 'code_verified'),
      value
    ])
  );
}
