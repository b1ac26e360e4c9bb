import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { NoReplyError } from '../../src/live/channel';
import { KernelChannel } from '../../src/live/kernelChannel';
import type { IWidgetModel } from '../../src/live/widgetChannel';
import { WidgetChannel, channelOf } from '../../src/live/widgetChannel';
import { FakeKernel } from './fakes';

/** A widget's model whose messages a test sees and sends. */
class Model implements IWidgetModel {
  constructor(readonly widget_manager?: unknown) {}

  readonly callbacks = new Set<(content: unknown) => void>();
  readonly sent: { id: string; request: unknown }[] = [];

  get(): unknown {
    return undefined;
  }

  on(event: string, callback: (content: unknown) => void): void {
    expect(event).toBe('msg:custom');
    this.callbacks.add(callback);
  }

  off(_event: string, callback: (content: unknown) => void): void {
    this.callbacks.delete(callback);
  }

  send(content: unknown): void {
    this.sent.push(content as { id: string; request: unknown });
  }

  receive(content: unknown): void {
    this.callbacks.forEach(callback => callback(content));
  }
}

describe('the messages of a widget', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it('carry requests and their own replies', async () => {
    const model = new Model();
    const channel = new WidgetChannel(model);
    const asked = channel.ask({ kind: 'runs' }, 1000);
    const other = channel.ask({ kind: 'stop', run: 'r' }, 1000);
    expect(model.sent.map(({ request }) => request)).toEqual([
      { kind: 'runs' },
      { kind: 'stop', run: 'r' }
    ]);
    model.receive({ id: model.sent[1].id, reply: { status: 'unknown-run' } });
    model.receive({ id: model.sent[0].id, reply: { status: 'ok' } });
    expect(await asked).toEqual({ status: 'ok' });
    expect(await other).toEqual({ status: 'unknown-run' });
    channel.dispose();
  });

  it('are waited for so long and no longer', async () => {
    const channel = new WidgetChannel(new Model());
    const refused = channel
      .ask({ kind: 'runs' }, 1000)
      .catch((reason: unknown) => reason);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await refused).toBeInstanceOf(NoReplyError);
    channel.dispose();
  });

  it('bring batches until the channel is disposed', () => {
    const model = new Model();
    const channel = new WidgetChannel(model);
    const delivered: unknown[] = [];
    channel.delivered.connect((_, delivery) => delivered.push(delivery));
    model.receive({ run: 'r', page: 'p', batch: 1 });
    model.receive('no message of ours');
    expect(model.callbacks.size).toBe(1);
    channel.dispose();
    expect(model.callbacks.size).toBe(0);
    expect(delivered).toEqual([{ run: 'r', page: 'p', batch: 1 }]);
  });

  it('are used only where the page does not reach its kernel', () => {
    const kernel = new FakeKernel();
    expect(channelOf(new Model({ kernel }))).toBeInstanceOf(KernelChannel);
    for (const manager of [undefined, {}, { kernel: { id: 'remote' } }]) {
      expect(channelOf(new Model(manager))).toBeInstanceOf(WidgetChannel);
    }
  });
});
