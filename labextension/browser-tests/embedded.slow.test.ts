/**
 * The live view over a real model: what streams, is run and is counted comes from vLLM.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { startEmbedded } from './embeddedServer';
import type { IJupyterServer } from './jupyterServer';
import { startJupyter } from './jupyterServer';
import type { NotebookPage } from './notebookPage';
import { MIME, openNotebook, savedCells, writeNotebook } from './notebookPage';
import type { IServed } from './served';

const NAME = 'embedded.ipynb';
const [LOADED, SOLVED] = [0, 1];

describe('a run over the embedded vLLM', () => {
  let vllm: IServed;
  let server: IJupyterServer;
  let notebook: NotebookPage;

  beforeAll(async () => {
    vllm = await startEmbedded();
    server = await startJupyter({ environment: { TIR_BASE_URL: vllm.url } });
    await writeNotebook(server, NAME, [
      { source: '%load_ext jupyterlab_tir' },
      {
        source:
          '%%tir --samples 4 --seed 7 --deadline 240 --stop none --check 391\nWhat is the product of 17 and 23?'
      }
    ]);
    notebook = await openNotebook(server, NAME);
    await notebook.start(LOADED);
    await notebook.ended(LOADED);
  }, 600_000);

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await notebook.lab.screenshot('failed-embedded');
    }
  });

  afterAll(async () => {
    await notebook.lab.close();
    await server.stop();
    await vllm.stop();
  }, 60_000);

  it('shows a transcript that the model is writing', async () => {
    await notebook.start(SOLVED);
    const run = notebook.run(SOLVED);
    await run.getByRole('tab', { name: /^Samples/ }).click();
    await run
      .getByRole('button', { name: 'Transcript of sample 1', exact: true })
      .click();
    const transcript = run.getByRole('region', {
      name: 'Transcript of sample 1'
    });
    await expect
      .poll(async () => (await transcript.innerText()).length, {
        timeout: 60_000
      })
      .toBeGreaterThan(40);
    await notebook.lab.screenshot('embedded-live');
  });

  it('ends with a result that counts every sample', async () => {
    await notebook.ended(SOLVED, 280_000);
    const run = notebook.run(SOLVED);
    await run.getByRole('tab', { name: 'Tally' }).click();
    await notebook.lab.screenshot('embedded-static');
    await notebook.save();
    const kept = async (): Promise<Record<string, unknown> | undefined> => {
      const [output] = (await savedCells(server, NAME))[SOLVED].outputs ?? [];
      return output.data?.[MIME] as Record<string, unknown> | undefined;
    };
    await expect.poll(kept, { timeout: 10_000 }).toBeDefined();
    const saved = (await kept()) as {
      readonly samples: readonly { readonly doing: string }[];
      readonly tokens: number;
      readonly end: { readonly status: string; readonly verdict: unknown };
    };
    expect(saved.samples.map(({ doing }) => doing)).toEqual(
      Array(4).fill('ended')
    );
    expect(saved.tokens).toBeGreaterThan(0);
    expect(['answered', 'no-answer']).toContain(saved.end.status);
    expect(saved.end.verdict).not.toBeNull();
  }, 300_000);

  it('reports no error to the console', () => {
    expect(notebook.lab.errors).toEqual([]);
  });
});
