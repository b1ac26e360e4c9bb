import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type { IJupyterServer } from './jupyterServer';
import { startJupyter } from './jupyterServer';
import type { ILabPage } from './labPage';
import { openLab } from './labPage';

describe('the side panel', () => {
  let server: IJupyterServer;
  let lab: ILabPage;

  beforeAll(async () => {
    server = await startJupyter();
    lab = await openLab(server.page('lab'));
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await lab.screenshot('failed-panel');
    }
  });

  afterAll(async () => {
    await lab.close();
    await server.stop();
  });

  it('opens by its tab and names the server of the settings', async () => {
    const { page } = lab;
    const tab = page.locator(
      '.jp-SideBar.jp-mod-right [data-id="jp-tir-panel"]'
    );
    await tab.waitFor();
    expect(await tab.getAttribute('title')).toContain('TIR');
    expect(await tab.locator('svg').count()).toBe(1);
    await tab.click();
    const panel = page.locator('#jp-tir-panel');
    await panel.waitFor();
    expect(await panel.locator('.jp-TirPanel-server').textContent()).toBe(
      'The running embedded server'
    );
    await lab.screenshot('panel');
  });

  it('follows a change in the settings editor, which its button opens', async () => {
    const { page } = lab;
    await page.locator('#jp-tir-panel button').click();
    const server = page.locator('.jp-SettingsForm input[label="Server"]');
    await server.fill('http://127.0.0.1:8000/v1');
    const shown = page.locator('#jp-tir-panel .jp-TirPanel-server');
    await shown.filter({ hasText: 'http://127.0.0.1:8000/v1' }).waitFor();
    await lab.screenshot('settings');
    await server.fill('localhost');
    await shown.filter({ hasText: 'is not an address' }).waitFor();
    await server.fill('');
    await shown.filter({ hasText: 'The running embedded server' }).waitFor();
  });

  it('is in the command palette and in the View menu', async () => {
    const { page } = lab;
    await page.keyboard.press('Control+Shift+C');
    await page.locator('.jp-ModalCommandPalette input').fill('tir');
    const found = page.locator('.lm-CommandPalette-itemLabel');
    await found.filter({ hasText: 'Show the TIR Panel' }).first().waitFor();
    await found.filter({ hasText: 'TIR Settings…' }).first().waitFor();
    await lab.screenshot('palette');
    await page.keyboard.press('Escape');
    await page.locator('.lm-MenuBar-itemLabel', { hasText: 'View' }).click();
    await page
      .locator('.lm-Menu-itemLabel', { hasText: 'Show the TIR Panel' })
      .waitFor();
    await page.keyboard.press('Escape');
  });

  it('comes with one sentence where JupyterLab is too old', async () => {
    const { page } = lab;
    await page.route('**/lab?*', async route => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace(
        /"appVersion": *"[^"]*"/,
        '"appVersion": "3.6.8"'
      );
      await route.fulfill({ response: answer, body });
    });
    await page.goto(server.page('lab'));
    const dialog = page.locator('.jp-Dialog');
    await dialog.waitFor();
    expect(await dialog.locator('.jp-Dialog-body').textContent()).toBe(
      "TIR's panel and result view need JupyterLab 4.0 or newer, and this is 3.6.8: update it with pip install -U jupyterlab; %%tir works all the same."
    );
    await lab.screenshot('old-jupyterlab');
    await dialog.locator('button').click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('reports no error to the console', () => {
    expect(lab.errors).toEqual([]);
  });
});
