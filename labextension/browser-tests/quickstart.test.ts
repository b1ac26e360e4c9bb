import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type { IJupyterServer } from './jupyterServer';
import { ROOT, startJupyter } from './jupyterServer';
import type { ILabPage } from './labPage';
import { openLab } from './labPage';

const EXAMPLES = join(ROOT, 'examples');
const SCRIPT = join(import.meta.dirname, 'data', 'squares.json');
const MIME = 'application/vnd.jupyterlab-tir.run+json';

interface ICell {
  readonly id: string;
  readonly cell_type: string;
  readonly source: string | readonly string[];
  readonly outputs?: readonly { readonly data?: Record<string, unknown> }[];
}

async function cellsOf(file: string): Promise<readonly ICell[]> {
  const notebook = JSON.parse(await readFile(file, 'utf8')) as {
    cells: readonly ICell[];
  };
  return notebook.cells;
}

function textOf(cell: ICell): string {
  return typeof cell.source === 'string' ? cell.source : cell.source.join('');
}

describe('the quickstart', () => {
  let server: IJupyterServer;
  let lab: ILabPage;
  let cells: readonly ICell[];
  let first: number;

  beforeAll(async () => {
    server = await startJupyter({
      environment: { TIR_BASE_URL: `scripted:${SCRIPT}` }
    });
    const notebook = join(server.notebooks, 'quickstart.ipynb');
    await copyFile(join(EXAMPLES, 'quickstart.ipynb'), notebook);
    cells = await cellsOf(notebook);
    first = cells.findIndex(cell => textOf(cell).startsWith('%%tir'));
    lab = await openLab(server.page('lab/tree/quickstart.ipynb'));
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await lab.screenshot('failed-quickstart');
    }
  });

  afterAll(async () => {
    await lab.close();
    await server.stop();
  });

  it('shows the first problem while it is solved', async () => {
    const { page } = lab;
    // The notebook's own indicator is idle before the kernel is there.
    await page.getByText('| Idle').waitFor();
    await page.locator('.jp-Notebook .jp-Cell').first().click();
    for (let index = 0; index <= first; index += 1) {
      await page.keyboard.press('Shift+Enter');
    }
    const run = page.locator('.jp-TirRun');
    await run.getByRole('button', { name: 'Stop' }).waitFor();
    await run.getByText(/^[1-9] of \d+ finished$/).waitFor();
    await lab.screenshot('quickstart-live');
  });

  it('leaves a static result with verdict, answer and votes', async () => {
    const { page } = lab;
    const run = page.locator('.jp-TirRun');
    await run.getByText('AGREES').waitFor();
    expect(await run.locator('.jp-TirVerdict-answer').textContent()).toContain(
      '2870'
    );
    expect(await run.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    await lab.screenshot('quickstart-static');
  });

  it('saves the result with the notebook, and no widget', async () => {
    await lab.page.keyboard.press('Control+S');
    const file = join(server.notebooks, 'quickstart.ipynb');
    await expect
      .poll(
        async () =>
          (await cellsOf(file))[first].outputs?.flatMap(output =>
            Object.keys(output.data ?? {})
          ),
        { timeout: 10_000 }
      )
      .toContain(MIME);
    expect((await readFile(file, 'utf8')).includes('widget-view')).toBe(false);
  });

  it('reports no error to the console', () => {
    expect(lab.errors).toEqual([]);
  });
});
