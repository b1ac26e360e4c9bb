/**
 * The small real vLLM of `tir serve --embedded`, for a test alone: no other program finds it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { ROOT } from './jupyterServer';

/** A running server. */
export interface IEmbeddedServer {
  /** The address of its API. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts it, which takes half a minute to two, and rejects with its words where it does not. */
export async function startEmbedded(): Promise<IEmbeddedServer> {
  const runtime = await mkdtemp(join(tmpdir(), 'tir-vllm-'));
  const server = spawn(
    join(ROOT, '.venv', 'bin', 'tir'),
    ['serve', '--embedded'],
    {
      env: { ...process.env, JUPYTER_RUNTIME_DIR: runtime },
      stdio: ['ignore', 'pipe', 'pipe']
    }
  );
  const exited = once(server, 'exit');
  const said: string[] = [];
  server.stderr.on('data', chunk => said.push(String(chunk)));
  const stop = async (): Promise<void> => {
    server.kill('SIGINT');
    await exited;
    await rm(runtime, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /https?:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) {
      return { url, stop };
    }
  }
  await stop();
  throw new Error(`The embedded server did not start:\n${said.join('')}`);
}
