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
  return view.node.querySelector('ul.jp-TirRun-remarks')?.textContent ?? '';
}

/** The rows of the tally: answer, samples, verified ones, weight. */
export function rows(view: WhatIfView): string[][] {
  return [...view.node.querySelectorAll('tbody tr')].map(row => {
    const [title, , count, verified, weight] = [...row.children];
    const answer = title.querySelector('.jp-TirTally-shown') ?? title;
    return [answer, count, verified, weight].map(cell => cell.textContent);
  });
}
