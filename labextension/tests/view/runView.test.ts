import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { RunView } from '../../src/view/runView';
import agreement from '../data/view/agreement.json';
import disagreement from '../data/view/disagreement.json';
import failed from '../data/view/failed_server.json';
import progress from '../data/view/in_progress.json';
import streaming from '../data/view/streaming.json';
import { fakeSight } from './fakeSight';
import {
  batchAfter,
  batchOf,
  drawn,
  one,
  shown,
  snapshotOf,
  tab,
  texts
} from './runs';

describe('the verdict', () => {
  it('stands first, then the answer', () => {
    const { node } = shown(snapshotOf(disagreement));
    const first = node.firstElementChild;
    expect(first?.className).toBe('jp-TirVerdict');
    expect(texts(node, '.jp-TirVerdict > p:not([hidden])')).toEqual([
      '✗Disagrees',
      'The samples disagree with 2871: they say 2870 (3 of 6 samples, 3 by code); 0 said 2871.',
      'Answer28703 of 6 finished samples, 3 code-verified, 89% of the weight',
      'All 6 samples finished.'
    ]);
    expect(one(node, '.jp-TirHeader-claim').textContent).toBe(
      'Your answer: 2871'
    );
  });

  it.each([
    [agreement, 'agrees', '✓Agrees'],
    [failed, 'ended', '■The server was lost'],
    [progress, 'running', '']
  ])('has its state and word, case %#', (data, state, words) => {
    const { node } = shown(snapshotOf(data));
    const verdict = one(node, '.jp-TirVerdict');
    expect(verdict.dataset.state).toBe(state);
    const word = one(node, '.jp-TirVerdict-word');
    expect(word.textContent).toBe(words);
    expect(word.hidden).toBe(words === '');
  });

  it('says once that there is no answer', () => {
    const run = snapshotOf(failed);
    const { node } = shown({
      ...run,
      end: run.end && { ...run.end, status: 'no-answer' }
    });
    expect(one(node, '.jp-TirVerdict-word').textContent).toBe('■No answer');
    expect(one(node, '.jp-TirVerdict-answer').hidden).toBe(true);
  });

  it('does not say again why it ended without an answer', () => {
    const run = snapshotOf(failed);
    const verdict = {
      verdict: 'undecided',
      claim: '12',
      words: 'Undecided about 12: none of 2 finished samples gave an answer.'
    } as const;
    const reason = 'None of 2 finished samples gave an answer.';
    const { node } = shown({
      ...run,
      end: run.end && { ...run.end, verdict, reason }
    });
    expect(one(node, '.jp-TirVerdict-reason').hidden).toBe(true);
  });

  it('shows the answers of its sentence as mathematics', () => {
    const run = snapshotOf(disagreement);
    const [claim, answer] = [String.raw`\frac{1}{2}`, String.raw`\sqrt{3}`];
    const words = `The samples disagree with ${claim}: they say ${answer} (3 of 6); 0 said ${claim}.`;
    const { node } = shown({
      ...run,
      end: run.end && {
        ...run.end,
        answer,
        verdict: { verdict: 'disagrees', claim, words }
      }
    });
    expect(one(node, '.jp-TirVerdict-words').textContent).toBe(
      'The samples disagree with 1/2: they say √3 (3 of 6); 0 said 1/2.'
    );
    expect(
      [...node.querySelectorAll<HTMLElement>('.jp-TirVerdict-formula')].map(
        each => each.title
      )
    ).toEqual([claim, answer, claim]);
  });

  it('shows a claim as mathematics, as it was written in its title', () => {
    const run = snapshotOf(disagreement);
    const claim = String.raw`\frac{1}{2}`;
    const { node } = shown({
      ...run,
      head: { ...run.head, problem: { ...run.head.problem, claim } }
    });
    expect(one(node, '.jp-TirHeader-claim').textContent).toBe(
      'Your answer: 1/2'
    );
    expect(one(node, '.jp-TirHeader-claimed').title).toBe(claim);
  });

  it.each([
    ['Two lines\nof it', -1],
    ['A line\n'.repeat(9), 0],
    ['long '.repeat(200), 0],
    ['Let\n$$x$$', 0]
  ])('has Tab stop at a problem that may scroll, case %#', (text, tabIndex) => {
    const run = snapshotOf(disagreement);
    const { node } = shown({
      ...run,
      head: { ...run.head, problem: { ...run.head.problem, text } }
    });
    expect(one(node, '.jp-TirRun-problem').tabIndex).toBe(tabIndex);
  });

  it('invents no answer', () => {
    const { node } = shown(snapshotOf(failed));
    expect(one(node, '.jp-TirVerdict-label').textContent).toBe('No answer');
    expect(one(node, '.jp-TirVerdict-reason').textContent).toBe(
      'No server is left: http://127.0.0.1:8000/v1 does not answer.'
    );
  });

  it('names the leader while the run goes on', () => {
    const { node } = shown(snapshotOf(progress));
    expect(one(node, '.jp-TirVerdict-answer').textContent).toBe(
      'Leader28702 of 3 finished samples, 1 code-verified, 78% of the weight'
    );
  });
});

