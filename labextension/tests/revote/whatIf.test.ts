import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { WhatIfView } from '../../src/view/whatIf/whatIfView';
import { whatIfTab } from '../../src/view/whatIf/whatIfView';
import { plainTranslation } from '../plainTranslation';
import {
  back,
  changes,
  choose,
  control,
  notes,
  rows,
  saved,
  shown,
  stoppingBy,
  windowed,
  wordsOf
} from './panel';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

describe('the what-if of a run', () => {
  it('begins as the run was', () => {
    const view = shown('split');
    // 4 · 1.3 to 5 · 1.
    expect(wordsOf(view, 'before')).toEqual([
      '9',
      'no rule fired, 9 samples counted',
      '126 tokens'
    ]);
    expect(wordsOf(view, 'now')).toEqual([
      '9',
      'same answer',
      'no rule fired, 9 samples counted',
      'the same samples'
    ]);
    expect(control(view, 'Stop rule').value).toBe('none');
    expect(back(view).getAttribute('aria-disabled')).toBe('true');
    expect(changes(view)).toMatch(/^This is the run as it was\./);
    expect(rows(view)).toEqual(
      saved('split').tally.candidates.map(each => [
        each.shown,
        String(each.count),
        String(each.codeVerified),
        each.weight.toFixed(2)
      ])
    );
  });

  it('says what a lead of two would have changed, and moves the votes', () => {
    const view = shown('split');
    choose(view, 'Stop rule', 'lead');
    choose(view, 'Samples ahead', '2');
    expect(wordsOf(view, 'now')).toEqual([
      '7',
      'another answer',
      'stopped after 2 of 9 by the rule lead',
      '7 samples fewer, 105 tokens fewer'
    ]);
    expect(changes(view)).toBe(
      '7 would win, not 9. The run would stop after 2 samples; no rule stopped it, and it counted 9 samples. That saves 7 samples and 105 tokens.'
    );
    expect(rows(view)).toEqual([['7', '2', '0', '2.00']]);
    expect(notes(view)).toBe(
      '7 samples were in flight when the rule fired; their tokens are not in the sum.'
    );
    expect(view.node.querySelector('figcaption')?.textContent).toContain(
      '7 has 2 samples, 2 more than any other answer: a lead of 2 was asked for'
    );
  });

  it('says how it would have been counted otherwise', () => {
    const view = shown('split');
    // 5 samples to 4, and 5 · 1 to 4 · 1.
    choose(view, 'Policy', 'majority');
    expect(wordsOf(view, 'now')[0]).toBe('7');
    expect(control(view, 'Code weight').disabled).toBe(true);
    choose(view, 'Policy', 'weighted');
    expect(wordsOf(view, 'now')[0]).toBe('9');
    choose(view, 'Code weight', '1');
    expect(wordsOf(view, 'now').slice(0, 2)).toEqual(['7', 'another answer']);
    // 4 · 1.25 is as much as 5 · 1: a tie, which the count decides.
    choose(view, 'Code weight', '1.25');
    expect(wordsOf(view, 'now')[0]).toBe('7');
    choose(view, 'Code weight', '1.3');
    expect(wordsOf(view, 'now')[0]).toBe('9');
  });

  it('weighs votes by the entropy of their last tokens', () => {
    const view = shown(windowed());
    const options = [
      ...control(view, 'Entropy of').querySelectorAll('option')
    ].map(each => each.textContent);
    expect(options).toEqual([
      'As run: all tokens',
      'the last 16 tokens',
      'the last 32 tokens'
    ]);
    // After eight 4 · 1 to 4 · 1.3 · 0.5, which one more, at 1.3, cannot catch.
    choose(view, 'Entropy of', '16');
    expect(wordsOf(view, 'now')[2]).toBe(
      'stopped after 8 of 9 by the rule uncatchable'
    );
    expect(rows(view)).toEqual([
      ['7', '4', '0', '4.00'],
      ['9', '4', '4', '2.60']
    ]);
    expect(changes(view)).toMatch(/^7 would win, not 9\. /);
    choose(view, 'Entropy of', '32');
    expect(wordsOf(view, 'now')[0]).toBe('9');
    expect(back(view).getAttribute('aria-disabled')).toBe('false');
    back(view).click();
    expect(control(view, 'Entropy of').value).toBe('as-run');
    expect(changes(view)).toMatch(/^This is the run as it was\. /);
  });

  it('has no use for a window where no entropy weighs', () => {
    const view = shown(windowed());
    choose(view, 'Policy', 'majority');
    expect(control(view, 'Entropy of').disabled).toBe(true);
    choose(view, 'Policy', 'votes-first');
    expect(control(view, 'Entropy of').disabled).toBe(false);
    const box = control(view, 'Weigh by entropy');
    box.checked = false;
    box.dispatchEvent(new Event('change'));
    expect(control(view, 'Entropy of').disabled).toBe(true);
  });

  it('names the window of the run, and says where the record has no other', () => {
    const run = windowed([0, 16]);
    const settings = { ...run.head.settings, entropy_window: 64 };
    const own = shown({ ...run, head: { ...run.head, settings } });
    const said = [...control(own, 'Entropy of').querySelectorAll('option')];
    expect(said.map(each => each.textContent)).toEqual([
      'As run: the last 64 tokens',
      'all tokens',
      'the last 16 tokens'
    ]);
    const about = (view: WhatIfView): string | null | undefined =>
      view.node.querySelector(':scope > .jp-TirRun-note')?.textContent;
    expect(about(own)).toBe('');
    const older = shown('split');
    expect(about(older)).toMatch(
      /^Entropies are of all tokens .* another window cannot be tried\.$/
    );
    const field = control(older, 'Entropy of').closest<HTMLElement>(
      '.jp-TirWhatIf-field'
    );
    expect(field?.hidden).toBe(true);
  });

  it('goes back to the run by one button', () => {
    const view = shown('split');
    const before = view.node.querySelector('tbody')?.textContent;
    choose(view, 'Stop rule', 'window');
    choose(view, 'Samples in a row', '2');
    expect(wordsOf(view, 'now')[2]).toBe(
      'stopped after 2 of 9 by the rule window'
    );
    const button = back(view);
    expect(button.getAttribute('aria-disabled')).toBe('false');
    button.focus();
    button.click();
    expect(button.getAttribute('aria-disabled')).toBe('true');
    // Who uses the keyboard stays where they are.
    expect(document.activeElement).toBe(button);
    expect(wordsOf(view, 'now')[3]).toBe('the same samples');
    expect(control(view, 'Stop rule').value).toBe('none');
    expect(view.node.querySelector('tbody')?.textContent).toBe(before);
  });

  it('says that the record ends where a rule would have wanted more', () => {
    const view = shown('stopped');
    expect(wordsOf(view, 'before').slice(0, 2)).toEqual([
      '7',
      'stopped after 4 of 9 by the rule share'
    ]);
    // 4 to 1 so far. Of three to come, one that is verified would be out of reach: 6 to 1 + 4.
    choose(view, 'Stop rule', 'lead');
    choose(view, 'Samples ahead', '5');
    expect(wordsOf(view, 'now').slice(2, 4)).toEqual([
      'no rule fired, 6 samples counted',
      'the same samples'
    ]);
    expect(changes(view)).toBe(
      '7 still wins. No rule would stop the run, which was stopped after 4 samples.'
    );
    expect(notes(view)).toContain(
      'The record ends here. These rules would have wanted more: one sample at the least.'
    );
    expect(notes(view)).toContain('The run itself ended one sample;');
    expect(notes(view)).toContain('Planned samples that never began: 3 of 9;');
  });

  it('keeps what is being typed, and takes only numbers within the range', () => {
    const view = shown('stopped');
    const typed = [
      ...view.node.querySelectorAll<HTMLInputElement>('input[type=number]')
    ].find(each => each.getAttribute('aria-label') === 'Share τ');
    expect(typed?.value).toBe('0.75');
    if (typed === undefined) {
      return;
    }
    typed.focus();
    typed.value = '2';
    typed.dispatchEvent(new Event('input'));
    expect(control(view, 'Share τ').value).toBe('0.75');
    typed.value = '0.9';
    typed.dispatchEvent(new Event('input'));
    expect(control(view, 'Share τ').value).toBe('0.9');
    typed.value = '7';
    typed.dispatchEvent(new Event('change'));
    expect(typed.value).toBe('0.9');
  });

  it('keeps what was chosen when the page shows the run anew', () => {
    const view = shown('split');
    choose(view, 'Policy', 'majority');
    view.update(saved('split'));
    expect(control(view, 'Policy').value).toBe('majority');
    expect(wordsOf(view, 'now')[0]).toBe('7');
  });

  it('says changes to those who do not see them, and nothing before there are any', () => {
    const view = shown('split');
    const status = view.node.querySelector('[role=status]');
    vi.advanceTimersByTime(10_000);
    expect(status?.textContent).toBe('');
    choose(view, 'Policy', 'majority');
    vi.advanceTimersByTime(10_000);
    expect(status?.textContent).toBe(
      '7 would win, not 9. No rule would stop the run, as none did.'
    );
    expect(changes(view)).toBe(status?.textContent);
  });

  it('tries all values of a number, says who wins at which, and takes the one clicked', () => {
    const view = shown('split');
    const words = (): string =>
      view.node.querySelector('.jp-TirWhatIf-sweepWords')?.textContent ?? '';
    choose(view, 'Stop rule', 'lead');
    vi.runAllTimers();
    // 7 leads by 1, 2 and 3 at some time; no lead of 4 comes, and then 9 has it.
    expect(words()).toBe('The winner is 7 from 1 to 3, 9 from 4 to 9.');
    const bars = [...view.node.querySelectorAll('.jp-TirWhatIf-bar')];
    expect(bars).toHaveLength(9);
    const other = bars.map(bar => bar.classList.contains('jp-mod-other'));
    expect(other).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map(k => k <= 3));
    (bars[1] as HTMLElement).click();
    expect(control(view, 'Samples ahead').value).toBe('2');
    expect(bars[1].classList.contains('jp-mod-here')).toBe(true);
    choose(view, 'Stop rule', 'none');
    expect(
      view.node.querySelector<HTMLElement>('.jp-TirWhatIf-sweep')?.hidden
    ).toBe(true);
  });

  it('says of a long run that values were tried, as not all of them are', () => {
    const { revote } = stoppingBy('lead:1');
    const parts = revote?.parts.map(each => ({ ...each, planned: 1024 })) ?? [];
    const view = shown({
      ...stoppingBy('lead:1'),
      revote: revote && { ...revote, parts }
    });
    choose(view, 'Policy', 'majority');
    vi.runAllTimers();
    expect(view.node.querySelectorAll('.jp-TirWhatIf-bar')).toHaveLength(64);
    expect(
      view.node.querySelector('.jp-TirWhatIf-sweepWords')?.textContent
    ).toBe('7 wins at every value tried from 1 to 1009.');
  });

  it('tries the values anew where the run has gone on', () => {
    const run = stoppingBy('share:0.75');
    const { revote } = run;
    const titles = (view: WhatIfView): string[] =>
      [...view.node.querySelectorAll<HTMLElement>('.jp-TirWhatIf-bar')].map(
        each => each.title
      );
    const ended = revote?.ended.slice(0, 4) ?? [];
    const view = shown({ ...run, revote: revote && { ...revote, ended } });
    vi.runAllTimers();
    expect(titles(view)[50]).toBe('1: 7 after 4 samples');
    view.update(run);
    vi.runAllTimers();
    expect(titles(view)[50]).toBe('1: 9 after 9 samples');
  });

  it('says so where a changed record has rules that none can read', () => {
    const view = shown(stoppingBy('constructor'));
    expect(wordsOf(view, 'now')).toContain('these rules cannot be read');
  });

  it('keeps keys pressed in a control from the shortcuts of the page', () => {
    const view = shown('split');
    const takeKeys = [
      ...view.node.querySelectorAll(
        'select, input, button, summary, textarea, [tabindex], a[href]'
      )
    ];
    // Two selects, six numbers with two inputs each, the entropy's box, and the button back.
    expect(takeKeys.length).toBeGreaterThanOrEqual(16);
    const open = takeKeys.filter(
      each => !each.hasAttribute('data-lm-suppress-shortcuts')
    );
    expect(open.map(each => each.outerHTML)).toEqual([]);
  });

  it('names every control', () => {
    const view = shown('split');
    for (const input of view.node.querySelectorAll('input, select')) {
      const label = view.node.querySelector(`label[for="${input.id}"]`);
      expect(
        input.getAttribute('aria-label') ?? label?.textContent ?? ''
      ).not.toBe('');
    }
  });
});

describe('the tab', () => {
  it('is there once a run is over and has votes', () => {
    const { available } = whatIfTab(plainTranslation);
    const run = saved('split');
    expect(available?.(run)).toBe(true);
    expect(available?.({ ...run, end: null, revote: null })).toBe(false);
    expect(available?.({ ...run, revote: null })).toBe(false);
  });
});
