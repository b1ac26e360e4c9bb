/**
 * What happens to a cell whose run went on while its page was away.
 *
 * JupyterLab forgets which cell a message belongs to when a page is reloaded, and with that the
 * output that a run leaves at its end. Pure: it decides, and its caller asks and writes.
 */
import { RUN_MIME_TYPE } from '../view/wire';
import { isRecord } from './channel';

/** A run that the kernel knows. */
export interface IKnownRun {
  readonly runId: string;
  readonly cellId: string;
  /** The client that began it; empty where the kernel does not say. */
  readonly client: string;
  readonly over: boolean;
}

/** What a notebook shows of a run. */
export type Shown = 'nothing' | 'unfinished' | 'finished';

/**
 * What to do: `follow` it to its end, which is written then; `insert` it into its cell and follow;
 * `append-if-newer`: add its end if that came after the notebook was saved, since nobody can have
 * removed it then.
 */
export type Step = 'nothing' | 'follow' | 'insert' | 'append-if-newer';

/** The runs of a reply, for each cell the last one; what is no run is left out. */
export function runsByCell(runs: unknown): ReadonlyMap<string, IKnownRun> {
  const found = new Map<string, IKnownRun>();
  for (const run of Array.isArray(runs) ? (runs as unknown[]) : []) {
    if (
      isRecord(run) &&
      typeof run.runId === 'string' &&
      typeof run.cellId === 'string'
    ) {
      const { runId, cellId, session } = run;
      const client = typeof session === 'string' ? session : '';
      found.set(cellId, { runId, cellId, client, over: run.over === true });
    }
  }
  return found;
}

/**
 * What to do about a run, by whether it is over, what its notebook shows, and whether this page has
 * begun it itself: its outputs are on their way then.
 */
export function stepFor(over: boolean, shown: Shown, isOwn: boolean): Step {
  switch (shown) {
    case 'finished':
      return 'nothing';
    case 'unfinished':
      return 'follow';
    case 'nothing':
      if (over) {
        return 'append-if-newer';
      }
      return isOwn ? 'follow' : 'insert';
  }
}

/** Whether a cell's text runs problems, by a magic or by the call that it stands for. */
export function runsProblems(source: string): boolean {
  return /^\s*%%?tir\b|\brun_(?:cell|line)_magic\(\s*['"]tir['"]/m.test(source);
}

/** An update where the output said before what is waited for. */
const SHOWING = ['display_data', 'update_display_data'];

/** The id of the run that a kernel's message shows for the first time; null where it shows none. */
export function begunBy(message: {
  readonly header: { readonly msg_type: string };
  readonly content: unknown;
}): string | null {
  const { header, content } = message;
  if (!SHOWING.includes(header.msg_type) || !isRecord(content)) {
    return null;
  }
  const run = isRecord(content.data) ? content.data[RUN_MIME_TYPE] : undefined;
  const goesOn = isRecord(run) && !isRecord(run.end);
  const head = goesOn ? run.head : undefined;
  return isRecord(head) && typeof head.runId === 'string' ? head.runId : null;
}

/** When a run ended, in milliseconds since 1970; NaN where its head does not say. */
export function endedAt(created: string, seconds: number): number {
  return Date.parse(created) + seconds * 1000;
}
