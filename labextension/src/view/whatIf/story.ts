/**
 * What another rule would have changed, in words with numbers.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { whole } from '../numbers';
import type { IRevoted } from '../revote/course';
import type { IViewPart, IViewRevote, IViewTally, ISnapshot } from '../wire';

/** A result to compare: the recorded one, or that of other rules. */
export interface IOutcome {
  readonly key: string | null;
  readonly shown: string | null;
  /** Finished samples when a rule fired; null where none did. */
  readonly after: number | null;
  readonly rule: string;
  /** In which of the parts of a run that was continued; null for its last one. */
  readonly within: IWithin | null;
  readonly samples: number;
  readonly tokens: number;
  readonly planned: number;
}

/** A part of a run before the one in which it ended as recorded, by numbers from 1 on. */
export interface IWithin {
  readonly part: number;
  readonly parts: number;
}

/** The result as it was. */
export function recordedOutcome(
  snapshot: ISnapshot,
  { ended }: IViewRevote
): IOutcome {
  const stop = snapshot.end?.stop ?? null;
  return {
    ...leaderOf(snapshot.tally),
    after: stop?.after ?? null,
    rule: stop?.rule ?? '',
    within: null,
    samples: ended.length,
    tokens: ended.reduce((sum, { tokens }) => sum + tokens, 0),
    planned: snapshot.planned
  };
}

/** Whether two results are one: who wins, and where a rule fires. */
export function isSame(one: IOutcome, other: IOutcome): boolean {
  return one.key === other.key && one.after === other.after;
}

/** The result as it would have been. */
export function newOutcome(found: IRevoted, revote: IViewRevote): IOutcome {
  return {
    ...leaderOf(found.tally),
    after: found.decision?.after ?? null,
    rule: found.decision?.rule ?? '',
    within: withinOf(found, revote),
    samples: found.samples,
    tokens: found.tokens,
    planned: found.tally.planned
  };
}

/** Where a rule fires before the run was continued for the last time, so that it would not be. */
function withinOf(
  { decision, part }: IRevoted,
  { parts }: IViewRevote
): IWithin | null {
  const of = (some: readonly IViewPart[]): number =>
    1 + some.filter(({ continued }) => continued).length;
  const within = { part: of(parts.slice(0, part + 1)), parts: of(parts) };
  return decision !== null && within.part < within.parts ? within : null;
}

/** Whether the two have the same answer, or differ, in a few words. */
export function sameWords(
  before: IOutcome,
  now: IOutcome,
  trans: TranslationBundle
): string {
  if (before.key === now.key) {
    return now.key === null ? trans.__('as run') : trans.__('same answer');
  }
  if (before.key === null) {
    return trans.__('the run has none');
  }
  return now.key === null
    ? trans.__('the run has one')
    : trans.__('another answer');
}

function leaderOf({ candidates }: IViewTally): Pick<IOutcome, 'key' | 'shown'> {
  const leader = candidates.at(0);
  return { key: leader?.key ?? null, shown: leader?.shown ?? null };
}

/** When it stopped: "stopped after 9 of 32 by the rule share". */
export function stopWords(of: IOutcome, trans: TranslationBundle): string {
  if (of.after === null) {
    return trans._n(
      'no rule fired, one sample counted',
      'no rule fired, %2 samples counted',
      of.samples,
      whole(of.samples)
    );
  }
  const after = whole(of.after);
  const planned = whole(of.planned);
  return of.within === null
    ? trans.__('stopped after %1 of %2 by the rule %3', after, planned, of.rule)
    : trans.__(
        'stopped in part %1 of %2, after %3 of %4 by the rule %5',
        of.within.part,
        of.within.parts,
        after,
        planned,
        of.rule
      );
}

