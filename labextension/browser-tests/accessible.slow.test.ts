import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import stoppedEarly from '../tests/data/view/stopped_early.json';
import { bringAuditor, violations } from './auditing';
import type { IJupyterServer } from './jupyterServer';
import { startJupyter } from './jupyterServer';
import { openLab } from './labPage';
import { MIME, NotebookPage, writeNotebook } from './notebookPage';
import { THEMES } from './themes';

describe('a result in a notebook', () => {
  let server: IJupyterServer;
  let notebook: NotebookPage;

  beforeAll(async () => {
    server = await startJupyter();
    const data = { [MIME]: stoppedEarly, 'text/plain': 'a result' };
    await writeNotebook(
      server,
      'saved.ipynb',
      [
        { source: '1' },
        {
          source: '2',
          outputs: [{ output_type: 'display_data', metadata: {}, data }]
        },
        { source: '3' }
      ],
      { kernelspec: { name: 'missing', display_name: 'Missing' } }
    );
    notebook = new NotebookPage(
      await openLab(server.page('lab/tree/saved.ipynb'))
    );
    const { page } = notebook.lab;
    const dialog = page.locator('.jp-Dialog');
    await dialog.getByRole('button', { name: 'No Kernel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page
      .locator('.jp-SideBar.jp-mod-right [data-id="jp-tir-panel"]')
      .click();
    await notebook.run(1).getByRole('tab', { name: 'Tally' }).waitFor();
    await bringAuditor(page);
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await notebook.lab.screenshot('failed-accessible-slow');
    }
  });

  afterAll(async () => {
    await notebook.lab.close();
    await server.stop();
  });

  it.each(THEMES)('and the panel violate no rule of WCAG in %s', async name => {
    const { page } = notebook.lab;
    const item = (label: string): ReturnType<typeof page.locator> =>
      page.locator('.lm-Menu-item').filter({
        has: page.locator('.lm-Menu-itemLabel', {
          hasText: new RegExp(`^${label}$`)
        })
      });
    await page.locator('.lm-MenuBar-item', { hasText: 'Settings' }).click();
    await item('Theme').hover();
    await item(name).click();
    await page
      .locator(`body[data-jp-theme-name="${name}"]`)
      .waitFor({ state: 'attached' });
    const run = notebook.run(1);
    const found: string[] = [];
    for (const tab of ['Tally', 'Samples', 'Trace', 'What if']) {
      await run.getByRole('tab', { name: tab }).click();
      found.push(...(await violations(page, '.jp-TirRun')));
    }
    found.push(...(await violations(page, '#jp-tir-panel')));
    await notebook.lab.screenshot(`accessible-${name.replaceAll(' ', '-')}`);
    expect(found).toEqual([]);
  });

  it('keeps plain keys from the shortcuts of the notebook', async () => {
    const { page } = notebook.lab;
    const run = notebook.run(1);
    const cells = page.locator('.jp-Notebook .jp-Cell');
    await run.getByRole('tab', { name: 'Tally' }).click();
    await run.getByRole('tab', { name: /^Samples/ }).click();
    const reached = [
      run.getByRole('tab', { name: /^Samples/ }),
      run.getByRole('button', { name: 'Transcript of sample 1', exact: true })
    ];
    for (const node of reached) {
      await node.focus();
      for (const key of ['d', 'd', 'x', 'a', 'b', 'm', 'j', 'Enter']) {
        await page.keyboard.press(key);
      }
    }
    expect(await cells.count()).toBe(3);
    expect(await page.locator('.jp-Notebook .jp-MarkdownCell').count()).toBe(0);
    // The transcript that Enter opened.
    const region = run.getByRole('region', { name: 'Transcript of sample 1' });
    await region.waitFor();
    await region.focus();
    for (const key of ['ArrowDown', 'PageDown', 'd', 'd', 'j', 'k']) {
      await page.keyboard.press(key);
    }
    expect(await region.evaluate(node => node === document.activeElement)).toBe(
      true
    );
    expect(await cells.count()).toBe(3);
    await page.keyboard.press('Control+S');
    expect(notebook.lab.errors).toEqual([]);
  });
});
