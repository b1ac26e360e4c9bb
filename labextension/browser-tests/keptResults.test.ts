import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { LONG } from './growing';
import type { IJupyterServer } from './jupyterServer';
import { startJupyter } from './jupyterServer';
import type { NotebookPage } from './notebookPage';
import { MIME, openNotebook, savedCells, writeNotebook } from './notebookPage';
import { wordsFor } from './scripts';

const PROBLEMS = [
  // Left alone, it takes minutes: it ends by its button.
  { contains: 'slow problem', samples: [{ turns: [wordsFor(4000, 40)] }] },
  {
    contains: 'quick problem',
    samples: [{ turns: [{ text: 'So it is \\boxed{42}.' }] }]
  }
];

const BACKGROUND = '%%tir --samples 2 --background\nThis is a slow problem.';

// What it waits for is made by the test.
const SEVERAL = `print("precious")
import os, time
get_ipython().run_cell_magic("tir", "--samples 2", "This is a quick problem.")
while not os.path.exists("saved"):
    time.sleep(0.1)
get_ipython().run_cell_magic("tir", "--samples 2", "This is a slow problem.")`;

const CLEARS = `from IPython.display import clear_output
ip = get_ipython()
ip.run_cell_magic("tir", "--samples 2 --background", "This is a slow problem.")
clear_output()
print("cleared")`;

const NAME = 'kept.ipynb';
const [LOADED, BEGINS_TWO, CLEARED, CLEARING, STOPPING] = [0, 1, 2, 3, 4];
const [REUSED, MOVED] = [5, 6];

describe('the results of a notebook', () => {
  let server: IJupyterServer;
  let notebook: NotebookPage;

  beforeAll(async () => {
    server = await startJupyter({ problems: PROBLEMS });
    await writeNotebook(server, NAME, [
      { source: '%load_ext jupyterlab_tir' },
      { source: SEVERAL },
      { source: BACKGROUND },
      { source: CLEARS },
      { source: '%tir stop' },
      { source: BACKGROUND },
      { source: BACKGROUND }
    ]);
    notebook = await openNotebook(server, NAME);
    await notebook.start(LOADED);
    await notebook.ended(LOADED);
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await notebook.lab.screenshot('failed-keptResults');
    }
  });

  afterAll(async () => {
    await notebook.lab.close();
    await server.stop();
  });

  /** What the file holds of a cell's outputs: how a run ended, or what else it is. */
  async function saved(index: number): Promise<unknown[]> {
    await notebook.save();
    return inFile(index);
  }

  async function inFile(index: number): Promise<unknown[]> {
    const cells = await savedCells(server, NAME);
    return (cells[index].outputs ?? []).map(output => {
      const run = output.data?.[MIME] as
        { end?: { status: string } | null } | undefined;
      return run === undefined
        ? output.output_type
        : (run.end?.status ?? 'goes on');
    });
  }

  it('stay where they are when runs come back after a reload', async () => {
    const { page } = notebook.lab;
    await notebook.start(REUSED);
    await notebook.ended(REUSED);
    await notebook.run(REUSED).getByText('0 of 2 finished').waitFor();
    await notebook.cell(REUSED).locator('.cm-content').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('print("my own output")');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => saved(REUSED), LONG).toEqual(['stream']);

    await notebook.start(BEGINS_TWO);
    await expect
      .poll(() => saved(BEGINS_TWO), LONG)
      .toEqual(['stream', 'answered']);
    await writeFile(join(server.notebooks, 'saved'), '');
    const runs = notebook.run(BEGINS_TWO);
    const stop = runs.nth(1).getByRole('button', { name: 'Stop' });
    await stop.waitFor();
    await notebook.reload();
    await stop.waitFor();
    await notebook.lab.screenshot('kept-reloaded');
    expect(await runs.count()).toBe(2);
    expect(await notebook.run(REUSED).count()).toBe(0);
    await stop.click();
    await expect
      .poll(() => saved(BEGINS_TWO), LONG)
      .toEqual(['stream', 'answered', 'stopped']);
    await expect.poll(() => saved(REUSED), LONG).toEqual(['stream']);
  });

  it('are written where their cells have been moved and pasted', async () => {
    const { page } = notebook.lab;
    await notebook.start(MOVED);
    await notebook.run(MOVED).getByText('0 of 2 finished').waitFor();
    await notebook.cell(MOVED).locator('.jp-InputPrompt').click();
    await page.keyboard.press('Control+Shift+ArrowUp');
    const [moved, pasted] = [MOVED - 1, MOVED];
    await notebook.run(moved).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.press('v');
    await notebook.run(pasted).waitFor();
    const stop = notebook.run(moved).getByRole('button', { name: 'Stop' });
    await stop.click();
    await stop.waitFor({ state: 'hidden' });
    // Saved once, as soon as the view says that it is over.
    await notebook.save();
    await expect.poll(() => inFile(moved), LONG).toEqual(['stopped']);
    for (const index of [moved, pasted]) {
      await expect.poll(() => saved(index), LONG).toEqual(['stopped']);
    }
    await notebook.lab.screenshot('kept-moved');
  });

  it('are written where the outputs were cleared meanwhile', async () => {
    const { page } = notebook.lab;
    await notebook.start(CLEARED, CLEARING);
    await notebook.ended(CLEARING);
    await notebook.run(CLEARED).getByText('0 of 2 finished').waitFor();
    await notebook.cell(CLEARED).locator('.jp-InputPrompt').click();
    await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Clear Cell Output' }).click();
    await notebook.run(CLEARED).waitFor({ state: 'detached' });
    await notebook.start(STOPPING);
    await notebook.run(CLEARED).waitFor();
    await notebook.run(CLEARING).waitFor();
    await notebook.lab.screenshot('kept-cleared');
    await expect.poll(() => saved(CLEARED), LONG).toEqual(['stopped']);
    await expect
      .poll(() => saved(CLEARING), LONG)
      .toEqual(['stream', 'stopped']);
  });

  it('report no error to the console', () => {
    expect(notebook.lab.errors).toEqual([]);
  });
});
