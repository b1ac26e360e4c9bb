/**
 * Sees to it that the runs of a notebook end in its file.
 *
 * The kernel replaces a run's output at the end, which reaches only the cell that was executed:
 * one that was moved, pasted or brought back meanwhile is another cell to JupyterLab, and so is
 * every cell after its page was reloaded. So whatever a page has heard of is followed to its end,
 * which is then written wherever the notebook still shows the run as going on.
 */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';

import type { ChannelState, IDelivery, IReply, IRunChannel } from './channel';
import { NoReplyError, isRecord } from './channel';
import { KernelChannel } from './kernelChannel';
import { shownIn, writeEnd } from './runCell';
import { REPLY_MS } from './runSource';

/** Milliseconds between two questions whether a run that is followed is over. */
export const ASK_MS = 10_000;

/** Milliseconds after a run's last batch in which its output may still come by itself. */
export const GRACE_MS = 1_500;

const known = new WeakMap<NotebookPanel, RunEnds>();

/** The one of a notebook. */
export function endsIn(panel: NotebookPanel): RunEnds {
  let ends = known.get(panel);
  if (ends === undefined) {
    ends = new RunEnds(panel);
    known.set(panel, ends);
    panel.disposed.connect(() => ends?.dispose());
  }
  return ends;
}

/** One notebook's. */
export class RunEnds implements IDisposable {
  constructor(private readonly _panel: NotebookPanel) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Follows a run that the notebook's kernel knows; called again, it looks soon. */
  follow(runId: string): void {
    const channel = this._connected();
    if (channel === null) {
      return;
    }
    this._followed.add(runId);
    this._timer ??= setInterval(() => void this._lookAtAll(), ASK_MS);
    this._lookSoon(runId);
  }

  dispose(): void {
    this._isDisposed = true;
    this._drop();
  }

  /** The channel to the kernel that the notebook has now. */
  private _connected(): IRunChannel | null {
    const kernel = this._panel.sessionContext.session?.kernel ?? null;
    if (this._isDisposed || kernel === null || kernel.isDisposed) {
      return null;
    }
    if (this._channel === null) {
      this._channel = new KernelChannel(kernel);
      this._channel.delivered.connect(this._onDelivery, this);
      this._channel.stateChanged.connect(this._onState, this);
    }
    return this._channel;
  }

  private _onState(_: unknown, state: ChannelState): void {
    if (state === 'restarted' || state === 'ended') {
      // Its runs are gone, and how they ended with them.
      this._drop();
    }
  }

  private _onDelivery(_: unknown, { run, batch }: IDelivery): void {
    if (this._followed.has(run) && isRecord(batch) && isRecord(batch.end)) {
      this._lookSoon(run);
    }
  }

  private _lookSoon(runId: string): void {
    const waiting = this._soon.get(runId);
    clearTimeout(waiting);
    this._soon.set(
      runId,
      setTimeout(() => {
        this._soon.delete(runId);
        void this._look(runId);
      }, GRACE_MS)
    );
  }

  private async _lookAtAll(): Promise<void> {
    for (const runId of [...this._followed]) {
      await this._look(runId);
    }
  }

  private async _look(runId: string): Promise<void> {
    if (shownIn(this._panel.content.model, runId) === 'finished') {
      this._leave(runId);
      return;
    }
    const reply = await this._final(runId);
    if (reply === null || reply.status === 'not-over') {
      return;
    }
    this._leave(runId);
    if (isRecord(reply.bundle)) {
      writeEnd(this._panel.content.model, runId, reply.bundle, reply.metadata);
    }
  }

  /** The kernel's reply, or null where none came from the kernel that the notebook still has. */
  private async _final(run: string): Promise<IReply | null> {
    const channel = this._channel;
    try {
      const reply = await channel?.ask({ kind: 'final', run }, REPLY_MS);
      return reply !== undefined && this._channel === channel ? reply : null;
    } catch (reason) {
      if (reason instanceof NoReplyError) {
        return null;
      }
      throw reason;
    }
  }

  private _leave(runId: string): void {
    this._followed.delete(runId);
    clearTimeout(this._soon.get(runId));
    this._soon.delete(runId);
    if (this._followed.size === 0) {
      this._drop();
    }
  }

  private _drop(): void {
    clearInterval(this._timer);
    this._timer = undefined;
    this._soon.forEach(waiting => clearTimeout(waiting));
    this._soon.clear();
    this._followed.clear();
    this._channel?.dispose();
    this._channel = null;
  }

  private _channel: IRunChannel | null = null;
  private readonly _followed = new Set<string>();
  private _isDisposed = false;
  private readonly _soon = new Map<string, ReturnType<typeof setTimeout>>();
  private _timer: ReturnType<typeof setInterval> | undefined;
}
