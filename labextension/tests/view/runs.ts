/**
 * What Python says of runs made by hand, and pages for them: see tests/labextension/view_runs.py.
 */
import type { IViewHost } from '../../src/view/host';
import { readBatch, readSnapshot } from '../../src/view/reading';
import { RunView } from '../../src/view/runView';
import type { IBatch, ISnapshot, IViewSample } from '../../src/view/wire';
import { BATCH_SCHEMA } from '../../src/view/wire';
import { plainTranslation } from '../plainTranslation';

export function snapshotOf(data: unknown): ISnapshot {
  const reading = readSnapshot(data);
  if (reading.kind !== 'read') {
    throw new Error(`not readable: ${JSON.stringify(reading)}`);
  }
  return reading.value;
}

export function batchOf(data: unknown): IBatch {
  const reading = readBatch(data);
  if (reading.kind !== 'read') {
    throw new Error(`not readable: ${JSON.stringify(reading)}`);
  }
  return reading.value;
}

/** The next batch of a run, in which nothing changed but what is given. */
export function batchAfter(
  before: ISnapshot | IBatch,
  changes: Partial<IBatch> = {}
): IBatch {
  return batchOf({
    schema: BATCH_SCHEMA,
    runId: 'runId' in before ? before.runId : before.head.runId,
    number: before.number + 1,
    seconds: before.seconds,
    tokens: before.tokens,
    planned: before.planned,
    ...changes
  });
}

/** A run of a thousand samples, as long as a run can be. */
export function thousand(like: ISnapshot): ISnapshot {
  const samples = Array.from({ length: 1024 }, (_, sample): IViewSample => ({
    ...like.samples[0],
    sample
  }));
  return { ...like, planned: 1024, samples };
}

export function hostWith(others: Partial<IViewHost> = {}): IViewHost {
  return { trans: plainTranslation, ...others };
}

/** The view of a run, on the page. */
export function shown(
  snapshot: ISnapshot,
  others: Partial<IViewHost> = {}
): RunView {
  const view = new RunView(hostWith(others), snapshot);
  document.body.replaceChildren(view.node);
  return view;
}

/** Waits until what was asked for is drawn. */
export async function drawn(frames = 1): Promise<void> {
  for (let frame = 0; frame < frames; frame++) {
    await new Promise(done => requestAnimationFrame(done));
  }
}

export function one(within: ParentNode, selector: string): HTMLElement {
  const found = within.querySelector<HTMLElement>(selector);
  if (found === null) {
    throw new Error(`there is no ${selector}`);
  }
  return found;
}

export function texts(within: ParentNode, selector: string): string[] {
  return [...within.querySelectorAll(selector)].map(each => each.textContent);
}

export function tab(view: RunView, name: string): HTMLElement {
  const found = [
    ...view.node.querySelectorAll<HTMLElement>('[role="tab"]')
  ].find(each => each.textContent.startsWith(name));
  if (found === undefined) {
    throw new Error(`there is no tab ${name}`);
  }
  return found;
}

/** The button that opens a sample's transcript; the samples' tab must be shown. */
export function opener(view: RunView, sample: number): HTMLElement {
  return one(
    view.node,
    `.jp-TirSamples-open[aria-label="Transcript of sample ${sample + 1}"]`
  );
}

/** The view of a run, on the page, with its samples in sight. */
export function samplesOf(
  snapshot: ISnapshot,
  others: Partial<IViewHost> = {}
): RunView {
  const view = shown(snapshot, others);
  tab(view, 'Samples').click();
  return view;
}
