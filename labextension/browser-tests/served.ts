/**
 * `tir serve` in a process of its own, for a test alone: no other program finds it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { PYTHON } from './jupyterServer';

/** A running server. */
export interface IServed {
  /** The address of its API. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts it with the options that `prepare` makes, which may write into the folder that goes with
 * it; rejects with its words where it does not start.
 */
export async function serve(
  prepare: (folder: string) => Promise<readonly string[]>
): Promise<IServed> {
  const folder = await mkdtemp(join(tmpdir(), 'tir-served-'));
  const options = await prepare(folder);
  const server = spawn(PYTHON, ['-m', 'jupyterlab_tir', 'serve', ...options], {
    env: { ...process.env, JUPYTER_RUNTIME_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe']
  });
  const exited = once(server, 'exit');
  const said: string[] = [];
  server.stderr.on('data', chunk => said.push(String(chunk)));
  const stop = async (): Promise<void> => {
    server.kill('SIGINT');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /https?:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) {
      return { url, stop };
    }
  }
  await stop();
  throw new Error(`tir serve did not start:\n${said.join('')}`);
}
