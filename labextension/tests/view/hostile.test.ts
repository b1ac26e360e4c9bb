import { describe, expect, it } from 'vitest';

import type { RunView } from '../../src/view/runView';
import type { ISnapshot } from '../../src/view/wire';
import hostile from '../data/view/hostile.json';
import { batchAfter, drawn, one, opener, shown, snapshotOf, tab } from './runs';

const ATTACK = '<img src=x onerror=alert(1)>';
const RUN = snapshotOf(hostile);

/** Everything that the view can show, drawn. */
function all(run: ISnapshot): RunView {
  const [leader] = run.tally.candidates;
  const shownAs = run.head.problem.text;
  const snapshot = {
    ...run,
    tally: { ...run.tally, candidates: [{ ...leader, shown: shownAs }] },
    points: run.points.map(each => ({ ...each, leader: shownAs })),
    samples: run.samples.map(each => ({ ...each, answer: shownAs }))
  };
  const view = shown(snapshot, {
    stop: () => Promise.resolve(true),
    insertCode: () => undefined
  });
  tab(view, 'Samples').click();
  snapshot.samples.forEach(({ sample }) => opener(view, sample).click());
  tab(view, 'Trace').click();
  return view;
}

describe('what nobody vouches for', () => {
  it('is text and nothing else', () => {
    const { node } = all(RUN);
    const tags = new Set(
      [...node.querySelectorAll('*')].map(each => each.localName)
    );
    for (const tag of ['img', 'script', 'a', 'iframe', 'b', 'style']) {
      expect(tags).not.toContain(tag);
    }
    for (const each of node.querySelectorAll('*')) {
      for (const { name } of each.attributes) {
        expect(name).not.toMatch(/^on|^href$|^src$|^xlink/);
      }
    }
    // In the problem, claim, leader, tally, notices, chart, samples, transcripts and trace.
    expect(node.textContent.split(ATTACK).length).toBeGreaterThan(12);
  });

  it('hides nothing', () => {
    const { node } = all(RUN);
    expect(node.textContent).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
    for (const each of node.querySelectorAll('*')) {
      for (const { value } of each.attributes) {
        expect(value).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
      }
    }
    expect(one(node, '.jp-TirRun-problem').textContent).toBe(
      `${ATTACK} <script>alert(1)</script> [here](javascript:alert(1)) ` +
        '<U+001B>[31mred<U+001B>[0m <U+001B>]0;title<U+0007> ' +
        'a<U+202E>b<U+2066>c<U+200B>'
    );
  });

  it('is text where it streams, too', async () => {
    const view = all(RUN);
    tab(view, 'Samples').click();
    view.apply(
      batchAfter(RUN, { texts: [{ sample: 2, segment: 0, text: ATTACK }] })
    );
    await drawn();
    expect(view.node.querySelector('img')).toBe(null);
    const last = [...view.node.querySelectorAll('.jp-TirText')].at(-1);
    expect(last?.textContent.endsWith(`c<U+200B>${ATTACK}`)).toBe(true);
  });

  it('is cut where a line has no end', async () => {
    const view = all(RUN);
    tab(view, 'Samples').click();
    const line = 'x'.repeat(1_000_000);
    view.apply(
      batchAfter(RUN, { texts: [{ sample: 2, segment: 0, text: line }] })
    );
    await drawn();
    const last = [...view.node.querySelectorAll('.jp-TirText')].at(-1);
    expect(last?.textContent.length).toBeLessThan(201_000);
    expect(last?.textContent).toContain('more characters are not drawn');
  });
});
