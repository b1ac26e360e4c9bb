/**
 * Asking a kernel over its control channel, which is served while a cell blocks and after a page
 * was reloaded in the middle of one.
 *
 * Batches come as messages of their own kind on the kernel's iopub channel. Imports only types, as
 * it is also part of the widget, which other hosts load without JupyterLab.
 */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import type {
  ChannelState,
  IDelivery,
  IReply,
  IRunChannel,
  Request
} from './channel';
import {
  NoReplyError,
  isGone,
  randomName,
  readDelivery,
  readReply
} from './channel';

const REQUEST = 'tir_request';
const REPLY = 'tir_reply';
const BATCH = 'tir_batch';

/** A kernel's control channel. */
export class KernelChannel implements IRunChannel {
  constructor(private readonly _kernel: Kernel.IKernelConnection) {
    this._state =
      _kernel.connectionStatus === 'connected' ? 'open' : 'interrupted';
    _kernel.iopubMessage.connect(this._hear, this);
    _kernel.statusChanged.connect(this._onStatus, this);
    _kernel.connectionStatusChanged.connect(this._onConnection, this);
    _kernel.disposed.connect(this._onDisposed, this);
  }

  readonly stateChanged = new Signal<this, ChannelState>(this);

  readonly delivered = new Signal<this, IDelivery>(this);

  get state(): ChannelState {
    return this._state;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  async ask(request: Request, limitMs: number): Promise<IReply> {
    const future = this._send(request);
    if (future === null) {
      throw new NoReplyError(request.kind);
    }
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => future.dispose(), limitMs);
      future.onReply = message => {
        const reply = readReply(message.content);
        if ((message.header.msg_type as string) === REPLY && reply !== null) {
          resolve(reply);
        }
      };
      // Also when it is disposed, by the limit or because the kernel restarts.
      const over = (): void => {
        clearTimeout(limit);
        reject(new NoReplyError(request.kind));
      };
      future.done.then(over, over);
    });
  }

  tell(request: Request): void {
    const future = this._state === 'open' ? this._send(request) : null;
    future?.done.catch(() => undefined);
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._kernel.iopubMessage.disconnect(this._hear, this);
    this._kernel.statusChanged.disconnect(this._onStatus, this);
    this._kernel.connectionStatusChanged.disconnect(this._onConnection, this);
    this._kernel.disposed.disconnect(this._onDisposed, this);
    Signal.clearData(this);
  }

  private _send(request: Request): Kernel.IControlFuture | null {
    const kernel = this._kernel;
    if (kernel.isDisposed || kernel.status === 'dead') {
      return null;
    }
    const message = {
      channel: 'control',
      header: {
        msg_id: randomName(),
        msg_type: REQUEST,
        session: kernel.clientId,
        username: kernel.username,
        date: new Date().toISOString(),
        version: '5.3'
      },
      parent_header: {},
      metadata: {},
      content: request,
      buffers: []
    };
    // A kind of message of our own, which the types of the protocol do not know.
    return kernel.sendControlMessage<KernelMessage.ControlMessageType>(
      message as unknown as KernelMessage.IControlMessage,
      true,
      true
    );
  }

  private _hear(_: unknown, message: KernelMessage.IIOPubMessage): void {
    if ((message.header.msg_type as string) !== BATCH) {
      return;
    }
    const delivery = readDelivery(message.content);
    if (delivery !== null) {
      this.delivered.emit(delivery);
    }
  }

  private _onStatus(_: unknown, status: Kernel.Status): void {
    if (status === 'restarting') {
      // JupyterLab says so of a kernel that died, too, and the next status in the next microtask.
      queueMicrotask(() => this._change('restarted'));
    } else if (status === 'autorestarting') {
      // The server found its process gone and starts another.
      this._change('died');
    } else if (status === 'dead' || status === 'terminating') {
      this._change('ended');
    }
  }

  private _onConnection(_: unknown, status: Kernel.ConnectionStatus): void {
    this._change(status === 'connected' ? 'open' : 'interrupted');
  }

  private _onDisposed(): void {
    this._change('ended');
  }

  private _change(state: ChannelState): void {
    if (state !== this._state && !isGone(this._state) && !this._isDisposed) {
      this._state = state;
      this.stateChanged.emit(state);
    }
  }

  private _state: ChannelState;
  private _isDisposed = false;
}
