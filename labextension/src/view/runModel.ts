/**
 * A run as the page knows it: a snapshot, brought up to date by batches.
 *
 * No page elements, no JupyterLab; what draws reads `snapshot` and what changed.
 */
import type {
  IBatch,
  ISnapshot,
  IViewSample,
  IViewSegment,
  IViewTranscript
} from './wire';

/** One run. */
export class RunModel {
  constructor(snapshot: ISnapshot) {
    this._snapshot = snapshot;
    this._samples = new Map(snapshot.samples.map(row => [row.sample, row]));
    this._transcripts = new Map(
      snapshot.transcripts.map(each => [each.sample, each])
    );
  }

  /** The run so far; a new object after each batch. */
  get snapshot(): ISnapshot {
    return this._snapshot;
  }

  /** The samples in launch order. */
  get samples(): readonly IViewSample[] {
    return [...this._samples.values()].sort((a, b) => a.sample - b.sample);
  }

  /** A sample's transcript; undefined where the page has none. */
  transcript(sample: number): IViewTranscript | undefined {
    return this._transcripts.get(sample);
  }

  /**
   * Takes a batch; false where one before it is missing, and then a whole snapshot must be asked
   * for. A batch that is known already changes nothing.
   */
  apply(batch: IBatch): boolean {
    const before = this._snapshot;
    if (batch.runId !== before.head.runId || batch.number <= before.number) {
      return true;
    }
    if (batch.number !== before.number + 1) {
      return false;
    }
    for (const row of batch.samples) {
      this._samples.set(row.sample, row);
    }
    for (const [sample, tokens] of batch.progress) {
      const row = this._samples.get(sample);
      if (row !== undefined) {
        this._samples.set(sample, { ...row, tokens });
      }
    }
    this._applyTranscripts(batch);
    this._snapshot = {
      ...before,
      head: batch.head ?? before.head,
      number: batch.number,
      seconds: batch.seconds,
      tokens: batch.tokens,
      planned: batch.planned,
      samples: this.samples,
      tally: batch.tally ?? before.tally,
      points: joined(before.points, batch.points),
      notices: joined(before.notices, batch.notices),
      steps: joined(before.steps, batch.steps),
      stepsLeftOut: batch.stepsLeftOut,
      transcripts: [...this._transcripts.values()],
      end: batch.end ?? (batch.resumed ? null : before.end),
      revote: batch.revote ?? (batch.resumed ? null : before.revote)
    };
    return true;
  }

  private _applyTranscripts(batch: IBatch): void {
    for (const told of batch.transcripts) {
      const known = this._transcripts.get(told.sample)?.segments ?? [];
      this._transcripts.set(told.sample, {
        sample: told.sample,
        start: 0,
        segments: [
          ...known.slice(0, told.start),
          ...told.segments.map(each => completed(each, known))
        ]
      });
    }
    for (const { sample, segment, text } of batch.texts) {
      const known = this._transcripts.get(sample);
      const grown = known?.segments.at(segment);
      if (known === undefined || grown === undefined) {
        continue;
      }
      const segments: IViewSegment[] = [...known.segments];
      segments[segment] = { ...grown, text: grown.text + text };
      this._transcripts.set(sample, { ...known, segments });
    }
  }

  private _snapshot: ISnapshot;
  private readonly _samples: Map<number, IViewSample>;
  private readonly _transcripts: Map<number, IViewTranscript>;
}

/** The segment with what it copies from those that were there before. */
function completed(
  segment: IViewSegment,
  known: readonly IViewSegment[]
): IViewSegment {
  const { copied } = segment;
  if (copied === null) {
    return segment;
  }
  const source = known.at(copied.segment)?.text ?? '';
  const text = source.slice(copied.at, copied.at + copied.length);
  return { ...segment, copied: null, text: text + segment.text };
}

function joined<T>(before: readonly T[], more: readonly T[]): readonly T[] {
  return more.length === 0 ? before : [...before, ...more];
}
