import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { NoReplyError } from '../../src/live/channel';
import { KernelChannel } from '../../src/live/kernelChannel';
import { FakeKernel } from './fakes';

describe('the control channel of a kernel', () => {
  let kernel: FakeKernel;
  let channel: KernelChannel;

  beforeEach(() => {
    vi.useFakeTimers();
    kernel = new FakeKernel();
    channel = new KernelChannel(kernel.asConnection());
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it('carries requests of our own kind and their replies', async () => {
    const asked = channel.ask({ kind: 'runs' }, 1000);
    const [{ message, future }] = kernel.sent;
    expect(message.channel).toBe('control');
    expect(message.header.msg_type).toBe('tir_request');
    expect(message.header.session).toBe('this page');
    expect(message.content).toEqual({ kind: 'runs' });
    future.reply('tir_reply', { status: 'ok', runs: [] });
    expect(await asked).toEqual({ status: 'ok', runs: [] });
  });

  it('takes no other message for a reply', async () => {
    const asked = channel.ask({ kind: 'runs' }, 1000);
    const refused = asked.catch((reason: unknown) => reason);
    kernel.sent[0].future.reply('shutdown_reply', { status: 'ok' });
    expect(await refused).toBeInstanceOf(NoReplyError);
  });

  it('waits for a reply so long and no longer', async () => {
    const asked = channel.ask({ kind: 'runs' }, 1000);
    const refused = asked.catch((reason: unknown) => reason);
    await vi.advanceTimersByTimeAsync(999);
    expect(kernel.sent[0].future.isDisposed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(kernel.sent[0].future.isDisposed).toBe(true);
    expect(await refused).toBeInstanceOf(NoReplyError);
  });

  it('sends nothing to a kernel that is dead', async () => {
    kernel.status = 'dead';
    await expect(channel.ask({ kind: 'runs' }, 1000)).rejects.toBeInstanceOf(
      NoReplyError
    );
    expect(kernel.sent).toEqual([]);
  });

  it('hands on deliveries and nothing else that is published', () => {
    const delivered: unknown[] = [];
    channel.delivered.connect((_, delivery) => delivered.push(delivery));
    kernel.publish('stream', { run: 'r', page: 'p', batch: 1 });
    kernel.publish('tir_batch', { run: 'r', page: 7, batch: 1 });
    kernel.publish('tir_batch', { run: 'r', page: 'p', batch: { number: 1 } });
    expect(delivered).toEqual([{ run: 'r', page: 'p', batch: { number: 1 } }]);
  });

  it('tells apart what comes back and what is gone for good', () => {
    const states: string[] = [];
    channel.stateChanged.connect((_, state) => states.push(state));
    kernel.statusChanged.emit('busy');
    kernel.connectionStatusChanged.emit('connecting');
    kernel.connectionStatusChanged.emit('connected');
    kernel.statusChanged.emit('autorestarting');
    kernel.connectionStatusChanged.emit('connecting');
    kernel.connectionStatusChanged.emit('connected');
    expect(states).toEqual(['interrupted', 'open', 'died']);
  });

  it('tells a kernel that a person restarted from one that died', async () => {
    const states: string[] = [];
    channel.stateChanged.connect((_, state) => states.push(state));
    kernel.statusChanged.emit('restarting');
    await Promise.resolve();
    expect(states).toEqual(['restarted']);
    kernel.statusChanged.emit('autorestarting');
    expect(states).toEqual(['restarted']);
  });

  it('takes no kernel that died for one that was restarted', async () => {
    const states: string[] = [];
    channel.stateChanged.connect((_, state) => states.push(state));
    // In this order, and within one message, a server's word comes to the page.
    void Promise.resolve().then(() =>
      kernel.statusChanged.emit('autorestarting')
    );
    kernel.statusChanged.emit('restarting');
    await Promise.resolve();
    await Promise.resolve();
    expect(states).toEqual(['died']);
  });

  it('says nothing without waiting while there is no connection', () => {
    kernel.connectionStatusChanged.emit('connecting');
    channel.tell({ kind: 'bye', run: 'r', page: 'p' });
    expect(kernel.sent).toEqual([]);
  });

  it('hears nothing more once it is disposed', () => {
    const heard: unknown[] = [];
    channel.delivered.connect((_, delivery) => heard.push(delivery));
    channel.stateChanged.connect((_, state) => heard.push(state));
    channel.dispose();
    kernel.publish('tir_batch', { run: 'r', page: 'p', batch: {} });
    kernel.disposed.emit();
    expect(heard).toEqual([]);
  });
});
