/**
 * How a page speaks with a kernel about its runs: what can be asked, and what comes of it.
 *
 * The other side is `jupyterlab_tir_kernel/control.py`. Replies are untrusted like all that comes
 * from a kernel: `unknown` until they have been read.
 */
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

/** A request; `page` is the random name of one view, `opened` the transcripts that it shows. */
export type Request =
  | {
      readonly kind: 'hello' | 'open';
      readonly run: string;
      readonly page: string;
      readonly opened: readonly number[];
    }
  | {
      readonly kind: 'alive' | 'bye';
      readonly run: string;
      readonly page: string;
    }
  | { readonly kind: 'stop'; readonly run: string }
  | {
      /** How it ended; a page that asks too early is told (`saysOver`) when that is known. */
      readonly kind: 'final';
      readonly run: string;
      readonly page: string;
    }
  | { readonly kind: 'runs' };

/** A reply; the other fields depend on the request. */
export interface IReply {
  readonly status: string;
  readonly [field: string]: unknown;
}

/** What is new of a run, for one view. */
export interface IDelivery {
  readonly run: string;
  readonly page: string;
  readonly batch: unknown;
}

/** Whether a delivery says no more than that how a run ended can be asked for. */
export function saysOver(batch: unknown): boolean {
  return isRecord(batch) && batch.over === true;
}

/**
 * Whether the kernel can be asked: `interrupted` while the connection is down; `restarted` by a
 * person, `died` and started anew by itself, and `ended` once the process that had the runs is gone.
 */
export type ChannelState =
  'open' | 'interrupted' | 'restarted' | 'died' | 'ended';

/** Whether the process that had the runs is gone. */
export function isGone(state: ChannelState): boolean {
  return state !== 'open' && state !== 'interrupted';
}

/** A way to one kernel. */
export interface IRunChannel extends IDisposable {
  readonly state: ChannelState;
  readonly stateChanged: ISignal<IRunChannel, ChannelState>;
  readonly delivered: ISignal<IRunChannel, IDelivery>;
  /** The kernel's reply; rejects with `NoReplyError` where none comes within the limit. */
  ask(request: Request, limitMs: number): Promise<IReply>;
  /** Sends a request whose reply nobody needs, at once or not at all. */
  tell(request: Request): void;
}

/** No reply came in time, or none can come. */
export class NoReplyError extends Error {
  constructor(kind: string) {
    super(`The kernel did not answer the request ${kind}.`);
  }
}

/** A reply of the kernel, or null where it is none. */
export function readReply(content: unknown): IReply | null {
  return isRecord(content) && typeof content.status === 'string'
    ? (content as IReply)
    : null;
}

/** What a message delivers, or null where it is no delivery. */
export function readDelivery(content: unknown): IDelivery | null {
  return isRecord(content) &&
    typeof content.run === 'string' &&
    typeof content.page === 'string'
    ? { run: content.run, page: content.page, batch: content.batch }
    : null;
}

/** Whether a value has fields. */
export function isRecord(
  value: unknown
): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name that nothing else has; `crypto.randomUUID` is missing where the page came over HTTP. */
export function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
