/**
 * A scripted server in a process of its own, so that what it is asked can be watched from outside.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { PYTHON } from './jupyterServer';
import type { IScriptedProblem } from './scripts';
import { writeScript } from './scripts';

/** A running server. */
export interface IScriptedServer {
  /** The address of its API. */
  readonly url: string;
  /** How many requests it is answering. */
  running(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts it. */
export async function startScripted(
  problems: readonly IScriptedProblem[]
): Promise<IScriptedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tir-scripted-'));
  const file = (await writeScript(folder, problems)).replace(/^scripted:/, '');
  const server = spawn(
    PYTHON,
    ['-m', 'jupyterlab_tir', 'serve', '--scripted', file],
    {
      env: { ...process.env, JUPYTER_RUNTIME_DIR: folder },
      stdio: ['ignore', 'pipe', 'pipe']
    }
  );
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
      return { url, running: () => runningAt(url), stop };
    }
  }
  await stop();
  throw new Error(`The scripted server did not start:\n${said.join('')}`);
}

async function runningAt(url: string): Promise<number> {
  const reply = await fetch(new URL('/metrics', url));
  const counts = [
    ...(await reply.text()).matchAll(
      /^vllm:num_requests_(?:running|waiting)\{[^}]*\} (\S+)$/gm
    )
  ];
  if (counts.length !== 2) {
    throw new Error('The scripted server does not count its requests.');
  }
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
