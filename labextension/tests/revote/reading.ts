/**
 * What is needed to vote again, read as a page reads it.
 */
import { readSnapshot } from '../../src/view/reading';
import type { IViewRevote } from '../../src/view/wire';
import { VIEW_SCHEMA } from '../../src/view/wire';

const SERVER = {
  model: '',
  baseUrl: '',
  source: '',
  product: '',
  version: '',
  dialect: ''
};

/** Reads it as a part of a snapshot that has little else. */
export function revoteOf(revote: unknown): IViewRevote {
  const reading = readSnapshot({
    schema: VIEW_SCHEMA,
    head: {
      runId: '',
      version: '',
      created: '',
      problem: { text: '', chars: 0 },
      server: SERVER,
      isolation: '',
      seed: 0,
      temperature: 0,
      plan: '',
      rule: '',
      tau: 0.75,
      settings: {}
    },
    planned: 1,
    tally: { policy: 'weighted', planned: 1 },
    revote
  });
  if (reading.kind !== 'read' || reading.value.revote === null) {
    throw new Error(`not readable: ${JSON.stringify(reading)}`);
  }
  return reading.value.revote;
}
