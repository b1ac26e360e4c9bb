/**
 * Keeps the view of one run up to date while the run goes on.
 *
 * It says hello to the kernel, hands on the batches that come, renews its lease, begins anew after a
 * gap, and says bye when it is hidden, over or disposed. A run that ended is left alone.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';

import type { Connection } from '../view/host';
import type { Reading } from '../view/reading';
import { readBatch, readSnapshot } from '../view/reading';
import type { IBatch, ISnapshot } from '../view/wire';
import type { ChannelState, IDelivery, IReply, IRunChannel } from './channel';
import { NoReplyError, isGone, randomName } from './channel';
import {
  wordsOfSilence,
  wordsOfState,
  wordsOfUnknown,
  wordsOfUnreadable,
  wordsOfWaiting
} from './sourceWords';

/** Milliseconds between two signs of life; the kernel's lease is three times that. */
export const ALIVE_MS = 10_000;

/** Longest wait for a reply: after a reload messages are held for three seconds. */
export const REPLY_MS = 8_000;

/** Wait before a kernel that did not answer, or whose batches had a gap, is asked again. */
export const AGAIN_MS = 1_000;

/** Requests in a row without a reply, after which no more are sent. */
export const MOST_TRIES = 4;

/** What is kept up to date. */
export interface IRunSink {
  readonly openSamples: readonly number[];
  /** False where a batch is missing. */
  apply(batch: IBatch): boolean;
  show(snapshot: ISnapshot): void;
  setConnection(how: Connection, words?: string): void;
}

/** What a source is made from; it owns the channel. */
export interface IRunSourceOptions {
  readonly channel: IRunChannel;
  readonly runId: string;
  readonly sink: IRunSink;
  readonly trans: TranslationBundle;
}

