/**
 * Sees to it that the runs of a notebook end in its file.
 *
 * The kernel replaces a run's output at the end, which reaches only the cell that was executed:
 * one that was moved, pasted or brought back meanwhile is another cell to JupyterLab, and so is
 * every cell after its page was reloaded. So whatever the page begins or hears of is followed to its
 * end, which is then written wherever the notebook still shows the run as going on; where its output was
 * cleared meanwhile, into the cell that began it.
 */
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { KernelMessage } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';

import type { ISnapshot } from '../view/wire';
import type { ChannelState, IDelivery, IReply, IRunChannel } from './channel';
import {
  NoReplyError,
  isGone,
  isRecord,
  randomName,
  saysOver
} from './channel';
import { KernelChannel } from './kernelChannel';
import { begunBy } from './reattaching';
import {
  append,
  beginningOf,
  noteEnd,
  shownIn,
  showsRun,
  writeEnd
} from './runCell';
import { REPLY_MS } from './runSource';

/** Milliseconds between two questions whether a run that is followed is over. */
export const ASK_MS = 10_000;

/** Milliseconds after a run's last batch in which its output may still come by itself. */
export const GRACE_MS = 1_500;

/** A cell's state where JupyterLab says it: not before 4.3. */
const RUNNING = 'running';

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
  constructor(private readonly _panel: NotebookPanel) {
    _panel.sessionContext.iopubMessage.connect(this._onMessage, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /**
   * Follows a run that the notebook's kernel knows; called again, it looks soon.
   *
   * With the run as it `ended` this is noted in the notebook at once: a file that is saved before
   * the kernel's result has come must not say that the run goes on.
   */
  follow(runId: string, ended?: ISnapshot): void {
    const channel = this._connected();
    if (channel === null) {
      return;
    }
    this._followed.add(runId);
    if (ended !== undefined && noteEnd(this._panel.content.model, ended)) {
      this._seen.add(runId);
    }
    this._timer ??= setInterval(() => void this._lookAtAll(), ASK_MS);
    this._lookSoon(runId);
  }

  dispose(): void {
    this._isDisposed = true;
    this._panel.sessionContext.iopubMessage.disconnect(this._onMessage, this);
    this._drop();
  }

  /** Follows what this page begins, whether or not any view lives long enough to hear of it. */
  private _onMessage(_: unknown, message: KernelMessage.IMessage): void {
    const runId = begunBy(message);
    const kernel = this._panel.sessionContext.session?.kernel;
    const { parent_header: parent } = message;
    if (
      runId !== null &&
      'session' in parent &&
      parent.session === kernel?.clientId
    ) {
      this.follow(runId);
    }
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
    if (isGone(state)) {
      // Its runs are gone, and how they ended with them.
      this._drop();
    }
  }

  private _onDelivery(_: unknown, { run, batch }: IDelivery): void {
    if (!this._followed.has(run)) {
      return;
    }
    if (saysOver(batch)) {
      // Its output, if that comes by itself, was sent before this.
      this._lookSoon(run, 0);
    } else if (isRecord(batch) && isRecord(batch.end)) {
      this._lookSoon(run);
    }
  }

  private _lookSoon(runId: string, afterMs = GRACE_MS): void {
    const waiting = this._soon.get(runId);
    clearTimeout(waiting);
    this._soon.set(
      runId,
      setTimeout(() => {
        this._soon.delete(runId);
        void this._look(runId);
      }, afterMs)
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
    const wasSeen = this._seen.has(runId);
    const notebook = this._panel.content.model;
    const isShown = shownIn(notebook, runId) !== 'nothing';
    if (!isShown && this._beginning(reply.cellId)?.executionState === RUNNING) {
      return; // It may run anew; that is asked again when it has a number.
    }
    this._leave(runId);
    if (!isRecord(reply.bundle)) {
      return;
    }
    if (isShown) {
      writeEnd(notebook, runId, reply.bundle, reply.metadata);
    } else if (!wasSeen) {
      this._bringBack(reply.bundle, reply);
    }
  }

  /** Adds a result to the cell that began its run, whose output was cleared before there was one. */
  private _bringBack(
    bundle: Readonly<Record<string, unknown>>,
    { cellId, executionCount, metadata }: IReply
  ): void {
    const cell = this._beginning(cellId);
    const count = cell?.executionCount ?? null;
    // Without a number it was cleared; with another one it has run again.
    const isThat = count === null || count === executionCount;
    if (cell !== null && isThat && !showsRun(cell)) {
      append(cell, bundle, metadata);
    }
  }

  private _beginning(cellId: unknown): ICodeCellModel | null {
    return typeof cellId === 'string'
      ? beginningOf(this._panel.content.model, cellId)
      : null;
  }

  /** The kernel's reply, or null where none came from the kernel that the notebook still has. */
  private async _final(run: string): Promise<IReply | null> {
    const channel = this._channel;
    try {
      const reply = await channel?.ask(
        { kind: 'final', run, page: this._page },
        REPLY_MS
      );
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
    this._seen.delete(runId);
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
    this._seen.clear();
    this._channel?.dispose();
    this._channel = null;
  }

  private _channel: IRunChannel | null = null;
  private readonly _followed = new Set<string>();
  private _isDisposed = false;
  private readonly _page = randomName();
  /** Those whose end the notebook has shown: who cleared that afterwards meant to. */
  private readonly _seen = new Set<string>();
  private readonly _soon = new Map<string, ReturnType<typeof setTimeout>>();
  private _timer: ReturnType<typeof setInterval> | undefined;
}
