import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { IRunSink } from '../../src/live/runSource';
import {
  AGAIN_MS,
  ALIVE_MS,
  MOST_TRIES,
  RunSource
} from '../../src/live/runSource';
import type { IBatch, ISnapshot } from '../../src/view/wire';
import { BATCH_SCHEMA } from '../../src/view/wire';
import inProgress from '../data/view/in_progress.json';
import stopped from '../data/view/stopped_early.json';
import { plainTranslation } from '../plainTranslation';
import type { Answer } from './fakes';
import { FakeChannel } from './fakes';

const RUN = 'the-run';

class Sink implements IRunSink {
  openSamples: number[] = [];
  fits = true;
  readonly shown: ISnapshot[] = [];
  readonly applied: number[] = [];
  readonly said: string[] = [];

  apply(batch: IBatch): boolean {
    this.applied.push(batch.number);
    return this.fits;
  }

  show(snapshot: ISnapshot): void {
    this.shown.push(snapshot);
  }

  setConnection(how: string, words = ''): void {
    this.said.push(words === '' ? how : `${how}: ${words}`);
  }
}

function batch(number: number, more: object = {}): object {
  const times = { seconds: 1, tokens: 2, planned: 4 };
  return { schema: BATCH_SCHEMA, runId: RUN, number, ...times, ...more };
}

const going: Answer = ({ kind }) =>
  kind === 'hello' ? { status: 'ok', snapshot: inProgress } : { status: 'ok' };

function setHidden(hidden: boolean): void {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(
    hidden ? 'hidden' : 'visible'
  );
  document.dispatchEvent(new Event('visibilitychange'));
}

