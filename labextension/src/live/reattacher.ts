/**
 * Brings the runs of one notebook's kernel back into their cells after its page was away.
 *
 * Asks only a Python kernel, only where the notebook has a `%%tir` cell, and only when a connection
 * is made: a run that begins and ends under the eyes of its page needs none of this.
 */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';

import { readSnapshot } from '../view/reading';
import { RUN_MIME_TYPE } from '../view/wire';
import type { IDelivery, IReply, IRunChannel, Request } from './channel';
import { NoReplyError, isRecord, randomName } from './channel';
import { KernelChannel } from './kernelChannel';
import { speaksPython } from './liveRun';
import type { IKnownRun } from './reattaching';
import { endedAt, runsByCell, runsProblems, stepFor } from './reattaching';
import { cellOf, shownIn, write } from './runCell';
import { REPLY_MS } from './runSource';

/** Milliseconds between two questions whether a run that is followed is over. */
export const ASK_MS = 10_000;

/** Milliseconds after a run's last batch in which its output may still come by itself. */
export const GRACE_MS = 1_500;

/** One notebook's. */
export class Reattacher implements IDisposable {
  constructor(private readonly _panel: NotebookPanel) {
    const session = _panel.sessionContext;
    session.kernelChanged.connect(this._onConnected, this);
    session.statusChanged.connect(this._onStatus, this);
    session.connectionStatusChanged.connect(this._onConnection, this);
    void _panel.context.ready.then(() => this._onConnected());
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    const session = this._panel.sessionContext;
    session.kernelChanged.disconnect(this._onConnected, this);
    session.statusChanged.disconnect(this._onStatus, this);
    session.connectionStatusChanged.disconnect(this._onConnection, this);
    this._drop();
  }

  private _onConnection(_: unknown, status: Kernel.ConnectionStatus): void {
    if (status !== 'connected') {
      return;
    }
    if (this._restarted) {
      // Its new process has no runs.
      this._restarted = false;
    } else {
      this._onConnected();
    }
  }

  private _onStatus(_: unknown, status: Kernel.Status): void {
    if (status === 'restarting' || status === 'autorestarting') {
      this._restarted = true;
      this._drop();
    }
  }

  private _onConnected(): void {
    void this._look();
  }

  private async _look(): Promise<void> {
    this._drop();
    const kernel = this._panel.sessionContext.session?.kernel ?? null;
    const asked = kernel !== null && this._mayHaveRuns();
    if (!asked || !(await speaksPython(kernel)) || this._isDisposed) {
      return;
    }
    if (this._channel !== null) {
      return;
    }
    const channel = new KernelChannel(kernel);
    this._channel = channel;
    const reply =
      (await this._ask({ kind: 'runs' })) ??
      (await this._ask({ kind: 'runs' }));
    if (this._channel !== channel) {
      return;
    }
    for (const run of runsByCell(reply?.runs).values()) {
      await this._reattach(run);
    }
    if (this._followed.size === 0) {
      this._drop();
    } else {
      channel.delivered.connect(this._onDelivery, this);
      this._timer = setInterval(() => void this._askForEnds(), ASK_MS);
    }
  }

  private _mayHaveRuns(): boolean {
    for (const cell of this._panel.content.model?.cells ?? []) {
      if (cell.type === 'code' && runsProblems(cell.sharedModel.getSource())) {
        return true;
      }
    }
    return false;
  }

  private async _reattach(run: IKnownRun): Promise<void> {
    const cell = cellOf(this._panel.content.model, run.cellId);
    if (cell === null) {
      return;
    }
    switch (stepFor(run.over, shownIn(cell, run.runId))) {
      case 'insert':
        await this._insert(run);
        this._followed.set(run.runId, run);
        break;
      case 'follow':
        this._followed.set(run.runId, run);
        break;
      case 'write':
        await this._writeEnd(run, false);
        break;
      case 'write-if-newer':
        await this._writeEnd(run, true);
        break;
      case 'nothing':
        break;
    }
  }

  /** Puts the run so far into its cell; the renderer there makes it live. */
  private async _insert(run: IKnownRun): Promise<void> {
    const page = randomName();
    const reply = await this._ask({
      kind: 'hello',
      run: run.runId,
      page,
      opened: []
    });
    this._channel?.tell({ kind: 'bye', run: run.runId, page });
    const cell = cellOf(this._panel.content.model, run.cellId);
    if (reply?.status === 'ok' && cell !== null) {
      write(cell, run.runId, {
        [RUN_MIME_TYPE]: reply.snapshot,
        'text/plain': `TIR run ${run.runId}`
      });
    }
  }

  private _onDelivery(_: unknown, delivery: IDelivery): void {
    const run = this._followed.get(delivery.run);
    const { batch } = delivery;
    if (run !== undefined && isRecord(batch) && isRecord(batch.end)) {
      setTimeout(() => void this._writeEnd(run, false), GRACE_MS);
    }
  }

  private async _askForEnds(): Promise<void> {
    for (const run of [...this._followed.values()]) {
      await this._writeEnd(run, false);
    }
  }

  /** Writes how a run ended, if it has, where its cell does not show that yet. */
  private async _writeEnd(run: IKnownRun, onlyIfNewer: boolean): Promise<void> {
    const reply = await this._ask({ kind: 'final', run: run.runId });
    if (reply === null || reply.status === 'not-over') {
      return;
    }
    this._followed.delete(run.runId);
    const cell = cellOf(this._panel.content.model, run.cellId);
    const shown = cell === null ? 'finished' : shownIn(cell, run.runId);
    const wanted = onlyIfNewer ? 'nothing' : 'unfinished';
    if (cell !== null && shown === wanted && isRecord(reply.bundle)) {
      if (!onlyIfNewer || this._isNewer(reply.bundle)) {
        write(cell, run.runId, reply.bundle, reply.metadata);
      }
    }
    if (this._followed.size === 0 && this._timer !== undefined) {
      this._drop();
    }
  }

  private _isNewer(bundle: Readonly<Record<string, unknown>>): boolean {
    const reading = readSnapshot(bundle[RUN_MIME_TYPE]);
    const saved = this._panel.context.contentsModel?.last_modified;
    return (
      reading.kind === 'read' &&
      saved !== undefined &&
      endedAt(reading.value.head.created, reading.value.seconds) >
        Date.parse(saved)
    );
  }

  private async _ask(request: Request): Promise<IReply | null> {
    const channel: IRunChannel | null = this._channel;
    if (channel === null) {
      return null;
    }
    try {
      const reply = await channel.ask(request, REPLY_MS);
      return this._channel === channel ? reply : null;
    } catch (reason) {
      if (reason instanceof NoReplyError) {
        return null;
      }
      throw reason;
    }
  }

  private _drop(): void {
    clearInterval(this._timer);
    this._timer = undefined;
    this._channel?.dispose();
    this._channel = null;
    this._followed.clear();
  }

  private _channel: IRunChannel | null = null;
  /** By id, the runs whose end is to be written if it does not come by itself. */
  private readonly _followed = new Map<string, IKnownRun>();
  private _timer: ReturnType<typeof setInterval> | undefined;
  private _restarted = false;
  private _isDisposed = false;
}
