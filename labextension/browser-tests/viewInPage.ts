/**
 * Runs in a test's page: draws runs there as a host would, without JupyterLab and without a kernel.
 */
import { PanelView } from '../src/panelView';
import type { IViewHost } from '../src/view/host';
import { readBatch, readSnapshot } from '../src/view/reading';
import { RunView } from '../src/view/runView';
import { plainTranslation as trans } from '../src/widget/plainTranslation';

/** What the page offers to the test, under `tirViews`. */
export interface IViewsInPage {
  /** Draws one run alone; `live` as one that goes on, in a page that can do everything. */
  show(run: unknown, live: boolean): void;
  /** Gives the run that is shown its next batch. */
  apply(batch: unknown): void;
  /** Says that nothing more will come of the run. */
  still(): void;
  /** Draws the side panel's content alone. */
  showPanel(): void;
}

const host: IViewHost = {
  trans,
  stop: () => Promise.resolve(true),
  open: () => undefined,
  insertCode: () => undefined
};

let view: RunView | undefined;

function place(): HTMLElement {
  const found = document.querySelector('main');
  if (found === null) {
    throw new Error('the page has no place for a view');
  }
  return found;
}

const views: IViewsInPage = {
  show: (run, live) => {
    const reading = readSnapshot(run);
    if (reading.kind !== 'read') {
      throw new Error(`not readable: ${JSON.stringify(reading)}`);
    }
    view?.dispose();
    view = new RunView(live ? host : { trans }, reading.value);
    place().replaceChildren(view.node);
    view.setConnection(live ? 'live' : 'still');
  },
  apply: batch => {
    const reading = readBatch(batch);
    if (reading.kind !== 'read' || view?.apply(reading.value) !== true) {
      throw new Error(`not applied: ${JSON.stringify(reading)}`);
    }
  },
  still: () => view?.setConnection('still'),
  showPanel: () => {
    view?.dispose();
    const panel = new PanelView(trans, { openSettings: () => undefined });
    panel.update(
      { baseUrl: '', model: '', samples: 8, deadline: 600 },
      trans.__('The settings cannot be read.')
    );
    const frame = document.createElement('div');
    frame.className = 'jp-TirPanel';
    frame.append(panel.node);
    place().replaceChildren(frame);
  }
};

Object.assign(globalThis, { tirViews: views });
