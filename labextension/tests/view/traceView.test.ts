import { describe, expect, it } from 'vitest';

import { RunView } from '../../src/view/runView';
import type { ISnapshot } from '../../src/view/wire';
import stopped from '../data/view/stopped_early.json';
import { drawn, one, shown, snapshotOf, tab, texts } from './runs';

const ROW_PX = 24;
const LONG: ISnapshot = longRun();

function longRun(): ISnapshot {
  const run = snapshotOf(stopped);
  const steps = Array.from({ length: 4_000 }, (_, seq) => ({
    ...run.steps[0],
    seq,
    title: `event ${seq}`,
    detail: ''
  }));
  return { ...run, steps, stepsLeftOut: 12 };
}

function traceOf(snapshot: ISnapshot): RunView {
  const view = shown(snapshot);
  tab(view, 'Trace').click();
  return view;
}

function titles(view: RunView): string[] {
  return texts(view.node, '.jp-TirTrace-rows [role="row"] > :nth-child(5)');
}

function press(view: RunView, key: string): void {
  one(view.node, '[role="grid"]').dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
  );
}

describe('the trace', () => {
  it('has a row for each event, and says who did and who decided', () => {
    const view = traceOf(snapshotOf(stopped));
    const cells = [
      ...view.node.querySelectorAll('.jp-TirTrace-rows [role="row"]')
    ].map(row => [...row.children].map(cell => cell.textContent));
    expect(cells.slice(7, 10)).toEqual([
      ['3.50', 'sample-started', 'code', 'code', 'sample 7: started', '', ''],
      [
        '4.00',
        'turn-ended',
        'model',
        'model',
        'sample 3, turn 1: stop',
        '100',
        '1.2 s'
      ],
      ['4.50', 'answer-read', 'code', 'model', 'sample 3: answer', '', '']
    ]);
  });

  it('makes only the rows in sight of a long run', () => {
    const view = traceOf(LONG);
    expect(titles(view)[0]).toBe('event 0');
    expect(titles(view).length).toBeLessThan(60);
    const grid = one(view.node, '[role="grid"]');
    expect(grid.getAttribute('aria-rowcount')).toBe('4001');
    expect(one(view.node, '.jp-TirTrace-rows').style.height).toBe(
      `${4_000 * ROW_PX}px`
    );
    expect(view.node.textContent).toContain(
      '12 more events are in the record, not here.'
    );
  });

  it('shows the rows to which one scrolls, in order', async () => {
    const view = traceOf(LONG);
    const grid = one(view.node, '[role="grid"]');
    for (const row of [2_000, 1_990]) {
      grid.scrollTop = row * ROW_PX;
      grid.dispatchEvent(new Event('scroll'));
      await drawn();
      const seen = titles(view);
      expect(seen).toContain(`event ${row}`);
      expect(seen).toEqual(seen.map((_, index) => `event ${row - 12 + index}`));
      expect(seen.length).toBeLessThan(60);
    }
    const row = one(grid, '[aria-rowindex="1992"]');
    expect(row.style.transform).toBe(`translateY(${1_990 * ROW_PX}px)`);
  });

  it('is read by keyboard, and shows all of the event that is chosen', () => {
    const run = snapshotOf(stopped);
    const view = traceOf(run);
    const grid = one(view.node, '[role="grid"]');
    const chosen = (): string =>
      one(grid, `#${String(grid.getAttribute('aria-activedescendant'))}`)
        .children[4].textContent;
    press(view, 'ArrowDown');
    expect(chosen()).toContain('run 20260102-030405-abcdef');
    press(view, 'ArrowDown');
    expect(chosen()).toBe('sample 1: started');
    expect(texts(grid, '[aria-selected="true"] > :nth-child(5)')).toEqual([
      'sample 1: started'
    ]);
    press(view, 'ArrowUp');
    press(view, 'ArrowUp');
    expect(chosen()).toContain('run 20260102-030405-abcdef');
    expect(one(view.node, '.jp-TirTrace-detail').textContent).toBe(
      `run 20260102-030405-abcdef ${run.steps[0].detail}`
    );
    const far = traceOf(LONG);
    press(far, 'End');
    expect(one(far.node, '.jp-TirTrace-detail').textContent).toContain(
      'event 3999'
    );
  });
});