/** One view's connection to its run. */
export class RunSource implements IDisposable {
  constructor(options: IRunSourceOptions) {
    this._channel = options.channel;
    this._runId = options.runId;
    this._sink = options.sink;
    this._trans = options.trans;
    this._channel.stateChanged.connect(this._onState, this);
    this._channel.delivered.connect(this._onDelivery, this);
    document.addEventListener('visibilitychange', this._onVisibility);
    window.addEventListener('pagehide', this._onPageHide);
    window.addEventListener('pageshow', this._onPageShow);
    this._onState(this._channel, this._channel.state);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Whether nothing more is heard of the run. */
  get isOver(): boolean {
    return this._phase === 'over' || this._tries >= MOST_TRIES;
  }

  /** Whether the kernel has said that it has the run, which it may still have. */
  get canStop(): boolean {
    return this._greeted && !this.isOver;
  }

  /** Ends the run; false where the kernel did not take it. */
  async stop(): Promise<boolean> {
    return (await this._ask('stop'))?.status === 'ok';
  }

  /** Has the transcripts of these samples sent from now on, and no others. */
  open(opened: readonly number[]): void {
    if (this._phase === 'live') {
      void this._alive({ kind: 'open', opened });
    }
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._leave();
    document.removeEventListener('visibilitychange', this._onVisibility);
    window.removeEventListener('pagehide', this._onPageHide);
    window.removeEventListener('pageshow', this._onPageShow);
    this._channel.dispose();
  }

  private _onState(_: unknown, state: ChannelState): void {
    if (state === 'open') {
      this._tries = 0;
      this._begin();
      return;
    }
    const words = wordsOfState(state, this._runId, this._trans);
    if (isGone(state)) {
      this._finish(words);
    } else {
      this._leave();
      this._wait(words);
    }
  }

  /** Says hello under a new name, so that nothing that is still under way is taken for new. */
  private _begin(): void {
    const isSeen = !isHidden() || !this._greeted;
    if (this._isDisposed || this._phase === 'over' || !isSeen) {
      return;
    }
    this._leave();
    this._wait();
    void this._hello();
  }

  private async _hello(): Promise<void> {
    const page = randomName();
    this._page = page;
    this._phase = 'asking';
    this._early = [];
    const reply = await this._ask('hello', this._sink.openSamples);
    if (this._page !== page) {
      return;
    }
    if (reply === null) {
      this._askAgain();
    } else if (reply.status === 'ok') {
      this._tries = 0;
      this._greeted = true;
      this._follow(readSnapshot(reply.snapshot));
    } else {
      this._finish(wordsOfUnknown(this._trans));
    }
  }

  private _askAgain(): void {
    this._leave();
    this._tries += 1;
    if (this._tries >= MOST_TRIES) {
      // As it is with a kernel in which %load_ext has not run; a new connection is a new try.
      this._sink.setConnection(
        'still',
        wordsOfSilence(this._runId, this._trans)
      );
      return;
    }
    this._wait(wordsOfWaiting(this._trans));
    this._again = setTimeout(() => this._begin(), AGAIN_MS);
  }

  private _follow(reading: Reading<ISnapshot>): void {
    if (reading.kind !== 'read') {
      this._finish(wordsOfUnreadable(reading, this._trans));
      return;
    }
    this._phase = 'live';
    this._sink.show(reading.value);
    if (reading.value.end !== null) {
      this._finish();
      return;
    }
    if (isHidden()) {
      this._leave();
      return;
    }
    this._sink.setConnection('live');
    this._lease = setInterval(() => {
      void this._alive({ kind: 'alive' });
    }, ALIVE_MS);
    const early = this._early;
    this._early = [];
    for (const batch of early) {
      this._take(batch);
    }
  }

  private _onDelivery(_: unknown, delivery: IDelivery): void {
    if (delivery.run !== this._runId || delivery.page !== this._page) {
      return;
    }
    if (this._phase === 'live') {
      this._take(delivery.batch);
    } else {
      // The reply to the hello comes on another channel, and may be later than the first batches.
      this._early.push(delivery.batch);
    }
  }

  private _take(data: unknown): void {
    if (this._phase !== 'live') {
      return;
    }
    const reading = readBatch(data);
    if (reading.kind !== 'read') {
      this._finish(wordsOfUnreadable(reading, this._trans));
    } else if (!this._sink.apply(reading.value)) {
      this._leave();
      this._again = setTimeout(() => this._begin(), AGAIN_MS);
    } else if (reading.value.end !== null) {
      this._finish();
    }
  }

  /** Tells the kernel that the view is still there; a kernel that has forgotten it gets a hello. */
  private async _alive(
    request:
      | { readonly kind: 'alive' }
      | { readonly kind: 'open'; readonly opened: readonly number[] }
  ): Promise<void> {
    const page = this._page;
    const reply = await this._ask(
      request.kind,
      request.kind === 'open' ? request.opened : undefined
    );
    if (this._page === page && this._phase === 'live') {
      if (reply?.status !== 'ok') {
        this._begin();
      }
    }
  }

  /** The reply, or null where none came. */
  private async _ask(
    kind: 'hello' | 'open' | 'alive' | 'stop',
    opened: readonly number[] = []
  ): Promise<IReply | null> {
    const [run, page] = [this._runId, this._page];
    try {
      switch (kind) {
        case 'stop':
          return await this._channel.ask({ kind, run }, REPLY_MS);
        case 'alive':
          return await this._channel.ask({ kind, run, page }, REPLY_MS);
        default:
          return await this._channel.ask({ kind, run, page, opened }, REPLY_MS);
      }
    } catch (reason) {
      if (reason instanceof NoReplyError) {
        return null;
      }
      throw reason;
    }
  }

  private _wait(words?: string): void {
    if (this._phase !== 'over') {
      this._sink.setConnection('waiting', words);
    }
  }

  /** Nothing more will come. */
  private _finish(words?: string): void {
    if (this._phase === 'over') {
      return;
    }
    this._leave();
    this._phase = 'over';
    this._sink.setConnection('still', words);
  }

  /** Has nothing more sent; what is under way is not listened to. */
  private _leave(): void {
    clearInterval(this._lease);
    clearTimeout(this._again);
    if (this._page !== '') {
      this._channel.tell({ kind: 'bye', run: this._runId, page: this._page });
    }
    this._page = '';
    if (this._phase !== 'over') {
      this._phase = 'away';
    }
  }

  private readonly _onVisibility = (): void => {
    if (isHidden()) {
      this._leave();
    } else if (this._channel.state === 'open') {
      this._begin();
    }
  };

  private readonly _onPageHide = (): void => this._leave();

  private readonly _onPageShow = (event: PageTransitionEvent): void => {
    if (event.persisted && this._channel.state === 'open') {
      this._begin();
    }
  };

  private readonly _channel: IRunChannel;
  private readonly _runId: string;
  private readonly _sink: IRunSink;
  private readonly _trans: TranslationBundle;
  private _phase: 'away' | 'asking' | 'live' | 'over' = 'away';
  /** The name under which the kernel knows this view now; empty while it does not. */
  private _page = '';
  private _early: unknown[] = [];
  private _tries = 0;
  /** Whether the kernel has answered any hello from here: hidden views, too, say one. */
  private _greeted = false;
  private _lease: ReturnType<typeof setInterval> | undefined;
  private _again: ReturnType<typeof setTimeout> | undefined;
  private _isDisposed = false;
}

function isHidden(): boolean {
  return document.visibilityState === 'hidden';
}
