import { describe, expect, it, vi } from 'vitest';

import { plainTranslation } from '../plainTranslation';
import agreement from '../data/view/agreement.json';
import failed from '../data/view/failed_server.json';
import progress from '../data/view/in_progress.json';
import {
  batchAfter,
  drawn,
  one,
  opener,
  shown,
  snapshotOf,
  tab,
  texts
} from './runs';

describe('tabs', () => {
  const press = (target: Element, key: string): boolean =>
    target.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    );

  it('are reached by arrow keys', () => {
    const view = shown(snapshotOf(progress));
    const names = ['Tally', 'Samples', 'Trace'];
    const chosen = (): string[] =>
      texts(view.node, '[role="tab"][aria-selected="true"]');
    expect(texts(view.node, '[role="tab"]:not([hidden])')).toEqual([
      'Tally',
      'Samples (7)',
      'Trace'
    ]);
    press(tab(view, 'Tally'), 'ArrowRight');
    expect(chosen()).toEqual(['Samples (7)']);
    expect(document.activeElement).toBe(tab(view, 'Samples'));
    press(tab(view, 'Samples'), 'End');
    expect(chosen()).toEqual(['Trace']);
    press(tab(view, 'Trace'), 'ArrowRight');
    expect(chosen()).toEqual(['Tally']);
    press(tab(view, 'Tally'), 'ArrowLeft');
    press(tab(view, 'Trace'), 'Home');
    expect(chosen()).toEqual(['Tally']);
    expect(names.map(name => tab(view, name).tabIndex)).toEqual([0, -1, -1]);
  });

  it('keep their keys from the shortcuts of the notebook around them', () => {
    const view = shown(snapshotOf(agreement));
    tab(view, 'What if').click();
    tab(view, 'Samples').click();
    opener(view, 0).click();
    const kept = [
      tab(view, 'Trace'),
      one(view.node, '[role="grid"]'),
      one(view.node, '.jp-TirTranscript'),
      one(view.node, 'input')
    ].map(each => each.hasAttribute('data-lm-suppress-shortcuts'));
    expect(kept).toEqual([true, true, true, true]);
  });

  it('name their panels, of which one is shown', () => {
    const view = shown(snapshotOf(progress));
    tab(view, 'Samples').click();
    for (const each of view.node.querySelectorAll('[role="tab"]')) {
      const panel = one(
        view.node,
        `#${String(each.getAttribute('aria-controls'))}`
      );
      expect(panel.getAttribute('role')).toBe('tabpanel');
      expect(panel.getAttribute('aria-labelledby')).toBe(each.id);
      expect(panel.hidden).toBe(each !== tab(view, 'Samples'));
    }
  });

  it('let one try other rules once the run is over', async () => {
    const run = snapshotOf(progress);
    const view = shown(run);
    expect(tab(view, 'What if').hidden).toBe(true);
    view.show(snapshotOf(agreement));
    await drawn();
    expect(tab(view, 'What if').hidden).toBe(false);
    tab(view, 'What if').click();
    view.show(run);
    await drawn();
    // A run that goes on again has no such tab, and another is shown.
    expect(tab(view, 'Tally').getAttribute('aria-selected')).toBe('true');
  });

  it('have room for others, made when they are first shown', async () => {
    const update = vi.fn();
    const dispose = vi.fn();
    const create = vi.fn(() => ({
      node: document.createElement('output'),
      update,
      dispose
    }));
    const run = snapshotOf(progress);
    const view = shown(run, {
      extraTabs: [
        {
          title: plainTranslation.__('More'),
          available: ({ end }) => end !== null,
          create
        }
      ]
    });
    expect(tab(view, 'More').hidden).toBe(true);
    view.apply(batchAfter(run, { end: snapshotOf(failed).end }));
    await drawn();
    expect(tab(view, 'More').hidden).toBe(false);
    expect(create).not.toHaveBeenCalled();
    tab(view, 'More').click();
    tab(view, 'Tally').click();
    tab(view, 'More').click();
    expect(create).toHaveBeenCalledTimes(1);
    expect(update).toHaveBeenCalledTimes(2);
    expect(view.node.querySelector('[role="tabpanel"] output')).not.toBe(null);
    view.dispose();
    expect(dispose).toHaveBeenCalledTimes(1);
  });
});
