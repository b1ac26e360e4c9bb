/**
 * A scripted server in a process of its own, so that what it is asked can be watched from outside.
 */
import type { IScriptedProblem } from './scripts';
import { writeScript } from './scripts';
import type { IServed } from './served';
import { serve } from './served';

/** A running server. */
export interface IScriptedServer extends IServed {
  /** How many requests it is answering. */
  running(): Promise<number>;
}

/** Starts it. */
export async function startScripted(
  problems: readonly IScriptedProblem[]
): Promise<IScriptedServer> {
  const served = await serve(async folder => {
    const script = await writeScript(folder, problems);
    return ['--scripted', script.replace(/^scripted:/, '')];
  });
  return { ...served, running: () => runningAt(served.url) };
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
