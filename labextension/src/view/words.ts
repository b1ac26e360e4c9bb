/**
 * Names that a person reads for what the wire has in short.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IViewEnd, IViewSample, IViewSegment } from './wire';

type SampleStatus = NonNullable<IViewSample['status']>;

/** How a sample ended. */
export function statusWords(
  status: SampleStatus,
  trans: TranslationBundle
): string {
  switch (status) {
    case 'answered':
      return trans.__('Answered');
    case 'no-answer':
      return trans.__('No answer');
    case 'unexpected-answer':
      return trans.__('Out of range');
    case 'token-limit':
      return trans.__('Out of tokens');
    case 'turn-limit':
      return trans.__('Out of turns');
    case 'context':
      return trans.__('Context full');
    case 'malformed-reply':
      return trans.__('Malformed reply');
    case 'kernel-failed':
      return trans.__('Kernel failed');
    case 'server-lost':
      return trans.__('Server lost');
    case 'request-refused':
      return trans.__('Request refused');
    case 'deadline':
      return trans.__('Out of time');
    case 'cancelled':
      return trans.__('Cancelled');
  }
}

/** What a sample is at. */
export function doingWords(
  doing: IViewSample['doing'],
  trans: TranslationBundle
): string {
  switch (doing) {
    case 'writing':
      return trans.__('Writing');
    case 'starting a kernel':
      return trans.__('Starting a kernel');
    case 'running code':
      return trans.__('Running code');
    case 'verifying':
      return trans.__('Verifying');
    case 'ended':
      return trans.__('Ended');
  }
}

/** How far code stands behind an answer. */
export function verificationWords(
  verification: IViewSample['verification'],
  trans: TranslationBundle
): string {
  switch (verification) {
    case 'replayed':
      return trans.__('Code-verified');
    case 'computed':
      return trans.__('Computed');
    case 'echo':
      return trans.__('Printed');
    case 'none':
      return trans.__('Text only');
  }
}

/** How a run ended that has no answer to show first. */
export function endWords(
  status: IViewEnd['status'],
  trans: TranslationBundle
): string {
  switch (status) {
    case 'answered':
      return trans.__('Answered');
    case 'no-answer':
      return trans.__('No answer');
    case 'stopped':
      return trans.__('Stopped');
    case 'deadline':
      return trans.__('Out of time');
    case 'server-lost':
      return trans.__('The server was lost');
    case 'cut-short':
      return trans.__('Cut short');
    case 'going-on':
      return trans.__('Still going on');
  }
}

/** What a piece of a transcript is. */
export function segmentWords(
  kind: IViewSegment['kind'],
  trans: TranslationBundle
): string {
  switch (kind) {
    case 'text':
      return trans.__('Text');
    case 'reasoning':
      return trans.__('Reasoning');
    case 'code':
      return trans.__('Code');
    case 'result':
      return trans.__('Result');
    case 'error':
      return trans.__('Error');
  }
}

/** How a cell ended that did not end well. */
export function cellWords(status: string, trans: TranslationBundle): string {
  switch (status) {
    case '':
      return '';
    case 'error':
      return trans.__('it raised an error');
    case 'timeout':
      return trans.__('it ran too long');
    case 'out-of-memory':
      return trans.__('it ran out of memory');
    case 'died':
      return trans.__('its kernel died');
    case 'output-limit':
      return trans.__('it printed too much');
    case 'refused':
      return trans.__('it was not run');
    case 'cancelled':
      return trans.__('it was cancelled');
    default:
      return status;
  }
}