/** What it costs or saves: "5 more samples, 3,120 more tokens". */
export function costWords(
  before: IOutcome,
  now: IOutcome,
  trans: TranslationBundle
): string {
  const samples = now.samples - before.samples;
  const tokens = now.tokens - before.tokens;
  const words = [];
  if (samples > 0) {
    words.push(
      trans._n('one more sample', '%2 more samples', samples, whole(samples))
    );
  } else if (samples < 0) {
    words.push(
      trans._n(
        'one sample fewer',
        '%2 samples fewer',
        -samples,
        whole(-samples)
      )
    );
  }
  if (tokens > 0) {
    words.push(
      trans._n('one more token', '%2 more tokens', tokens, whole(tokens))
    );
  } else if (tokens < 0) {
    words.push(
      trans._n('one token fewer', '%2 tokens fewer', -tokens, whole(-tokens))
    );
  }
  return words.length > 0 ? words.join(', ') : trans.__('the same samples');
}

/** What the record cannot tell, and other things that a reader must know. */
export function notesOn(
  found: IRevoted,
  snapshot: ISnapshot,
  revote: IViewRevote,
  trans: TranslationBundle
): string[] {
  const part = revote.parts[revote.parts.length - 1];
  return [
    ...aboutParts(found, revote, trans),
    ...aboutTheEnd(found, revote, trans),
    ...aboutBlocks(found, snapshot, revote, part, trans)
  ];
}

/** What going on means for rules: those of a reader are asked from the first part on. */
function aboutParts(
  found: IRevoted,
  revote: IViewRevote,
  trans: TranslationBundle
): string[] {
  if (found.overruled) {
    return [
      trans.__(
        'The run was continued: the rules of the parts before its last one were overruled by that, and are not asked.'
      )
    ];
  }
  const within = withinOf(found, revote);
  if (within === null) {
    return [];
  }
  return found.decision?.rule === 'uncatchable'
    ? [
        trans.__(
          'The run was continued. With these rules it would have ended in part %1 of %2 and not gone on: no answer could catch up within the plan of that part, and the rule uncatchable is always on, whichever is chosen.',
          within.part,
          within.parts
        )
      ]
    : [
        trans.__(
          'The run was continued. With these rules it would have ended in part %1 of %2 and not gone on.',
          within.part,
          within.parts
        )
      ];
}

function aboutTheEnd(
  found: IRevoted,
  { begun }: IViewRevote,
  trans: TranslationBundle
): string[] {
  const { decision, inFlight, tally } = found;
  if (decision !== null) {
    return inFlight === 0
      ? []
      : [
          trans._n(
            'One sample was in flight when the rule fired; its tokens are not in the sum.',
            '%2 samples were in flight when the rule fired; their tokens are not in the sum.',
            inFlight,
            whole(inFlight)
          )
        ];
  }
  const said: string[] = [];
  const short = found.short();
  if (short > 0) {
    said.push(
      trans._n(
        'The record ends here. These rules would have wanted more: one sample at the least.',
        'The record ends here. These rules would have wanted more: %2 samples at the least.',
        short,
        whole(short)
      )
    );
  }
  if (tally.unfinished > 0) {
    said.push(
      trans._n(
        'The run itself ended one sample; what it would have answered is not known.',
        'The run itself ended %2 samples; what they would have answered is not known.',
        tally.unfinished,
        whole(tally.unfinished)
      )
    );
  }
  const never = tally.planned - begun;
  if (never > 0) {
    said.push(
      trans.__(
        'Planned samples that never began: %1 of %2; what they would have answered is not known.',
        whole(never),
        whole(tally.planned)
      )
    );
  }
  return said;
}

/** What other policies than the recorded one cannot know of code blocks. */
function aboutBlocks(
  { tally }: IRevoted,
  { head }: ISnapshot,
  { ended }: IViewRevote,
  part: IViewPart,
  trans: TranslationBundle
): string[] {
  const names = [tally.policy, part.policy];
  if (tally.policy === part.policy || !names.includes('blocks')) {
    return [];
  }
  if (
    tally.policy === 'blocks' &&
    !ended.some(({ blocks }) => blocks.length > 0)
  ) {
    return [
      trans.__('The run judged no code blocks, so that only its answers vote.')
    ];
  }
  return head.settings.mode === 'blocks'
    ? [
        trans.__(
          'In the mode blocks the answer of a sample is its text’s under the policy blocks, and the last block’s under the others: here it is the recorded one.'
        )
      ]
    : [];
}
