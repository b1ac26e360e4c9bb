import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { grows, tokensOf } from './growing';
import { HOSTILE, expectHarmless, expectSanitised } from './hostile';
import type { IJupyterServer } from './jupyterServer';
import { startJupyter } from './jupyterServer';
import type { NotebookPage } from './notebookPage';
import { openNotebook, writeNotebook } from './notebookPage';
import { wordsFor } from './scripts';

const SLOW = {
  contains: 'slow problem',
  samples: [
    {
      turns: [
        { ...wordsFor(4000, 40), text: `${HOSTILE} ${wordsFor(4000, 40).text}` }
      ]
    }
  ]
};

const STOPPED_MS = 10_000;
const [LOADED, AWAITED, BLOCKING] = [0, 1, 2];

describe('a page without our extension', () => {
  let server: IJupyterServer;
  let notebook: NotebookPage;

  beforeAll(async () => {
    server = await startJupyter({ problems: [SLOW], withoutExtension: true });
    await writeNotebook(server, 'widget.ipynb', [
      { source: '%load_ext jupyterlab_tir' },
      { source: `%%tir --samples 2\nThis is a slow problem. ${HOSTILE}` },
      {
        source:
          'get_ipython().run_cell_magic("tir", "--samples 2", "This is a slow problem.")'
      }
    ]);
    notebook = await openNotebook(server, 'widget.ipynb');
    await notebook.start(LOADED);
    await notebook.ended(LOADED);
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await notebook.lab.screenshot('failed-widget');
    }
  });

  afterAll(async () => {
    await notebook.lab.close();
    await server.stop();
  });

  it('draws a run that goes on as a widget, transcripts included', async () => {
    await notebook.start(AWAITED);
    const run = notebook.run(AWAITED);
    await run.getByRole('button', { name: 'Stop' }).waitFor();
    const panel = notebook.lab.page.locator('[data-id="jp-tir-panel"]');
    expect(await panel.count()).toBe(0);
    await grows(() => tokensOf(run));
    await run.getByRole('tab', { name: /^Samples/ }).click();
    await run
      .getByRole('button', { name: 'Transcript of sample 1', exact: true })
      .click();
    const transcript = run.getByRole('region', {
      name: 'Transcript of sample 1'
    });
    await transcript.getByText('<script>').first().waitFor();
    await grows(async () => (await transcript.innerText()).length);
    await notebook.lab.screenshot('widget-live');
    await expectHarmless(notebook.lab.page, run);
  });

  it('ends it by its button and is left with sanitised HTML', async () => {
    await notebook.run(AWAITED).getByRole('button', { name: 'Stop' }).click();
    await notebook.ended(AWAITED, STOPPED_MS);
    const html = notebook.cell(AWAITED).locator('.jp-RenderedHTML');
    await html.getByText('Stopped by the user').first().waitFor();
    await notebook.lab.screenshot('widget-static');
    await expectSanitised(notebook.lab.page, html);
  });

  it('ends it by its button in a cell that blocks the kernel', async () => {
    await notebook.start(BLOCKING);
    const run = notebook.run(BLOCKING);
    await grows(() => tokensOf(run));
    await run.getByRole('button', { name: 'Stop' }).click();
    await notebook.ended(BLOCKING, STOPPED_MS);
  });

  it('reports no error to the console', () => {
    expect(notebook.lab.errors).toEqual([]);
  });
});