describe('a source', () => {
  let channel: FakeChannel;
  let sink: Sink;
  let source: RunSource;

  beforeEach(() => {
    vi.useFakeTimers();
    channel = new FakeChannel(going);
    sink = new Sink();
  });

  afterEach(() => {
    source.dispose();
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  async function begin(): Promise<void> {
    source = new RunSource({
      channel,
      runId: RUN,
      sink,
      trans: plainTranslation
    });
    await vi.advanceTimersByTimeAsync(0);
  }

  function deliver(data: unknown, page = channel.page, run = RUN): void {
    channel.delivered.emit({ run, page, batch: data });
  }

  function kinds(): string[] {
    return channel.asked.map(({ kind }) => kind);
  }

  it('says hello with the transcripts that are open, and is live', async () => {
    sink.openSamples = [2, 5];
    await begin();
    expect(channel.asked).toEqual([
      { kind: 'hello', run: RUN, page: channel.page, opened: [2, 5] }
    ]);
    expect(sink.shown).toHaveLength(1);
    expect(sink.said).toEqual(['waiting', 'live']);
  });

  it('hands on the batches of its own page and run only', async () => {
    await begin();
    deliver(batch(1));
    deliver(batch(2), 'another page');
    deliver(batch(3), channel.page, 'another run');
    expect(sink.applied).toEqual([1]);
  });

  it('keeps batches that come before the reply to its hello', async () => {
    let answerHello: (() => void) | undefined;
    vi.spyOn(channel, 'ask').mockImplementation(async request => {
      channel.asked.push(request);
      await new Promise<void>(resolve => {
        answerHello = resolve;
      });
      return { status: 'ok', snapshot: inProgress };
    });
    await begin();
    deliver(batch(1));
    expect(sink.applied).toEqual([]);
    answerHello?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(sink.shown).toHaveLength(1);
    expect(sink.applied).toEqual([1]);
  });

  it('begins anew under another name after a gap', async () => {
    await begin();
    const before = channel.page;
    sink.fits = false;
    deliver(batch(5));
    expect(channel.told).toEqual([{ kind: 'bye', run: RUN, page: before }]);
    await vi.advanceTimersByTimeAsync(AGAIN_MS);
    expect(kinds()).toEqual(['hello', 'hello']);
    expect(channel.page).not.toBe(before);
    sink.fits = true;
    deliver(batch(6), before);
    deliver(batch(1));
    expect(sink.applied).toEqual([5, 1]);
  });

  it('gives signs of life, and begins anew where it was forgotten', async () => {
    await begin();
    await vi.advanceTimersByTimeAsync(ALIVE_MS);
    expect(kinds()).toEqual(['hello', 'alive']);
    channel.answer = request =>
      request.kind === 'alive' ? { status: 'unknown-page' } : going(request);
    await vi.advanceTimersByTimeAsync(ALIVE_MS);
    expect(kinds()).toEqual(['hello', 'alive', 'alive', 'hello']);
    expect(sink.said.at(-1)).toBe('live');
  });

  it('asks a silent kernel a few times, then says that it is silent', async () => {
    channel.answer = () => undefined;
    await begin();
    await vi.advanceTimersByTimeAsync(MOST_TRIES * AGAIN_MS * 10);
    expect(kinds()).toEqual(Array(MOST_TRIES).fill('hello'));
    expect(sink.said.at(-1)).toBe(
      `still: The kernel does not answer: this is the last that was heard of the run. Load the page again to ask once more; %tir show ${RUN} has what was recorded of it.`
    );
    expect(source.isOver).toBe(true);
    // A new connection brings as many new tries.
    channel.become('interrupted');
    channel.become('open');
    await vi.advanceTimersByTimeAsync(0);
    expect(sink.said.at(-1)).toMatch(/^waiting: /);
    channel.answer = going;
    await vi.advanceTimersByTimeAsync(AGAIN_MS);
    expect(sink.said.at(-1)).toBe('live');
    expect(source.isOver).toBe(false);
  });

  it('says so where the kernel does not know the run', async () => {
    channel.answer = () => ({ status: 'unknown-run' });
    await begin();
    expect(sink.said.at(-1)).toMatch(/^still: The kernel does not know/);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kinds()).toEqual(['hello']);
  });

  it('waits while the connection is down and goes on when it is back', async () => {
    await begin();
    channel.become('interrupted');
    expect(sink.said.at(-1)).toMatch(/^waiting: The connection/);
    await vi.advanceTimersByTimeAsync(3 * ALIVE_MS);
    expect(kinds()).toEqual(['hello']);
    channel.become('open');
    await vi.advanceTimersByTimeAsync(0);
    expect(kinds()).toEqual(['hello', 'hello']);
    expect(sink.said.at(-1)).toBe('live');
  });

  it.each([
    ['restarted', 'still: The kernel was restarted, which ended this run.'],
    [
      'died',
      `still: The kernel died and was started anew, which ended this run: %tir show ${RUN} has what was recorded of it.`
    ],
    ['ended', 'still: The kernel has ended, and this run with it.']
  ] as const)('is over where the kernel has %s', async (state, words) => {
    await begin();
    channel.become(state);
    expect(sink.said.at(-1)).toBe(words);
    await vi.advanceTimersByTimeAsync(3 * ALIVE_MS);
    expect(kinds()).toEqual(['hello']);
    expect(source.isOver).toBe(true);
  });

  it('leaves a run that has ended alone', async () => {
    await begin();
    deliver(batch(1, { end: stopped.end }));
    expect(sink.applied).toEqual([1]);
    expect(sink.said.at(-1)).toBe('still');
    await vi.advanceTimersByTimeAsync(3 * ALIVE_MS);
    expect(kinds()).toEqual(['hello']);
    expect(channel.told).toEqual([
      { kind: 'bye', run: RUN, page: channel.page }
    ]);
  });

  it('names the field of a batch that it cannot read, and reads no more', async () => {
    await begin();
    deliver(batch(1, { tokens: 'many' }));
    deliver(batch(2));
    expect(sink.applied).toEqual([]);
    expect(sink.said.at(-1)).toContain('its field tokens is missing');
  });

  it('says bye while its page is hidden, and hello when it is seen', async () => {
    await begin();
    const before = channel.page;
    setHidden(true);
    expect(channel.told).toEqual([{ kind: 'bye', run: RUN, page: before }]);
    await vi.advanceTimersByTimeAsync(3 * ALIVE_MS);
    expect(kinds()).toEqual(['hello']);
    setHidden(false);
    await vi.advanceTimersByTimeAsync(0);
    expect(kinds()).toEqual(['hello', 'hello']);
  });

  it('says once that it is there also where its page is hidden', async () => {
    setHidden(true);
    await begin();
    expect(kinds()).toEqual(['hello']);
    expect(channel.told.map(({ kind }) => kind)).toEqual(['bye']);
    expect(sink.shown).toHaveLength(1);
  });

  it('says bye when its page goes or it is disposed', async () => {
    await begin();
    window.dispatchEvent(new Event('pagehide'));
    expect(channel.told).toHaveLength(1);
    source.dispose();
    expect(channel.told).toHaveLength(1);
    expect(channel.isDisposed).toBe(true);
  });

  it('asks for transcripts that are opened, and for the end', async () => {
    await begin();
    source.open([3]);
    expect(channel.asked.at(-1)).toEqual({
      kind: 'open',
      run: RUN,
      page: channel.page,
      opened: [3]
    });
    expect(await source.stop()).toBe(true);
    expect(channel.asked.at(-1)).toEqual({ kind: 'stop', run: RUN });
    channel.answer = () => ({ status: 'unknown-run' });
    expect(await source.stop()).toBe(false);
    channel.answer = () => undefined;
    expect(await source.stop()).toBe(false);
  });

  it('offers to end the run only once the kernel has said that it has it', async () => {
    channel.answer = () => undefined;
    await begin();
    expect(source.canStop).toBe(false);
    channel.answer = request =>
      request.kind === 'hello'
        ? { status: 'ok', snapshot: inProgress }
        : { status: 'ok' };
    await vi.advanceTimersByTimeAsync(AGAIN_MS);
    expect(source.canStop).toBe(true);
    channel.become('restarted');
    expect(source.canStop).toBe(false);
  });
});
