/**
 * The tally of a re-vote, in the form in which a page shows the recorded one.
 *
 * A port of `jupyterlab_tir/voting/tally.py`.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IViewEnded, IViewTally } from '../wire';
import type { Look } from './look';
import { counted, twoDigits } from './numbers';
import type { ICandidate } from './count';
import type { Policy } from './policies';
import { isFinished, isLost, isUnfinished } from './policies';
import { measureWords, shownMeasure } from './uncatchable';

/** Counts what a look has seen. */
export function tallyOf(now: Look, trans: TranslationBundle): IViewTally {
  const { answers, outcomes, policy } = now.count;
  const candidates = now.count.candidates();
  const ordered = [...outcomes].sort((a, b) => a.sample - b.sample);
  const others = new Map<IViewEnded['status'], number[]>();
  for (const { ballot, sample, status } of ordered) {
    if (ballot === null) {
      others.set(status, [...(others.get(status) ?? []), sample]);
    }
  }
  return {
    policy: policy.name,
    planned: now.planned,
    finished: ordered.filter(isFinished).length,
    answered: ordered.filter(({ ballot }) => ballot !== null).length,
    lost: ordered.filter(isLost).length,
    unfinished: ordered.filter(isUnfinished).length,
    candidates: candidates.map(each => ({
      key: answers.text(each.key),
      shown: each.shown,
      count: each.count,
      codeVerified: each.codeVerified,
      weight: each.weight,
      share: each.share,
      meanEntropy: each.meanEntropy,
      samples: each.samples
    })),
    leftOut: 0,
    withoutBallot: [...others]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([status, samples]) => ({ status, samples })),
    tied: policy.tied(candidates),
    remarks: remarksOf(now, candidates, trans)
  };
}

/** What a reader of the numbers must know, in words. */
function remarksOf(
  { count: { outcomes, policy } }: Look,
  candidates: readonly ICandidate[],
  trans: TranslationBundle
): string[] {
  const said = [
    tie(policy, candidates, trans),
    disagreement(candidates, trans)
  ];
  if (policy.name !== 'weighted') {
    said.unshift(trans.__('Votes are counted by the policy %1.', policy.name));
  }
  const voting = outcomes.filter(({ ballot }) => ballot !== null);
  const unmeasured = voting.filter(({ ballot }) => ballot?.factor === null);
  if (unmeasured.length > 0 && policy.weighsEntropy) {
    said.push(
      voting.length === 1
        ? trans.__(
            '1 of 1 answer came without log-probabilities and weighs with the median factor.'
          )
        : trans._n(
            '%2 of %3 answers came without log-probabilities and weighs with the median factor.',
            '%2 of %3 answers came without log-probabilities and weigh with the median factor.',
            unmeasured.length,
            counted(unmeasured.length),
            counted(voting.length)
          )
    );
  }
  return said.filter(words => words !== '');
}

function tie(
  policy: Policy,
  candidates: readonly ICandidate[],
  trans: TranslationBundle
): string {
  if (!policy.tied(candidates)) {
    return '';
  }
  const [first, second] = candidates;
  const equal = policy.decidedBy.map(
    measure => `${measureWords(measure, trans)} ${shownMeasure(measure, first)}`
  );
  const order = [
    ...policy.tiesBy.map(measure => measureWords(measure, trans)),
    trans.__('launch')
  ].map(words => trans.__('by %1', words));
  return trans.__(
    '%1 and %2 are tied at %3; the order is %4.',
    first.shown,
    second.shown,
    equal.join(trans.__(' and ')),
    order.join(trans.__(', then '))
  );
}

/** Says where most samples and the greatest weight are for two. */
function disagreement(
  candidates: readonly ICandidate[],
  trans: TranslationBundle
): string {
  if (candidates.length === 0) {
    return '';
  }
  const [leader] = candidates;
  const most = greatest(candidates, 'count');
  const heaviest = greatest(candidates, 'weight');
  if (leader.key !== most.key) {
    return trans.__(
      'The weights choose %1 (%2 to %3), the counts %4 (%5 to %6).',
      leader.shown,
      twoDigits(leader.weight),
      twoDigits(most.weight),
      most.shown,
      most.count,
      leader.count
    );
  }
  if (leader.key !== heaviest.key) {
    return trans.__(
      'The counts choose %1 (%2 to %3), the weights %4 (%5 to %6).',
      leader.shown,
      leader.count,
      heaviest.count,
      heaviest.shown,
      twoDigits(heaviest.weight),
      twoDigits(leader.weight)
    );
  }
  return '';
}

function greatest(
  candidates: readonly ICandidate[],
  measure: 'count' | 'weight'
): ICandidate {
  return candidates.reduce((most, each) =>
    each[measure] > most[measure] ? each : most
  );
}