function stopOf(view: RunView): HTMLButtonElement {
  return one(view.node, '.jp-TirRun-stop') as HTMLButtonElement;
}

describe('the header', () => {
  it('says what is asked, of whom and how', () => {
    const { node } = shown(snapshotOf(progress));
    expect(one(node, '.jp-TirRun-problem').textContent).toBe(
      'What is 1² + 2² + … + 20²?'
    );
    expect(texts(node, '.jp-TirHeader-fact')).toEqual([
      'Model scripted <b>model</b>',
      'Plan 8 samples in mode tir, at most 16 at once, within 600 s',
      'Isolation of the code full+ns'
    ]);
  });

  it('has the problem typeset once', async () => {
    const typeset = vi.fn<(node: HTMLElement) => void>();
    const run = snapshotOf(progress);
    const view = shown(run, { typeset });
    await vi.waitFor(() => expect(typeset).toHaveBeenCalled());
    view.show({ ...snapshotOf(progress), number: 5 });
    await drawn(4);
    expect(typeset.mock.calls.map(([node]) => node.textContent)).toEqual([
      String.raw`\(1^2 + 2^2 + \dots + 20^2\)`
    ]);
  });

  it('has a button that stops the run, until it is over', async () => {
    const stop = vi.fn(() => Promise.resolve(true));
    const run = snapshotOf(progress);
    const view = shown(run, { stop });
    const button = stopOf(view);
    expect([button.hidden, button.textContent]).toEqual([false, 'Stop']);
    button.click();
    button.click();
    await drawn();
    expect(stop).toHaveBeenCalledTimes(1);
    expect([button.getAttribute('aria-disabled'), button.textContent]).toEqual([
      'true',
      'Stopping…'
    ]);
    view.apply(batchAfter(run, { end: snapshotOf(failed).end }));
    await drawn();
    expect(button.hidden).toBe(true);
  });

  it('says so where the run could not be stopped, and lets one try again', async () => {
    const view = shown(snapshotOf(progress), {
      stop: () => Promise.resolve(false)
    });
    const button = stopOf(view);
    button.click();
    await drawn();
    expect([button.getAttribute('aria-disabled'), button.textContent]).toEqual([
      'false',
      'Stop'
    ]);
    expect(one(view.node, '.jp-TirHeader-connection').textContent).toBe(
      'The kernel could not be asked to stop: interrupt it, or run %tir stop.'
    );
  });

  it('has no such button where the page cannot stop a run', () => {
    const { node } = shown(snapshotOf(progress));
    expect(one(node, '.jp-TirRun-stop').hidden).toBe(true);
  });

  it('says how the view hears of a run that is not over', () => {
    const view = shown(snapshotOf(progress));
    const words = one(view.node, '.jp-TirHeader-connection');
    // It cannot know yet whether there is a kernel.
    expect(words.hidden).toBe(true);
    view.setConnection('still');
    expect(words.textContent).toContain('when this was saved');
    view.setConnection('waiting');
    expect(words.textContent).toContain('does not answer');
    view.setConnection('waiting', 'The kernel is restarting.');
    expect(words.textContent).toBe('The kernel is restarting.');
    view.setConnection('live');
    expect(words.hidden).toBe(true);
    const over = shown(snapshotOf(failed));
    expect(one(over.node, '.jp-TirHeader-connection').hidden).toBe(true);
  });
});

