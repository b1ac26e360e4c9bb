/**
 * What a view says of its connection to a run, in words.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Reading } from '../view/reading';
import type { ChannelState } from './channel';

/** Of a kernel that cannot be asked now, or whose process has gone and the run with it. */
export function wordsOfState(
  state: Exclude<ChannelState, 'open'>,
  runId: string,
  trans: TranslationBundle
): string {
  switch (state) {
    case 'interrupted':
      return trans.__(
        'The connection to the kernel is interrupted; the run may go on there.'
      );
    case 'restarted':
      return trans.__('The kernel was restarted, which ended this run.');
    case 'died':
      return trans.__(
        'The kernel died and was started anew, which ended this run: %tir show %1 has what was recorded of it.',
        runId
      );
    case 'ended':
      return trans.__('The kernel has ended, and this run with it.');
  }
}

/** Of a kernel that has not answered and is asked again. */
export function wordsOfWaiting(trans: TranslationBundle): string {
  return trans.__('The kernel does not answer yet; it is asked again.');
}

/** Of a kernel that has not answered and is asked no more. */
export function wordsOfSilence(
  runId: string,
  trans: TranslationBundle
): string {
  return trans.__(
    'The kernel does not answer: this is the last that was heard of the run. Load the page again to ask once more; %tir show %1 has what was recorded of it.',
    runId
  );
}

/** Of a kernel that answers and does not have the run. */
export function wordsOfUnknown(trans: TranslationBundle): string {
  return trans.__(
    'The kernel does not know this run any more: this is the last that was heard of it.'
  );
}

/** Of what came and cannot be drawn. */
export function wordsOfUnreadable(
  reading: Exclude<Reading<unknown>, { kind: 'read' }>,
  trans: TranslationBundle
): string {
  return reading.kind === 'unreadable'
    ? trans.__(
        'What the kernel sends of this run cannot be drawn, as its field %1 is missing or of the wrong kind.',
        reading.field
      )
    : trans.__(
        'The kernel sends format %1 of a run, which this page does not draw: use the same version of jupyterlab_tir in the kernel and in JupyterLab.',
        reading.schema
      );
}
