/**
 * What another rule would have changed, in whole sentences.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { whole } from '../numbers';
import type { IOutcome } from './story';

/** What changes, in whole sentences: who wins, where it stops, what that saves or costs. */
export function changeWords(
  before: IOutcome,
  now: IOutcome,
  trans: TranslationBundle
): string {
  return [
    winnerWords(before, now, trans),
    pointWords(before, now, trans),
    savedWords(before, now, trans)
  ]
    .filter(words => words !== '')
    .join(' ');
}

function winnerWords(
  before: IOutcome,
  now: IOutcome,
  trans: TranslationBundle
): string {
  if (before.key === now.key) {
    return now.shown === null
      ? trans.__('There is still no answer.')
      : trans.__('%1 still wins.', now.shown);
  }
  if (now.shown === null) {
    return trans.__(
      'There would be no answer; the run has %1.',
      before.shown ?? ''
    );
  }
  return before.shown === null
    ? trans.__('%1 would win; the run has no answer.', now.shown)
    : trans.__('%1 would win, not %2.', now.shown, before.shown);
}

function pointWords(
  before: IOutcome,
  now: IOutcome,
  trans: TranslationBundle
): string {
  const counted = samplesWords(before.samples, trans);
  if (now.after === null) {
    return before.after === null
      ? trans.__('No rule would stop the run, as none did.')
      : trans.__(
          'No rule would stop the run, which was stopped after %1.',
          samplesWords(before.after, trans)
        );
  }
  const after = samplesWords(now.after, trans);
  if (now.within !== null) {
    return trans.__(
      'The run would stop in its part %1 of %2, after %3.',
      now.within.part,
      now.within.parts,
      after
    );
  }
  if (before.after === null) {
    return trans.__(
      'The run would stop after %1; no rule stopped it, and it counted %2.',
      after,
      counted
    );
  }
  return before.after === now.after
    ? trans.__('The run would stop after %1, as it did.', after)
    : trans.__(
        'The run would stop after %1, not after %2.',
        after,
        samplesWords(before.after, trans)
      );
}

function savedWords(
  before: IOutcome,
  now: IOutcome,
  trans: TranslationBundle
): string {
  const samples = now.samples - before.samples;
  const tokens = now.tokens - before.tokens;
  if (samples === 0 && tokens === 0) {
    return '';
  }
  const counts = [
    samplesWords(Math.abs(samples), trans),
    tokensWords(Math.abs(tokens), trans)
  ].join(trans.__(' and '));
  return samples < 0
    ? trans.__('That saves %1.', counts)
    : trans.__('That costs %1 more.', counts);
}

function samplesWords(count: number, trans: TranslationBundle): string {
  return trans._n('one sample', '%2 samples', count, whole(count));
}

function tokensWords(count: number, trans: TranslationBundle): string {
  return trans._n('one token', '%2 tokens', count, whole(count));
}
