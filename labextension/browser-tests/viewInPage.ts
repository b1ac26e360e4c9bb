/**
 * Runs in a test's page: draws runs there as a host would, without JupyterLab and without a kernel.
 */
import { PanelView } from '../src/panelView';
import type { IViewHost } from '../src/view/host';
import { readBatch, readSnapshot } from '../src/view/reading';
import { RunView } from '../src/view/runView';
import { TextBody } from '../src/view/textBody';
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
  /** Draws a text that grows by so many characters at a time, beside the same in one piece. */
  grow(text: string, by: number): IGrown;
}

/** How a text was drawn that grew. */
export interface IGrown {
  /** The blocks that it was parted into. */
  readonly parts: number;
  /** Characters that stand elsewhere than in one piece. */
  readonly moved: number;
  /** The blocks when it was whole. */
  readonly blocks: number;
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

/** Letters of one text node and of two differ in places by less. */
const HALF_PIXEL = 0.5;

/** Where the letters of an element stand: pixels from its left and its top. */
function placesIn(node: Element): [number, number][] {
  const { left, top } = node.getBoundingClientRect();
  const range = document.createRange();
  const places: [number, number][] = [];
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) {
    const each = walker.currentNode as Text;
    for (let at = 0; at < each.length; at++) {
      if (each.data[at] === '\n') {
        // A block ends its line without one.
        continue;
      }
      range.setStart(each, at);
      range.setEnd(each, at + 1);
      const rect = range.getBoundingClientRect();
      places.push([rect.left - left, rect.top - top]);
    }
  }
  return places;
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
  },
  grow: (text, by) => {
    const run = document.createElement('div');
    run.className = 'jp-TirRun';
    const whole = document.createElement('div');
    whole.className = 'jp-TirText';
    whole.textContent = text.replaceAll('\r\n', '\n');
    const body = new TextBody('', trans);
    run.append(body.node, whole);
    place().replaceChildren(run);
    for (let to = by; to < text.length + by; to += by) {
      body.update(text.slice(0, to), true);
      body.settle();
    }
    const parts = body.node.childElementCount;
    const there = placesIn(whole);
    const moved = placesIn(body.node).filter(
      ([left, top], at) =>
        Math.hypot(left - there[at][0], top - there[at][1]) > HALF_PIXEL
    ).length;
    body.update(text, false);
    return { parts, moved, blocks: body.node.childElementCount };
  }
};

Object.assign(globalThis, { tirViews: views });
