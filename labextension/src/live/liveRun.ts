/**
 * A run that goes on in the kernel of the document in which its output stands.
 *
 * Follows the document's session: a source for as long as there is a Python kernel, words where
 * there is none.
 */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';

import { KernelChannel } from './kernelChannel';
import type { IRunSink } from './runSource';
import { RunSource } from './runSource';

/**
 * Milliseconds in which a document that is being opened gets its kernel; a session says of itself
 * that it is getting one also when a person has chosen none.
 */
const KERNEL_MS = 5_000;

/** What a live run is made from. */
export interface ILiveRunOptions {
  readonly session: ISessionContext;
  readonly runId: string;
  readonly sink: IRunSink;
  readonly trans: TranslationBundle;
}

/** One run, live through the session of its document. */
export class LiveRun implements IDisposable {
  constructor(private readonly _options: ILiveRunOptions) {
    const { session } = _options;
    session.kernelChanged.connect(this._onKernel, this);
    void this._connect(session.session?.kernel ?? null);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Whether there is a kernel that has the run and can be asked to end it. */
  get canStop(): boolean {
    return this._source?.canStop === true;
  }

  /** Ends the run; false where that could not be asked. */
  async stop(): Promise<boolean> {
    return (await this._source?.stop()) ?? false;
  }

  /** Has the transcripts of these samples sent from now on, and no others. */
  open(samples: readonly number[]): void {
    this._source?.open(samples);
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    clearTimeout(this._late);
    this._options.session.kernelChanged.disconnect(this._onKernel, this);
    this._source?.dispose();
    this._source = null;
  }

  private _onKernel(): void {
    const kernel = this._options.session.session?.kernel ?? null;
    if (kernel !== this._kernel || kernel === null) {
      void this._connect(kernel);
    }
  }

  private async _connect(
    kernel: Kernel.IKernelConnection | null
  ): Promise<void> {
    if (this._isDisposed) {
      return;
    }
    this._source?.dispose();
    this._source = null;
    this._kernel = kernel;
    const { session, runId, sink, trans } = this._options;
    clearTimeout(this._late);
    const isOver = (): void =>
      sink.setConnection('still', withoutKernel(trans));
    if (kernel === null) {
      if (session.isReady || session.isDisposed) {
        isOver();
      } else {
        sink.setConnection('waiting', trans.__('Waiting for the kernel.'));
        this._late = setTimeout(isOver, KERNEL_MS);
      }
      return;
    }
    const fits = await speaksPython(kernel);
    if (this._kernel !== kernel || this.isDisposed) {
      return;
    }
    if (!fits) {
      isOver();
    } else {
      this._source = new RunSource({
        channel: new KernelChannel(kernel),
        runId,
        sink,
        trans
      });
    }
  }

  private _kernel: Kernel.IKernelConnection | null = null;
  private _late: ReturnType<typeof setTimeout> | undefined;
  private _source: RunSource | null = null;
  private _isDisposed = false;
}

/** What is said of a run that had not ended when it was last heard of, where no kernel has it. */
export function withoutKernel(trans: TranslationBundle): string {
  return trans.__(
    'This run had not ended when it was last heard of, and its kernel is not here.'
  );
}

/** Whether a kernel runs Python, as far as its specification says. */
export async function speaksPython(
  kernel: Kernel.IKernelConnection
): Promise<boolean> {
  const spec = await kernel.spec;
  return spec?.language.toLowerCase() === 'python';
}
