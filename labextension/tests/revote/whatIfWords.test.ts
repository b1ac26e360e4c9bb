import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { ISnapshot } from '../../src/view/wire';
import { changes, choose, notes, saved, shown, wordsOf } from './panel';

/** Its samples ended without answers, after text whose entropy was measured. */
function unanswered(entropy: number | null = 0.5): ISnapshot {
  const run = saved('split');
  const { revote } = run;
  const without = { status: 'no-answer', ballot: null, blocks: [] } as const;
  return {
    ...run,
    samples: run.samples.map(each => ({ ...each, answer: null, entropy })),
    tally: { ...run.tally, candidates: [] },
    revote: revote && {
      ...revote,
      ended: revote.ended.map(each => ({ ...each, ...without }))
    }
  };
}

/** All of `count` samples say 7; parts begin after so many samples, with a plan. */
function inParts(
  count: number,
  ...plans: readonly { start: number; planned: number }[]
): ISnapshot {
  const run = saved('split');
  const { revote } = run;
  if (revote === null) {
    throw new Error('no votes');
  }
  const ended = Array.from({ length: count }, (_, sample) => ({
    ...revote.ended[0],
    sample,
    begun: sample + 1
  }));
  const [first] = revote.parts;
  const parts = plans.map((plan, place) => ({
    ...first,
    ...plan,
    continued: place > 0,
    begun: plan.start
  }));
  const planned = plans[plans.length - 1].planned;
  return { ...run, planned, revote: { ...revote, ended, parts, begun: count } };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

describe('the words of a what-if', () => {
  it('has words for a run without an answer', () => {
    const view = shown(unanswered());
    expect(wordsOf(view, 'now').slice(0, 2)).toEqual(['No answer', 'as run']);
    choose(view, 'Stop rule', 'share');
    vi.runAllTimers();
    expect(wordsOf(view, 'now').slice(0, 2)).toEqual(['No answer', 'as run']);
    expect(
      view.node.querySelector('.jp-TirWhatIf-sweepWords')?.textContent
    ).toBe('There is no answer at any value from 0.5 to 1.');
    expect(
      view.node.querySelector<HTMLElement>('.jp-TirWhatIf-bar')?.title
    ).toBe('0.5: no answer after 9 samples');
  });

  it('says why entropies cannot weigh', () => {
    const about = (run: ISnapshot): string =>
      [...shown(run).node.querySelectorAll('.jp-TirWhatIf-about')][1]
        .textContent;
    expect(about(unanswered())).toBe(
      'The greatest weight wins. No sample has a vote to weigh.'
    );
    const run = saved('split');
    const { revote } = run;
    const unmeasured = (entropy: number | null): ISnapshot => ({
      ...run,
      samples: run.samples.map(each => ({ ...each, entropy })),
      revote: revote && {
        ...revote,
        ended: revote.ended.map(each => ({
          ...each,
          ballot: each.ballot && { ...each.ballot, entropy: null, factor: null }
        }))
      }
    });
    expect(about(unmeasured(0.5))).toBe(
      'The greatest weight wins. No log-probabilities of votes are recorded.'
    );
    expect(about(unmeasured(null))).toBe(
      'The greatest weight wins. No log-probabilities are recorded.'
    );
  });

  it('says that a run has an answer which other rules would not give', () => {
    const run = saved('split');
    const view = shown({ ...unanswered(), tally: run.tally });
    expect(wordsOf(view, 'now').slice(0, 2)).toEqual([
      'No answer',
      'the run has one'
    ]);
    // A record that does not bear its own result is not called the run as it was.
    expect(changes(view)).toBe(
      'There would be no answer; the run has 9. No rule would stop the run, as none did.'
    );
    choose(view, 'Stop rule', 'share');
    expect(changes(view)).toBe(
      'There would be no answer; the run has 9. No rule would stop the run, as none did.'
    );
    const other = shown({
      ...run,
      tally: { ...run.tally, candidates: [] }
    });
    expect(wordsOf(other, 'now').slice(0, 2)).toEqual([
      '9',
      'the run has none'
    ]);
    choose(other, 'Stop rule', 'share');
    expect(changes(other)).toMatch(/^7 would win; the run has no answer\. /);
  });

  it('says so where the rules would have ended a part before the run was continued', () => {
    const view = shown(
      inParts(16, { start: 0, planned: 8 }, { start: 5, planned: 16 })
    );
    expect(notes(view)).toMatch(/^The run was continued: the rules of/);
    // 5 to 3 · 1.3 still to come, and after 4 it was 4 to 4 · 1.3; six ahead are never needed.
    choose(view, 'Stop rule', 'lead');
    choose(view, 'Samples ahead', '6');
    expect(wordsOf(view, 'now')[2]).toBe(
      'stopped in part 1 of 2, after 5 of 8 by the rule uncatchable'
    );
    expect(changes(view)).toMatch(
      / The run would stop in its part 1 of 2, after 5 samples\. /
    );
    expect(notes(view)).toBe(
      'The run was continued. With these rules it would have ended in part 1 of 2 and not gone on: no answer could catch up within the plan of that part, and the rule uncatchable is always on, whichever is chosen.'
    );
    choose(view, 'Samples ahead', '2');
    expect(wordsOf(view, 'now')[2]).toBe(
      'stopped in part 1 of 2, after 2 of 8 by the rule lead'
    );
    expect(notes(view)).toBe(
      'The run was continued. With these rules it would have ended in part 1 of 2 and not gone on.'
    );
  });

  it('says nothing of parts where the rules fire in the last one', () => {
    const view = shown(
      inParts(16, { start: 0, planned: 8 }, { start: 3, planned: 16 })
    );
    choose(view, 'Stop rule', 'lead');
    choose(view, 'Samples ahead', '4');
    expect(wordsOf(view, 'now')[2]).toBe(
      'stopped after 4 of 16 by the rule lead'
    );
    expect(notes(view)).toBe('');
  });
});
