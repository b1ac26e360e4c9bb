/**
 * A kernel and a channel that answer as a test says.
 */
import type { Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import type {
  ChannelState,
  IDelivery,
  IReply,
  IRunChannel,
  Request
} from '../../src/live/channel';
import { NoReplyError } from '../../src/live/channel';

/** The reply to a request; undefined leaves it without one. */
export type Answer = (request: Request) => IReply | undefined;

/** A channel whose replies come at once. */
export class FakeChannel implements IRunChannel {
  constructor(public answer: Answer) {}

  state: ChannelState = 'open';
  readonly stateChanged = new Signal<this, ChannelState>(this);
  readonly delivered = new Signal<this, IDelivery>(this);
  readonly asked: Request[] = [];
  readonly told: Request[] = [];
  isDisposed = false;

  async ask(request: Request): Promise<IReply> {
    this.asked.push(request);
    const reply = this.answer(request);
    return reply === undefined
      ? Promise.reject(new NoReplyError(request.kind))
      : Promise.resolve(reply);
  }

  tell(request: Request): void {
    this.told.push(request);
  }

  become(state: ChannelState): void {
    this.state = state;
    this.stateChanged.emit(state);
  }

  /** The page of the last hello. */
  get page(): string {
    const hello = this.asked.findLast(request => request.kind === 'hello');
    return hello?.kind === 'hello' ? hello.page : '';
  }

  dispose(): void {
    this.isDisposed = true;
  }
}

interface IFakeMessage {
  readonly channel: string;
  readonly header: { readonly msg_type: string; readonly session: string };
  readonly content: Request;
}

interface IFakeReply {
  readonly header: { readonly msg_type: string };
  readonly content: unknown;
}

class FakeFuture {
  constructor() {
    this.done = new Promise<void>((resolve, reject) => {
      this._resolve = resolve;
      this._reject = reject;
    });
  }

  readonly done: Promise<void>;
  onReply: (message: IFakeReply) => void = () => undefined;
  isDisposed = false;

  reply(type: string, content: unknown): void {
    this.onReply({ header: { msg_type: type }, content });
    this._resolve();
  }

  dispose(): void {
    this.isDisposed = true;
    this._reject(new Error('Canceled'));
  }

  declare private _resolve: () => void;
  declare private _reject: (reason: Error) => void;
}

/** As much of a kernel's connection as a `KernelChannel` uses. */
export class FakeKernel {
  readonly iopubMessage = new Signal<this, object>(this);
  readonly statusChanged = new Signal<this, Kernel.Status>(this);
  readonly connectionStatusChanged = new Signal<this, Kernel.ConnectionStatus>(
    this
  );
  readonly disposed = new Signal<this, void>(this);
  readonly clientId = 'this page';
  readonly username = '';
  connectionStatus: Kernel.ConnectionStatus = 'connected';
  status: Kernel.Status = 'idle';
  isDisposed = false;
  language = 'python';
  readonly sent: { message: IFakeMessage; future: FakeFuture }[] = [];
  /** Replies to what comes, if it is set. */
  answer: Answer | undefined;

  get spec(): Promise<{ language: string }> {
    return Promise.resolve({ language: this.language });
  }

  get requests(): Request[] {
    return this.sent.map(({ message }) => message.content);
  }

  sendControlMessage(message: IFakeMessage): FakeFuture {
    const future = new FakeFuture();
    this.sent.push({ message, future });
    const reply = this.answer?.(message.content);
    if (reply !== undefined) {
      queueMicrotask(() => future.reply('tir_reply', reply));
    }
    return future;
  }

  publish(type: string, content: unknown): void {
    this.iopubMessage.emit({ header: { msg_type: type }, content });
  }

  asConnection(): Kernel.IKernelConnection {
    return this as unknown as Kernel.IKernelConnection;
  }
}
