/**
 * What the stop rules of a run mean, in words, before any of them has fired.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { percent, whole } from './numbers';
import type { IViewHead } from './wire';

/** What `usual` stands for beside the share rule, where nothing stricter is asked for. */
const USUAL_BETA = 0.97;
const USUAL_TAU = 0.75;
const USUAL_ANSWERS = 4;

type Rule = readonly [name: string, number: number];

function rulesOf(head: IViewHead): Rule[] {
  return head.rule.split(',').flatMap((part): Rule[] => {
    const [name, number = ''] = part.trim().split(':');
    if (name === 'usual') {
      const strict = head.tau > USUAL_TAU || leastAnswers(head) > USUAL_ANSWERS;
      return strict
        ? [['share', head.tau]]
        : [
            ['share', head.tau],
            ['beta', USUAL_BETA]
          ];
    }
    return [[name, number === '' ? head.tau : Number(number)]];
  });
}

function leastAnswers(head: IViewHead): number {
  const least = head.settings.min_answers;
  return typeof least === 'number' ? least : USUAL_ANSWERS;
}

/** The part of the finished samples that the leader must pass; null where no rule asks for one. */
export function shareThreshold(head: IViewHead): number | null {
  const share = rulesOf(head).find(([name]) => name === 'share');
  return share !== undefined && Number.isFinite(share[1]) ? share[1] : null;
}

/** When the run stops early, or would have, as a sentence. */
export function rulesInWords(
  head: IViewHead,
  over: boolean,
  trans: TranslationBundle
): string {
  const conditions = rulesOf(head).flatMap(rule => {
    const words = ruleInWords(rule, leastAnswers(head), trans);
    return words === '' ? [] : [words];
  });
  conditions.push(trans.__('no other answer can catch up'));
  const joined = conditions.join(trans.__(', or once '));
  return over
    ? trans.__('It would have stopped early once %1.', joined)
    : trans.__('Stops early once %1.', joined);
}

function ruleInWords(
  [name, number]: Rule,
  leastAnswers: number,
  trans: TranslationBundle
): string {
  switch (name) {
    case 'share':
      return trans.__(
        'the leader has more than %1 of the finished samples (τ), with %2 answers at least',
        percent(number),
        whole(leastAnswers)
      );
    case 'planned':
      return trans.__(
        'the leader has more than %1 of the planned samples',
        percent(number)
      );
    case 'beta':
      return trans.__(
        'the leader beats the runner-up with a probability above %1',
        percent(number)
      );
    case 'lead':
      return trans._n(
        'the leader is one sample ahead',
        'the leader is %1 samples ahead',
        number
      );
    case 'window':
      return trans._n(
        'the last sample says the same',
        'the last %1 samples all say the same',
        number
      );
    default:
      return '';
  }
}
