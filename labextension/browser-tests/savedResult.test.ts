import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import agrees from '../tests/data/agrees.json';
import type { IJupyterServer } from './jupyterServer';
import { startJupyter } from './jupyterServer';
import type { ILabPage } from './labPage';
import { openLab } from './labPage';

const MIME = 'application/vnd.jupyterlab-tir.run+json';

/** A notebook that nobody has trusted, with one cell for each of the results. */
function notebookOf(results: readonly object[]): string {
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { kernelspec: { name: 'python3', display_name: 'Python 3' } },
    cells: results.map((result, index) => ({
      cell_type: 'code',
      id: `cell-${index}`,
      metadata: {},
      execution_count: index + 1,
      source: '',
      outputs: [
        {
          output_type: 'display_data',
          metadata: {},
          data: {
            [MIME]: result,
            'text/html': '<b>the HTML of the result</b>',
            'text/plain': 'the text of the result'
          }
        }
      ]
    }))
  });
}

describe('a saved result', () => {
  let server: IJupyterServer;
  let lab: ILabPage;

  beforeAll(async () => {
    server = await startJupyter();
    await writeFile(
      join(server.notebooks, 'saved.ipynb'),
      notebookOf([agrees, { ...agrees, schema: 2 }, { schema: 1 }])
    );
    lab = await openLab(server.page('lab/tree/saved.ipynb'));
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await lab.screenshot('failed-savedResult');
    }
  });

  afterAll(async () => {
    await lab.close();
    await server.stop();
  });

  it('is drawn without trust and without running anything', async () => {
    const run = lab.page.locator('.jp-TirRun').first();
    await run.locator('.jp-TirRun-votes').waitFor();
    expect(await run.locator('.jp-TirRun-answer').textContent()).toBe(
      'Answer: 2870'
    );
    await run.locator('summary').click();
    expect(await run.locator('dd').first().textContent()).toBe(
      'scripted <b>model</b>'
    );
    // The problem's formula, typeset.
    await run.locator('.jp-TirRun-problem mjx-container').waitFor();
    await lab.screenshot('saved-result');
  });

  it('of another format says so and shows its HTML', async () => {
    const other = lab.page.locator('.jp-TirRun').nth(1);
    await other.locator('.jp-TirRun-unread').waitFor();
    expect(await other.locator('.jp-TirRun-unread').textContent()).toContain(
      'has format 2 and this version of jupyterlab_tir draws format 1'
    );
    await other.getByText('the HTML of the result').waitFor();
  });

  it('that is broken names the field and shows its HTML', async () => {
    const broken = lab.page.locator('.jp-TirRun').nth(2);
    await broken.locator('.jp-TirRun-unread').waitFor();
    expect(await broken.locator('.jp-TirRun-unread').textContent()).toContain(
      'its field verdict is missing or of the wrong kind'
    );
    await broken.getByText('the HTML of the result').waitFor();
  });

  it('reports no error to the console', () => {
    expect(lab.errors).toEqual([]);
  });
});
