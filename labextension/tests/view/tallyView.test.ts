import { describe, expect, it } from 'vitest';

import { LISTED, TallyView, votesOf } from '../../src/view/tallyView';
import type { ISnapshot } from '../../src/view/wire';
import { plainTranslation } from '../plainTranslation';
import disagreement from '../data/view/disagreement.json';
import failed from '../data/view/failed_server.json';
import progress from '../data/view/in_progress.json';
import tie from '../data/view/tie.json';
import { one, snapshotOf, texts } from './runs';

function tallyOf(snapshot: ISnapshot): TallyView {
  const view = new TallyView(plainTranslation);
  view.update(votesOf(snapshot));
  return view;
}

function rows(view: TallyView): string[][] {
  return [...view.node.querySelectorAll('tbody tr')].map(row =>
    [...row.children]
      .map(cell => cell.textContent)
      .filter((_, column) => column !== 1)
  );
}

function widths(row: Element): string[] {
  return [...row.querySelectorAll<HTMLElement>('.jp-TirTally-part')].map(
    part => part.style.width
  );
}

describe('TallyView', () => {
  it('has a row for each candidate and each way to have none', () => {
    expect(rows(tallyOf(snapshotOf(disagreement)))).toEqual([
      ['2870winner', '3', '3', '4.67', '89%', '0.25'],
      ['385', '1', '0', '0.61', '11%', '0.50'],
      ['No answer', '1', '', '', 'no vote', ''],
      ['Out of range', '1', '', '', 'no vote', '']
    ]);
  });

  it('parts what code verified from what text says, as a share of the finished', () => {
    const view = tallyOf(snapshotOf(progress));
    const [leader, other] = view.node.querySelectorAll('tbody tr');
    expect(widths(leader)).toEqual(['33.33%', '33.33%', '0%']);
    expect(widths(other)).toEqual(['0%', '33.33%', '0%']);
    const tick = one(leader, '.jp-TirTally-tick');
    expect([tick.hidden, tick.style.left]).toEqual([false, '75%']);
    expect(one(other, '.jp-TirTally-tick').hidden).toBe(true);
  });

  it('marks the leader by a word and for assistive technology', () => {
    const view = tallyOf(snapshotOf(progress));
    const [leader, other] = view.node.querySelectorAll('tbody tr');
    expect(leader.getAttribute('aria-current')).toBe('true');
    expect(one(leader, '.jp-TirTally-mark').textContent).toBe('leader');
    expect(other.getAttribute('aria-current')).toBe(null);
    expect(one(other, '.jp-TirTally-mark').hidden).toBe(true);
  });

  it('marks all that are tied', () => {
    const view = tallyOf(snapshotOf(tie));
    expect(
      texts(view.node, 'tbody tr[aria-current] .jp-TirTally-mark')
    ).toEqual(['tied', 'tied']);
    expect(texts(view.node, '.jp-TirRun-remarks li')).toEqual(
      snapshotOf(tie).tally.remarks
    );
  });

  it('names the samples that were lost', () => {
    expect(rows(tallyOf(snapshotOf(failed)))).toEqual([
      ['Server lost', '3', '', '', 'no vote', '']
    ]);
  });

  it('shows the first candidates, and more when asked', () => {
    const run = snapshotOf(progress);
    const [first] = run.tally.candidates;
    const candidates = Array.from({ length: 13 }, (_, index) => ({
      ...first,
      key: `q:${index}`
    }));
    const view = tallyOf({
      ...run,
      tally: { ...run.tally, candidates, leftOut: 4 }
    });
    const more = one(view.node, '.jp-TirRun-action');
    const leftOut = (): string[] =>
      texts(view.node, '.jp-TirTally > .jp-TirRun-note:not([hidden])');
    expect(rows(view)).toHaveLength(LISTED);
    expect(leftOut()).toEqual([]);
    expect(more.textContent).toBe('Show 3 more answers');
    more.click();
    expect(rows(view)).toHaveLength(13);
    expect(more.textContent).toBe(`Show the first ${LISTED} only`);
    expect(leftOut()).toEqual(['4 more answers are not shown.']);
  });

  it('moves rows without making them anew', () => {
    const run = snapshotOf(progress);
    const view = tallyOf(run);
    const [leader, other] = view.node.querySelectorAll('tbody tr');
    view.update(
      votesOf({
        ...run,
        tally: { ...run.tally, candidates: run.tally.candidates.toReversed() }
      })
    );
    const rowsNow = [...view.node.querySelectorAll('tbody tr')];
    expect(rowsNow[0]).toBe(other);
    expect(rowsNow[1]).toBe(leader);
    expect(rowsNow[0].getAttribute('aria-current')).toBe('true');
    expect(rowsNow[1].getAttribute('aria-current')).toBe(null);
  });
});
