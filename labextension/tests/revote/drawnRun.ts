/**
 * Long runs for the what-if, drawn by a seeded generator.
 */
import type { IViewEnded, IViewPart, IViewRevote } from '../../src/view/wire';

/** How a run is drawn: how many samples and answers, and what ballots come without. */
export interface IDrawn {
  readonly samples: number;
  readonly answers: number;
  /** Part of the ballots that have an entropy. */
  readonly measured: number;
  /** Part of the answers that are a decimal of the exact answer before them. */
  readonly floats?: number;
  readonly policy?: IViewPart['policy'];
  readonly blocks?: number;
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A run in one part, whose samples end in any order, with a favourite answer. */
export function drawnRun(how: IDrawn, seed = 1): IViewRevote {
  const random = randomOf(seed);
  const { answers, blocks = 0, floats = 0, measured, samples } = how;
  const exact = Array.from({ length: answers }, (_, place) => ({
    key: `q:${place}`,
    hasFloat: place > 0 && random() < floats,
    floatOf: [] as number[]
  }));
  exact.forEach((key, place) => {
    if (key.hasFloat && !exact[place - 1].hasFloat) {
      key.floatOf.push(place - 1);
    }
  });
  const ballot = (): IViewEnded['ballot'] => {
    const entropy = random() < measured ? random() : null;
    return {
      // A third say the first one, the others anything.
      answer: random() < 1 / 3 ? 0 : Math.floor(random() * answers),
      replayed: random() < 0.4,
      entropy,
      factor: entropy === null ? null : Math.exp(-entropy)
    };
  };
  const order = Array.from({ length: samples }, (_, sample) => sample);
  for (let place = samples - 1; place > 0; place -= 1) {
    const other = Math.floor(random() * (place + 1));
    [order[place], order[other]] = [order[other], order[place]];
  }
  const ended = order.map((sample): IViewEnded => {
    const silent = random() < 0.1;
    return {
      sample,
      status: silent ? 'no-answer' : 'answered',
      tokens: 100 + sample,
      begun: samples,
      ballot: silent ? null : ballot(),
      blocks: Array.from({ length: blocks }, (_, block) => ({
        block,
        ballot: ballot()
      })).flatMap(each =>
        each.ballot === null ? [] : [{ ...each, ballot: each.ballot }]
      ),
      asked: true,
      until: 0,
      entropies: [],
      factors: []
    };
  });
  return {
    keys: exact,
    answers: exact.map(({ key }, place) => ({
      shown: key.slice(2),
      keys: [place]
    })),
    ended,
    parts: [
      {
        start: 0,
        begun: 0,
        continued: false,
        asked: true,
        until: 0,
        planned: samples,
        stop: 'none',
        tau: 0.75,
        minAnswers: 4,
        policy: how.policy ?? 'weighted',
        wCode: 2,
        maxBlocks: 8,
        verifiable: true,
        measurable: true
      }
    ],
    begun: samples,
    entropyWindows: []
  };
}
