import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { LONG, grows, tokensOf } from './growing';
import { HOSTILE, expectHarmless } from './hostile';
import type { IJupyterServer } from './jupyterServer';
import { startJupyter } from './jupyterServer';
import type { NotebookPage } from './notebookPage';
import { MIME, openNotebook, savedCells, writeNotebook } from './notebookPage';
import { SLOW, wordsFor } from './scripts';

// The problem comes back in the transcript of each sample, and so do the code's results.
const ATTACKED = {
  contains: 'hostile problem',
  samples: [
    {
      turns: [
        {
          text: `${HOSTILE}\n\n\`\`\`python\nprint('long' * 250_000)\nraise ValueError(${JSON.stringify(HOSTILE)})\n\`\`\`\n`
        },
        { text: `${HOSTILE} \\boxed{${HOSTILE}}` },
        wordsFor(4000, 40)
      ]
    }
  ]
};

/** Tenfold what it takes on a machine that has other work. */
const STOPPED_MS = 10_000;

const NAME = 'live.ipynb';
const [LOADED, AWAITED, BLOCKING, BACKGROUND, BUSY, ATTACKS, SAVED, UNSAVED] = [
  0, 1, 2, 3, 4, 5, 6, 7
];

describe('a run that goes on', () => {
  let server: IJupyterServer;
  let notebook: NotebookPage;

  beforeAll(async () => {
    server = await startJupyter({ problems: [SLOW, ATTACKED] });
    await writeNotebook(server, NAME, [
      { source: '%load_ext jupyterlab_tir' },
      { source: '%%tir --samples 4\nThis is a slow problem.' },
      {
        source:
          'get_ipython().run_cell_magic("tir", "--samples 4", "This is a slow problem.")'
      },
      { source: '%%tir --samples 2 --background\nThis is a slow problem.' },
      { source: 'import time\ntime.sleep(5)' },
      { source: `%%tir --samples 1\nThis is a hostile problem. ${HOSTILE}` },
      { source: '%%tir --samples 2 --background\nThis is a slow problem.' },
      { source: '%%tir --samples 2\nThis is a slow problem.' }
    ]);
    notebook = await openNotebook(server, NAME);
    await notebook.start(LOADED);
    await notebook.ended(LOADED);
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await notebook.lab.screenshot('failed-liveRun');
    }
  });

  afterAll(async () => {
    await notebook.lab.close();
    await server.stop();
  });

  it('shows what it does, with a button to stop it', async () => {
    await notebook.start(AWAITED);
    const run = notebook.run(AWAITED);
    await run.getByRole('button', { name: 'Stop' }).waitFor();
    await run.getByText('0 of 4 finished').waitFor();
    await notebook.lab.screenshot('live-tally');
  });

  it('sends a transcript that is opened, as it is written', async () => {
    const run = notebook.run(AWAITED);
    await run.getByRole('tab', { name: /^Samples/ }).click();
    const opener = run.getByRole('button', {
      name: 'Transcript of sample 1',
      exact: true
    });
    await opener.click();
    const transcript = run.getByRole('region', {
      name: 'Transcript of sample 1'
    });
    await transcript.getByText('print(6 * 7)').waitFor();
    await transcript.getByText('42', { exact: true }).waitFor();
    await transcript.getByText('word3 word4 word5').waitFor();
    await grows(async () => (await transcript.innerText()).length);
    await notebook.lab.screenshot('live-transcript');
    // No rebuild: what was open and had the focus has it still.
    expect(await opener.evaluate(node => node === document.activeElement)).toBe(
      true
    );
  });

  it('ends by its button, in a cell that is awaited', async () => {
    await notebook.run(AWAITED).getByRole('button', { name: 'Stop' }).click();
    await notebook.ended(AWAITED, STOPPED_MS);
    const run = notebook.run(AWAITED);
    await run
      .getByRole('button', { name: 'Stop' })
      .waitFor({ state: 'hidden' });
    expect(await run.count()).toBe(1);
    // The static result is drawn in the same view: what was opened stays open.
    await run.getByRole('region', { name: 'Transcript of sample 1' }).waitFor();
    await notebook.lab.screenshot('live-stopped');
  });

  it('ends by its button, in a cell that blocks the kernel', async () => {
    await notebook.start(BLOCKING);
    const run = notebook.run(BLOCKING);
    await run.getByText('0 of 4 finished').waitFor();
    await grows(() => tokensOf(run));
    await run.getByRole('button', { name: 'Stop' }).click();
    await notebook.ended(BLOCKING, STOPPED_MS);
    await run
      .getByRole('button', { name: 'Stop' })
      .waitFor({ state: 'hidden' });
  });

  it('goes on beside other cells, also such as block the kernel', async () => {
    await notebook.start(BACKGROUND);
    await notebook.ended(BACKGROUND);
    const run = notebook.run(BACKGROUND);
    await grows(() => tokensOf(run));
    await notebook.start(BUSY);
    await grows(() => tokensOf(run));
    expect(
      await notebook.cell(BUSY).locator('.jp-InputPrompt').textContent()
    ).toBe('[*]:');
    await notebook.lab.screenshot('live-background');
    await run.getByRole('button', { name: 'Stop' }).click();
    await run
      .getByRole('button', { name: 'Stop' })
      .waitFor({ state: 'hidden' });
    await notebook.ended(BUSY);
  });

  it('takes nothing that is written for more than text', async () => {
    await notebook.start(ATTACKS);
    const run = notebook.run(ATTACKS);
    await run.getByRole('tab', { name: /^Samples/ }).click();
    await run
      .getByRole('button', { name: 'Transcript of sample 1', exact: true })
      .click();
    const transcript = run.getByRole('region', {
      name: 'Transcript of sample 1'
    });
    await transcript.getByText('ValueError').first().waitFor();
    await transcript.getByText('a<U+202E>b').first().waitFor();
    await run.getByRole('tab', { name: 'Trace' }).click();
    await expectHarmless(notebook.lab.page, run);
    await run.getByRole('tab', { name: /^Samples/ }).click();
    await notebook.lab.screenshot('live-hostile');
    const stop = run.getByRole('button', { name: 'Stop' });
    if (await stop.isVisible()) {
      await stop.click();
    }
    await notebook.ended(ATTACKS);
    await expectHarmless(notebook.lab.page, run);
  });

  it('comes back after the page was reloaded, and leaves its result', async () => {
    await notebook.start(SAVED);
    await notebook.run(SAVED).getByText('0 of 2 finished').waitFor();
    await notebook.save();
    await expect
      .poll(
        async () => (await savedCells(server, NAME))[SAVED].outputs?.length,
        LONG
      )
      .toBeGreaterThan(0);
    await notebook.start(UNSAVED);
    await notebook.run(UNSAVED).getByText('0 of 2 finished').waitFor();
    await notebook.reload();

    for (const index of [SAVED, UNSAVED]) {
      const run = notebook.run(index);
      await run.waitFor();
      await grows(() => tokensOf(run));
    }
    await notebook.run(UNSAVED).scrollIntoViewIfNeeded();
    await notebook.lab.screenshot('live-reloaded');
    for (const index of [SAVED, UNSAVED]) {
      const run = notebook.run(index);
      await run.getByRole('button', { name: 'Stop' }).click();
      await run
        .getByRole('button', { name: 'Stop' })
        .waitFor({ state: 'hidden' });
    }
    await expect
      .poll(async () => {
        await notebook.save();
        const cells = await savedCells(server, NAME);
        return [SAVED, UNSAVED].map(index => {
          const run = cells[index].outputs?.find(each => each.data?.[MIME])
            ?.data?.[MIME] as { end?: { status: string } } | undefined;
          return run?.end?.status;
        });
      }, LONG)
      .toEqual(['stopped', 'stopped']);
  });

  it('reports no error to the console', () => {
    expect(notebook.lab.errors).toEqual([]);
  });
});
