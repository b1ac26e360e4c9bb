/**
 * How long a re-vote takes: `jlpm bench:revote`.
 *
 * Prints one JSON object: milliseconds of a first vote, of one with another threshold, as a slider
 * that is dragged asks for, and of one in which each ballot has another weight.
 */
import type { IAsk } from '../../src/view/revote/course';
import { Course } from '../../src/view/revote/course';
import type { IViewRevote } from '../../src/view/wire';
import { plainTranslation } from '../plainTranslation';
import type { IDrawn } from './drawnRun';
import { drawnRun } from './drawnRun';

const RUNS: Readonly<Record<string, IDrawn>> = {
  'few answers': { samples: 0, answers: 6, measured: 1 },
  'few answers, entropies missing': { samples: 0, answers: 6, measured: 0.7 },
  'each another answer': { samples: 0, answers: 2048, measured: 1 },
  'each another answer, entropies missing': {
    samples: 0,
    answers: 2048,
    measured: 0.7
  },
  'decimals among the answers': {
    samples: 0,
    answers: 40,
    measured: 0.7,
    floats: 0.4
  },
  'votes of blocks': {
    samples: 0,
    answers: 40,
    measured: 1,
    policy: 'blocks',
    blocks: 8
  }
};
const FIRST: readonly IAsk[] = [{}, { stop: 'beta:0.99' }];
const AGAIN: readonly IAsk[] = [
  { stop: 'share:0.9' },
  { stop: 'usual', tau: 0.93, minAnswers: 6 },
  { stop: 'beta:0.98' },
  { stop: 'lead:900' },
  { stop: 'window:300' }
];
const OTHERS: readonly IAsk[] = [
  { wCode: 1.35 },
  { entropy: false },
  { policy: 'votes-first' },
  { policy: 'majority' },
  { policy: 'blocks' }
];

/** The least of some tries; processor time, since others use the machine too. */
const TRIES = 5;

function took(course: Course, ask: IAsk): number {
  const started = process.cpuUsage();
  course.vote(ask, plainTranslation).short();
  const { system, user } = process.cpuUsage(started);
  return (user + system) / 1000;
}

/** The longest of each kind, in milliseconds. */
function measured(revote: IViewRevote): Record<string, number> {
  const longest = (asks: readonly IAsk[], course: () => Course): number => {
    const all = asks.map(ask => {
      const tries = Array.from({ length: TRIES }, () => took(course(), ask));
      return Math.min(...tries);
    });
    return Number(Math.max(...all).toFixed(1));
  };
  const used = new Course(revote);
  used.vote({}, plainTranslation);
  return {
    first: longest(FIRST, () => new Course(revote)),
    again: longest(AGAIN, () => used),
    otherwise: longest(OTHERS, () => new Course(revote))
  };
}

const found: Record<string, unknown> = {};
for (const samples of [64, 1024]) {
  for (const [name, how] of Object.entries(RUNS)) {
    const revote = drawnRun({ ...how, samples });
    found[`${samples}, ${name}`] = measured(revote);
  }
}
process.stdout.write(`${JSON.stringify(found, null, 1)}\n`);