describe('progress', () => {
  it('counts samples and says what they do', () => {
    const { node } = shown(snapshotOf(progress));
    const bar = one(node, '[role="progressbar"]');
    expect(
      ['aria-valuenow', 'aria-valuemax', 'aria-valuetext'].map(name =>
        bar.getAttribute(name)
      )
    ).toEqual(['3', '8', '3 of 8 finished, 4 running']);
    expect(texts(node, '.jp-TirProgress-fact:not([hidden])')).toEqual([
      '3 of 8 finished',
      '4 running',
      '603 tokens',
      '15 s',
      // 603 tokens in 15 seconds.
      '40 tokens/s',
      '1 writing, 1 running code, 1 starting a kernel, 1 verifying'
    ]);
  });
});

describe('updates', () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: [
        'requestAnimationFrame',
        'cancelAnimationFrame',
        'performance',
        'setInterval',
        'clearInterval',
        'setTimeout',
        'clearTimeout'
      ]
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const finished = (node: ParentNode): string =>
    texts(node, '.jp-TirProgress-fact')[2];

  it('are drawn together, in the next frame', () => {
    const view = shown(snapshotOf(streaming.snapshot));
    const asked = vi.spyOn(globalThis, 'requestAnimationFrame');
    streaming.batches.slice(0, 3).forEach(batch => {
      expect(view.apply(batchOf(batch))).toBe(true);
    });
    expect(finished(view.node)).toBe('');
    expect(texts(view.node, '.jp-TirProgress-fact')).toContain('64 tokens');
    vi.advanceTimersToNextFrame();
    expect(texts(view.node, '.jp-TirProgress-fact')).toContain('256 tokens');
    expect(asked).toHaveBeenCalledTimes(1);
    asked.mockRestore();
  });

  it('are drawn each second where nobody sees them, and the end at once', () => {
    const sight = fakeSight();
    const view = shown(snapshotOf(streaming.snapshot));
    view.setConnection('live');
    sight.tell(view.node, false);
    vi.advanceTimersToNextFrame();
    const tokens = (): string =>
      texts(view.node, '.jp-TirProgress-fact').find(fact =>
        fact.endsWith(' tokens')
      ) ?? '';
    view.apply(batchOf(streaming.batches[0]));
    vi.advanceTimersByTime(100);
    expect(tokens()).toBe('64 tokens');
    vi.advanceTimersByTime(1_000);
    expect(tokens()).toBe('128 tokens');
    view.apply(batchOf(streaming.batches[1]));
    sight.tell(view.node, true);
    vi.advanceTimersToNextFrame();
    expect(tokens()).toBe('192 tokens');
    sight.tell(view.node, false);
    const { end } = snapshotOf(failed);
    view.apply(batchAfter(batchOf(streaming.batches[1]), { end }));
    vi.advanceTimersToNextFrame();
    expect(one(view.node, '.jp-TirVerdict-word').textContent).toBe(
      '■The server was lost'
    );
    view.dispose();
    expect(sight.watched.size).toBe(0);
    vi.unstubAllGlobals();
  });

  it('ask for a snapshot after a gap', () => {
    const view = shown(snapshotOf(streaming.snapshot));
    expect(view.apply(batchOf(streaming.batches[1]))).toBe(false);
  });

  it('end with the view', () => {
    const view = shown(snapshotOf(streaming.snapshot));
    view.setConnection('live');
    view.apply(batchOf(streaming.batches[0]));
    view.dispose();
    vi.advanceTimersByTime(60_000);
    expect(texts(view.node, '.jp-TirProgress-fact')).toContain('64 tokens');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('let the seconds go on while nothing comes', () => {
    const view = shown(snapshotOf(progress));
    view.setConnection('live');
    vi.advanceTimersByTime(3_100);
    expect(texts(view.node, '.jp-TirProgress-fact')).toContain('18 s');
    view.setConnection('waiting');
    vi.advanceTimersByTime(60_000);
    expect(texts(view.node, '.jp-TirProgress-fact')).toContain('18 s');
  });

  it('are announced every five seconds at most, and the last one always', () => {
    const run = snapshotOf(progress);
    const view = shown(run);
    view.setConnection('live');
    const status = one(view.node, '[role="status"]');
    const tell = (number: number, ended: boolean): void => {
      view.apply(
        batchAfter(
          { ...run, number },
          {
            tally: { ...run.tally, finished: 4 + number },
            end: ended ? snapshotOf(agreement).end : null
          }
        )
      );
      vi.advanceTimersToNextFrame();
      vi.advanceTimersByTime(1);
    };
    expect(status.textContent).toBe('');
    tell(0, false);
    expect(status.textContent).toBe(
      '4 of 8 samples have finished; 2870 leads with 78% of the weight.'
    );
    tell(1, false);
    tell(2, false);
    expect(status.textContent).toContain('4 of 8');
    vi.advanceTimersByTime(5_000);
    expect(status.textContent).toContain('6 of 8');
    tell(3, true);
    vi.advanceTimersByTime(5_000);
    expect(status.textContent).toBe(
      'The samples agree with 2870: 4 of 4 samples, 4 by code. The run is over. Answer: 2870'
    );
  });

  it('are announced at their end though the page hears of them no more', () => {
    const run = snapshotOf(progress);
    const view = shown(run);
    view.setConnection('live');
    view.apply(batchAfter(run, { end: snapshotOf(agreement).end }));
    view.setConnection('still');
    vi.advanceTimersToNextFrame();
    vi.advanceTimersByTime(5_000);
    expect(one(view.node, '[role="status"]').textContent).toContain(
      'The run is over. Answer: 2870'
    );
  });

  it('are not announced where a notebook is only opened', () => {
    const view = shown(snapshotOf(agreement));
    vi.advanceTimersByTime(10_000);
    expect(one(view.node, '[role="status"]').textContent).toBe('');
  });
});

describe('a run whose kernel is gone', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it('is not said to go on', () => {
    const view = shown(snapshotOf(progress));
    const label = one(view.node, '.jp-TirVerdict-label');
    view.setConnection('waiting');
    vi.advanceTimersToNextFrame();
    expect(label.textContent).toBe('Leader');
    view.setConnection('still');
    vi.advanceTimersToNextFrame();
    expect(label.textContent).toBe('Last leader, without an end');
    const facts = texts(view.node, '.jp-TirProgress-fact').filter(Boolean);
    expect(facts).toContain('4 without an end');
    expect(facts.join(' ')).not.toMatch(/running|writing|verifying|kernel/);
    tab(view, 'Samples (7)').click();
    expect(texts(view.node, '.jp-TirSamples-status').slice(-4)).toEqual(
      Array<string>(4).fill('Without an end')
    );
    expect(texts(view.node, '[data-state="running"]').length).toBe(1);
  });

  it('that answers again is said to go on', () => {
    const view = shown(snapshotOf(progress));
    view.setConnection('still');
    vi.advanceTimersToNextFrame();
    view.setConnection('live');
    vi.advanceTimersToNextFrame();
    expect(texts(view.node, '.jp-TirProgress-fact')).toContain('4 running');
  });

  it('has no answer that could come yet', () => {
    const view = shown({
      ...snapshotOf(progress),
      tally: { ...snapshotOf(progress).tally, candidates: [] }
    });
    view.setConnection('still');
    vi.advanceTimersToNextFrame();
    expect(one(view.node, '.jp-TirVerdict-label').textContent).toBe(
      'No answer, and no end'
    );
  });
});
