/**
 * What the view of a run can look like: one run for each state, and runs that strain it.
 */
import agreement from '../tests/data/view/agreement.json';
import disagreement from '../tests/data/view/disagreement.json';
import failedServer from '../tests/data/view/failed_server.json';
import inProgress from '../tests/data/view/in_progress.json';
import stoppedEarly from '../tests/data/view/stopped_early.json';
import tie from '../tests/data/view/tie.json';

/** A tab's name, or the beginning of it. */
export type TabName = 'Tally' | 'Samples' | 'Trace' | 'What if';

/** A run, and what of it is looked at. */
export interface IViewState {
  readonly name: string;
  readonly run: object;
  /** Whether it goes on, in a page that hears of it. */
  readonly live?: boolean;
  /** The tab that is chosen; of the trace, its first row as well. */
  readonly tab?: TabName;
  /** Samples, from 1 on, whose transcripts are open. */
  readonly open?: readonly number[];
}

const NO_ANSWER = {
  ...failedServer,
  tally: {
    ...failedServer.tally,
    lost: 0,
    finished: 3,
    withoutBallot: [{ status: 'no-answer', samples: [0, 1, 2] }]
  },
  samples: failedServer.samples.map(sample => ({
    ...sample,
    status: 'no-answer',
    reason: 'It ended without a final answer.'
  })),
  end: {
    ...failedServer.end,
    status: 'no-answer',
    reason: 'No sample ended with an answer.'
  }
};

/** Every state that a reader meets. */
export const STATES: readonly IViewState[] = [
  { name: 'running', run: inProgress, live: true },
  {
    name: 'running-samples',
    run: inProgress,
    live: true,
    tab: 'Samples',
    open: [1, 4]
  },
  { name: 'unfinished', run: inProgress },
  { name: 'answered', run: tie },
  { name: 'stopped-early', run: stoppedEarly },
  { name: 'disagrees', run: disagreement },
  { name: 'agrees', run: agreement },
  { name: 'failed', run: failedServer },
  { name: 'no-answer', run: NO_ANSWER },
  { name: 'samples', run: stoppedEarly, tab: 'Samples', open: [1, 3, 6] },
  { name: 'trace', run: stoppedEarly, tab: 'Trace' },
  { name: 'what-if', run: stoppedEarly, tab: 'What if' }
];

const PLANNED = 1024;
const CANDIDATES = 40;

const LONG_ANSWER = `\\frac{${'123456789'.repeat(40)}}{${'x_1+'.repeat(30)}1} \\text{ or so}`;

/** What a name looks like that nobody meant to be read. */
export const LONG_NAME = `organisation/${'model'.repeat(58)}`.slice(0, 300);

const RIGHT_TO_LEFT =
  'מצאו את סכום הריבועים של המספרים השלמים מ־1 עד 20 (כולל). אם הסכום הוא S, מהו S mod 7? ما هو مجموع المربعات؟';

/** The same run with more of everything than is usual. */
function strained(rows = CANDIDATES): object {
  const { head, tally, samples } = stoppedEarly;
  const [first, second] = tally.candidates;
  const [sample] = samples;
  return {
    ...stoppedEarly,
    planned: PLANNED,
    tokens: 123_456_789,
    seconds: 86_399,
    head: {
      ...head,
      problem: { ...head.problem, text: RIGHT_TO_LEFT, claim: LONG_ANSWER },
      server: { ...head.server, model: LONG_NAME }
    },
    samples: Array.from({ length: rows }, (_, number) => ({
      ...sample,
      sample: number,
      answer: number === 0 ? LONG_ANSWER : String(number % CANDIDATES),
      tokens: 1_234_567,
      seconds: 12_345.6
    })),
    tally: {
      ...tally,
      planned: PLANNED,
      finished: PLANNED,
      answered: PLANNED,
      candidates: Array.from({ length: CANDIDATES }, (_, number) => ({
        ...(number === 0 ? first : second),
        key: `q:${number}`,
        shown: number === 0 ? LONG_ANSWER : `${number} ${'7'.repeat(number)}`,
        count: number === 0 ? 500 : 13,
        weight: 1234.5678
      }))
    },
    end: {
      ...stoppedEarly.end,
      answer: LONG_ANSWER,
      verdict: {
        verdict: 'undecided',
        claim: LONG_ANSWER,
        words: `The samples are undecided on ${LONG_ANSWER}.`
      }
    },
    notices: [`The model ${LONG_NAME} has no chat template.`]
  };
}

/** The strained run, in each tab. */
export const STRAINED: readonly IViewState[] = [
  { name: 'strained', run: strained() },
  {
    name: 'strained-samples',
    run: strained(PLANNED),
    tab: 'Samples',
    open: [1]
  },
  { name: 'strained-trace', run: strained(), tab: 'Trace' },
  { name: 'strained-what-if', run: strained(), tab: 'What if' }
];
