/**
 * Brings the runs of one notebook's kernel back into their cells after its page was away.
 *
 * Asks only a Python kernel, only where the notebook has a `%%tir` cell, and only when a connection
 * is made: a run that begins and ends under the eyes of its page needs none of this.
 */
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';

import { readSnapshot } from '../view/reading';
import { RUN_MIME_TYPE } from '../view/wire';
import type { IReply, IRunChannel, Request } from './channel';
import { NoReplyError, isRecord, randomName } from './channel';
import { KernelChannel } from './kernelChannel';
import { speaksPython } from './liveRun';
import type { IKnownRun, Shown } from './reattaching';
import { endedAt, runsByCell, runsProblems, stepFor } from './reattaching';
import { append, beginningOf, shownIn } from './runCell';
import type { RunEnds } from './runEnds';
import { REPLY_MS } from './runSource';

/** One notebook's. */
export class Reattacher implements IDisposable {
  constructor(
    private readonly _panel: NotebookPanel,
    private readonly _ends: RunEnds
  ) {
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
    const kernel = this._kernel;
    const asked = kernel !== null && this._mayHaveRuns();
    if (!asked || !(await speaksPython(kernel)) || this._isDisposed) {
      return;
    }
    if (this._channel !== null || kernel !== this._kernel) {
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
    if (this._channel === channel) {
      this._drop();
    }
  }

  private get _kernel(): Kernel.IKernelConnection | null {
    return this._panel.sessionContext.session?.kernel ?? null;
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
    const isOwn = run.client === this._kernel?.clientId;
    switch (stepFor(run.over, this._shown(run), isOwn)) {
      case 'insert':
        await this._insert(run);
        break;
      case 'follow':
        this._ends.follow(run.runId);
        break;
      case 'append-if-newer':
        await this._appendEnd(run);
        break;
      case 'nothing':
        break;
    }
  }

  private _shown({ runId }: IKnownRun): Shown {
    return shownIn(this._panel.content.model, runId);
  }

  /** The cell that began a run, unless it has become another one since. */
  private _cellOf(run: IKnownRun): ICodeCellModel | null {
    return beginningOf(this._panel.content.model, run.cellId);
  }

  /** Puts the run so far into its cell; the renderer there makes it live. */
  private async _insert(run: IKnownRun): Promise<void> {
    if (this._cellOf(run) === null) {
      return;
    }
    const page = randomName();
    const reply = await this._ask({
      kind: 'hello',
      run: run.runId,
      page,
      opened: []
    });
    this._channel?.tell({ kind: 'bye', run: run.runId, page });
    const cell = this._cellOf(run);
    // It may have come by itself meanwhile.
    if (this._shown(run) === 'nothing') {
      if (reply?.status !== 'ok' || cell === null) {
        return;
      }
      append(cell, {
        [RUN_MIME_TYPE]: reply.snapshot,
        'text/plain': `TIR run ${run.runId}`
      });
    }
    this._ends.follow(run.runId);
  }

  private async _appendEnd(run: IKnownRun): Promise<void> {
    if (this._cellOf(run) === null) {
      return;
    }
    const reply = await this._ask({
      kind: 'final',
      run: run.runId,
      page: randomName()
    });
    const cell = this._cellOf(run);
    if (
      cell !== null &&
      isRecord(reply?.bundle) &&
      this._shown(run) === 'nothing' &&
      this._isNewer(reply.bundle)
    ) {
      append(cell, reply.bundle, reply.metadata);
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
    this._channel?.dispose();
    this._channel = null;
  }

  private _channel: IRunChannel | null = null;
  private _restarted = false;
  private _isDisposed = false;
}
