/**
 * Asking a kernel by the messages of a widget, in pages that have nothing else of ours.
 *
 * Some kernels read them only once the running cell is over; where the page reaches the kernel
 * itself, the control channel is the better way (`channelOf`).
 */
import type { Kernel } from '@jupyterlab/services';
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
  isRecord,
  randomName,
  readDelivery,
  readReply
} from './channel';
import { KernelChannel } from './kernelChannel';

/** What anywidget gives a widget's program of its model. */
export interface IWidgetModel {
  readonly widget_manager?: unknown;
  get(name: string): unknown;
  on(event: string, callback: (content: unknown) => void): void;
  off(event: string, callback: (content: unknown) => void): void;
  send(content: unknown): void;
}

/** The best way that the page of a widget has to its kernel. */
export function channelOf(model: IWidgetModel): IRunChannel {
  const manager = model.widget_manager;
  const kernel = isRecord(manager) ? manager.kernel : undefined;
  return isKernel(kernel)
    ? new KernelChannel(kernel)
    : new WidgetChannel(model);
}

/** The messages of a widget. */
export class WidgetChannel implements IRunChannel {
  constructor(private readonly _model: IWidgetModel) {
    _model.on('msg:custom', this._hear);
  }

  /** Such a page does not say when its kernel goes: what is asked then gets no reply. */
  readonly state: ChannelState = 'open';

  readonly stateChanged = new Signal<this, ChannelState>(this);

  readonly delivered = new Signal<this, IDelivery>(this);

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  async ask(request: Request, limitMs: number): Promise<IReply> {
    const id = randomName();
    return new Promise((resolve, reject) => {
      const over = (): void => {
        this._waiting.delete(id);
        reject(new NoReplyError(request.kind));
      };
      const limit = setTimeout(over, limitMs);
      this._waiting.set(id, reply => {
        this._waiting.delete(id);
        clearTimeout(limit);
        resolve(reply);
      });
      this._model.send({ id, request });
    });
  }

  tell(request: Request): void {
    this._model.send({ id: randomName(), request });
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._model.off('msg:custom', this._hear);
      Signal.clearData(this);
    }
  }

  private readonly _hear = (content: unknown): void => {
    const delivery = readDelivery(content);
    if (delivery !== null) {
      this.delivered.emit(delivery);
    } else if (isRecord(content) && typeof content.id === 'string') {
      const reply = readReply(content.reply);
      if (reply !== null) {
        this._waiting.get(content.id)?.(reply);
      }
    }
  };

  private readonly _waiting = new Map<string, (reply: IReply) => void>();
  private _isDisposed = false;
}

/** Whether this is a kernel's connection with all that a `KernelChannel` needs. */
function isKernel(value: unknown): value is Kernel.IKernelConnection {
  return (
    typeof value === 'object' &&
    value !== null &&
    'sendControlMessage' in value &&
    typeof value.sendControlMessage === 'function' &&
    [
      'iopubMessage',
      'statusChanged',
      'connectionStatusChanged',
      'disposed'
    ].every(name => isSignal((value as Record<string, unknown>)[name]))
  );
}

function isSignal(value: unknown): boolean {
  return isRecord(value) && typeof value.connect === 'function';
}
