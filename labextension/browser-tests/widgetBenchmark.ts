/**
 * How smooth a page stays while 64 samples stream into one cell: `make bench-widget`.
 *
 * Two transcripts are open; the scripted server runs in a process of its own. Prints one JSON
 * object on its last line: gaps between the page's frames in milliseconds, what the page received
 * over its websockets, and the processor time of the kernel in seconds. No page can do better than
 * its machine: `machine_pause_ms_max` is for how long that held up, just before and with nothing
 * else to do, a thread that never waits.
 */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import type { Page } from 'playwright-core';

import { startJupyter } from './jupyterServer';
import type { NotebookPage } from './notebookPage';
import { openNotebook, writeNotebook } from './notebookPage';
import { startScripted } from './scriptedServer';
import { wordsFor } from './scripts';

const STREAMS = 64;
const SECONDS = 20;
/** Milliseconds between two tokens of one stream. */
const TOKEN_MS = 30;
/** Clock ticks a second of Linux's /proc. */
const TICKS = 100;

const [LOADED, PROCESS, RUN] = [0, 1, 2];

/** Runs in a thread: the longest time between two looks at the clock. */
const SPINNING = `
  const { parentPort, workerData } = require('node:worker_threads');
  const end = performance.now() + workerData;
  let [before, longest] = [performance.now(), 0];
  while (before < end) {
    const now = performance.now();
    longest = Math.max(longest, now - before);
    before = now;
  }
  parentPort.postMessage(longest);
`;

/** For how many milliseconds the machine holds up threads that never wait, one for each core. */
async function machinePause(seconds: number): Promise<number> {
  const pauses = Array.from(
    { length: availableParallelism() },
    async () =>
      new Promise<number>((resolve, reject) => {
        new Worker(SPINNING, { eval: true, workerData: seconds * 1000 })
          .on('message', resolve)
          .on('error', reject);
      })
  );
  return Math.max(...(await Promise.all(pauses)));
}

/** Counts what the page receives over its websockets. */
async function countBytes(page: Page): Promise<() => number> {
  const devtools = await page.context().newCDPSession(page);
  let bytes = 0;
  devtools.on('Network.webSocketFrameReceived', ({ response }) => {
    const { opcode, payloadData } = response;
    // Binary frames come in base64.
    bytes += opcode === 2 ? (payloadData.length * 3) / 4 : payloadData.length;
  });
  await devtools.send('Network.enable');
  return () => bytes;
}

/** The gaps between the page's frames. */
async function frameGaps(page: Page, seconds: number): Promise<number[]> {
  return page.evaluate(
    async milliseconds =>
      new Promise<number[]>(resolve => {
        const gaps: number[] = [];
        const begun = performance.now();
        let before = begun;
        const frame = (now: number): void => {
          gaps.push(now - before);
          before = now;
          if (now - begun < milliseconds) {
            requestAnimationFrame(frame);
          } else {
            resolve(gaps.slice(1));
          }
        };
        requestAnimationFrame(frame);
      }),
    seconds * 1000
  );
}

async function processorSeconds(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

function rounded(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

async function measure(notebook: NotebookPage): Promise<object> {
  const { page } = notebook.lab;
  await notebook.start(LOADED, PROCESS);
  await notebook.ended(PROCESS);
  const output = notebook.cell(PROCESS).locator('.jp-OutputArea-output');
  const pid = (await output.innerText()).trim();
  const bytes = await countBytes(page);
  await notebook.start(RUN);
  const run = notebook.run(RUN);
  await run.getByText(`${STREAMS} running`).waitFor({ timeout: 60_000 });
  await run.getByRole('tab', { name: /^Samples/ }).click();
  for (const sample of [1, 2]) {
    const name = `Transcript of sample ${sample}`;
    await run.getByRole('button', { name, exact: true }).click();
  }
  await sleep(2000);
  const [bytesBefore, kernelBefore] = [bytes(), await processorSeconds(pid)];
  const gaps = await frameGaps(page, SECONDS);
  const [bytesAfter, kernelAfter] = [bytes(), await processorSeconds(pid)];
  await notebook.lab.screenshot('bench-widget');
  await run.getByRole('button', { name: 'Stop' }).click();
  await notebook.ended(RUN);
  gaps.sort((a, b) => a - b);
  return {
    streams: STREAMS,
    seconds: SECONDS,
    frames: gaps.length,
    frames_over_33ms: gaps.filter(gap => gap > 34).length,
    frame_ms_p95: rounded(gaps[Math.floor(gaps.length * 0.95)]),
    frame_ms_max: rounded(gaps[gaps.length - 1]),
    bytes_per_s: Math.round((bytesAfter - bytesBefore) / SECONDS),
    kernel_cpu_s: rounded(kernelAfter - kernelBefore, 2)
  };
}

async function main(): Promise<void> {
  const pause = await machinePause(SECONDS / 4);
  const scripted = await startScripted([
    { contains: '', samples: [{ turns: [wordsFor(4000, TOKEN_MS)] }] }
  ]);
  const server = await startJupyter({
    environment: { TIR_BASE_URL: scripted.url }
  });
  try {
    const options = `--samples ${STREAMS} --parallel ${STREAMS} --ahead 2 --stop none`;
    await writeNotebook(server, 'streams.ipynb', [
      { source: '%load_ext jupyterlab_tir' },
      { source: 'import os\nprint(os.getpid())' },
      { source: `%%tir ${options}\nA problem that takes a while.` }
    ]);
    const notebook = await openNotebook(server, 'streams.ipynb');
    try {
      const measured = {
        ...(await measure(notebook)),
        machine_pause_ms_max: rounded(pause)
      };
      process.stdout.write(`${JSON.stringify(measured)}\n`);
    } finally {
      await notebook.lab.close();
    }
  } finally {
    await server.stop();
    await scripted.stop();
  }
}

await main();
