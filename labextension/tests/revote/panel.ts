/**
 * A what-if's panel in a page, and what a reader finds in it.
 */
import { readSnapshot } from '../../src/view/reading';
import type { ISnapshot } from '../../src/view/wire';
import { WhatIfView } from '../../src/view/whatIf/whatIfView';
import runs from '../data/revote/runs.json';
import { plainTranslation } from '../plainTranslation';

/** The run as a saved notebook has it; `split` and `stopped` are described in revoting_cases.py. */
export function saved(name: keyof typeof runs): ISnapshot {
  const reading = readSnapshot(runs[name]);
  if (reading.kind !== 'read') {
    throw new Error(`not readable: ${JSON.stringify(reading)}`);
  }
  return reading.value;
}

/** The run `split` with another recorded rule. */
export function stoppingBy(stop: string): ISnapshot {
  const run = saved('split');
  const { revote } = run;
  const parts = revote?.parts.map(each => ({ ...each, stop })) ?? [];
  return { ...run, revote: revote && { ...revote, parts } };
}

/** The run `split` where code-verified samples were sure at first and unsure in their last tokens. */
export function windowed(windows: readonly number[] = [16, 32]): ISnapshot {
  const run = saved('split');
  const { revote } = run;
  return {
    ...run,
    revote: revote && {
      ...revote,
      entropyWindows: windows,
      ended: revote.ended.map(each => {
        const unsure = (window: number): boolean =>
          window === 16 && each.ballot?.replayed === true;
        return {
          ...each,
          entropies: windows.map(window => (unsure(window) ? Math.LN2 : 0)),
          factors: windows.map(window => (unsure(window) ? 0.5 : 1))
        };
      })
    }
  };
}

/** Its panel, in the page. */
export function shown(run: keyof typeof runs | ISnapshot): WhatIfView {
  const snapshot = typeof run === 'string' ? saved(run) : run;
  const view = new WhatIfView(plainTranslation, snapshot);
  document.body.append(view.node);
  return view;
}

/** What a line of the comparison says, piece by piece. */
export function wordsOf(view: WhatIfView, line: 'before' | 'now'): string[] {
  const row = view.node.querySelector(`.jp-TirWhatIf-${line}`);
  return [...(row?.querySelectorAll('span') ?? [])]
    .map(each => each.textContent)
    .filter(words => words !== '');
}

/** The control with this label. */
export function control(view: WhatIfView, label: string): HTMLInputElement {
  const named = [...view.node.querySelectorAll('label')].find(
    each => each.textContent === label
  );
  const found = [
    ...view.node.querySelectorAll<HTMLInputElement>('input, select')
  ].find(each => each.id === named?.htmlFor);
  if (found === undefined) {
    throw new Error(`no control: ${label}`);
  }
  return found;
}

/** Chooses as a person does. */
export function choose(view: WhatIfView, label: string, value: string): void {
  const input = control(view, label);
  input.value = value;
  const select = input.tagName === 'SELECT';
  input.dispatchEvent(new Event(select ? 'change' : 'input'));
}

/** All notes on the re-vote. */
export function notes(view: WhatIfView): string {
  return view.node.querySelector('.jp-TirWhatIf-notes')?.textContent ?? '';
}

/** The rows of the tally: answer, samples, verified ones, weight. */
export function rows(view: WhatIfView): string[][] {
  return [...view.node.querySelectorAll('tbody tr')].map(row => {
    const [title, , count, verified, weight] = [...row.children];
    const answer = title.querySelector('.jp-TirTally-shown') ?? title;
    return [answer, count, verified, weight].map(cell => cell.textContent);
  });
}

/** What changes, in whole sentences. */
export function changes(view: WhatIfView): string | undefined {
  return view.node.querySelector('.jp-TirWhatIf-change')?.textContent;
}

/** The button that takes all changes back. */
export function back(view: WhatIfView): HTMLButtonElement {
  const found = view.node.querySelector<HTMLButtonElement>(
    '.jp-TirWhatIf-reset'
  );
  if (found === null) {
    throw new Error('no way back');
  }
  return found;
}
