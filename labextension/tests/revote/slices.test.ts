import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Course } from '../../src/view/revote/course';
import { Slices } from '../../src/view/whatIf/slices';
import { plainTranslation } from '../plainTranslation';
import { drawnRun } from './drawnRun';

/** Work of so many steps, each of which takes a millisecond. */
function* steps(count: number, name: string): Generator<undefined, string> {
  for (let step = 0; step < count; step += 1) {
    now += 1;
    yield;
  }
  return name;
}

let now = 0;

beforeEach(() => {
  vi.useFakeTimers();
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('work in slices', () => {
  it('is done at once where it is short', () => {
    const done: string[] = [];
    new Slices().run(steps(3, 'short'), name => done.push(name));
    expect(done).toEqual(['short']);
  });

  it('lets the page have its turn where it is long', () => {
    const done: string[] = [];
    new Slices().run(steps(100, 'long'), name => done.push(name));
    expect(done).toEqual([]);
    expect(now).toBe(8);
    vi.advanceTimersToNextTimer();
    expect(now).toBe(16);
    vi.runAllTimers();
    expect(done).toEqual(['long']);
    expect(now).toBe(100);
  });

  it('does in a turn of its own what follows a slice that was used up', () => {
    const done: number[] = [];
    const last = (function* (): Generator<undefined, string> {
      yield* steps(7, '');
      now += 5;
      return 'end';
    })();
    new Slices().run(last, () => done.push(now));
    expect(done).toEqual([]);
    now += 1;
    vi.runAllTimers();
    expect(done).toEqual([13]);
  });

  it('gives up what is not done when something else is asked for', () => {
    const done: string[] = [];
    const slices = new Slices();
    slices.run(steps(100, 'first'), name => done.push(name));
    slices.run(steps(20, 'newest'), name => done.push(name));
    vi.runAllTimers();
    expect(done).toEqual(['newest']);
    slices.run(steps(100, 'cancelled'), name => done.push(name));
    slices.cancel();
    vi.runAllTimers();
    expect(done).toEqual(['newest']);
  });
});

describe('a vote in small steps', () => {
  it('takes one for each sample, and finds the same whatever was given up before', () => {
    const revote = drawnRun({ samples: 300, answers: 9, measured: 0.8 });
    const ask = { stop: 'lead:200', wCode: 1.5 };
    const course = new Course(revote);
    const going = course.voting(ask, plainTranslation);
    for (let step = 0; step < 100; step += 1) {
      expect(going.next().done).toBe(false);
    }
    course.vote({ stop: 'share:0.9' }, plainTranslation);
    const [again, alone] = [course, new Course(revote)].map(each => {
      const { points, tally } = each.vote(ask, plainTranslation);
      return { points, tally };
    });
    expect(again).toEqual(alone);
  });
});
