/**
 * Runs whose pages are closed, opened twice and loaded again, whose kernels die, and that are
 * stopped twice at once.
 */
import type { Page } from 'playwright-core';
import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  it,
  vi
} from 'vitest';

import { grows, tokensOf } from './growing';
import { NotebookPage } from './notebookPage';
import { SHOWS_PROCESSES, isAlive } from './processes';
import type { IServers } from './stoppingServers';
import { startServers } from './stoppingServers';
import {
  LIMITS,
  PATIENT,
  STOPPED_MS,
  Stage,
  expectStill
} from './stoppingStage';

vi.setConfig(LIMITS);

describe.runIf(SHOWS_PROCESSES)('a run and its pages', () => {
  let servers: IServers;
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    servers = await startServers();
    stage = await Stage.open(servers, '7.4 or newer', 'on', 'pages');
    page = stage.notebook.lab.page;
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await stage.notebook.lab.screenshot(`failed-stoppingPages`);
    }
  });

  afterAll(async () => {
    try {
      await stage.close();
    } finally {
      await servers.stop();
    }
  });

  it('stops once where its button is pressed twice', async () => {
    const begun = await stage.begin('awaiting');
    const took = await stage.measure(begun, () =>
      begun.view.getByRole('button', { name: 'Stop' }).dblclick()
    );
    expect(took).toBeLessThan(STOPPED_MS);
    await expectStill(stage, begun);
    await expect.poll(() => stage.recorded(begun), PATIENT).toBe('stopped');
  });

  it('stops once where it is interrupted while it stops', async () => {
    for (const kind of ['awaiting', 'blocking'] as const) {
      const begun = await stage.begin(kind);
      await stage.measure(begun, async () => {
        await begun.view.getByRole('button', { name: 'Stop' }).click();
        await stage.kernelMenu('Interrupt Kernel');
      });
      await expectStill(stage, begun);
      await expect.poll(() => stage.recorded(begun), PATIENT).toBe('stopped');
    }
    await stage.load();
  });

  it('stops where it is interrupted in its first moments', async () => {
    for (const place of [1, 2]) {
      await stage.notebook.start(place);
      await page.keyboard.press('Escape');
      // The key twice is JupyterLab's interrupt.
      await page.keyboard.press('i');
      await page.keyboard.press('i');
      await stage.notebook.ended(place, STOPPED_MS);
      await expect.poll(() => servers.scripted.running(), PATIENT).toBe(0);
      const cell = stage.notebook.cell(place);
      expect(await cell.innerText()).toMatch(/Stopped/);
      expect(await cell.getByRole('button', { name: /^Stop/ }).count()).toBe(0);
    }
    await stage.load();
  });

  it('stops where its button is pressed as soon as it is there', async () => {
    await stage.notebook.start(1);
    const view = stage.notebook.run(1);
    await view.getByRole('button', { name: 'Stop' }).click();
    await stage.notebook.ended(1, STOPPED_MS);
    await expect.poll(() => servers.scripted.running(), PATIENT).toBe(0);
    await view.getByText('Stopped by the user').first().waitFor();
  });

  it('is seen by a second page and by a second view, and stops for all', async () => {
    const begun = await stage.begin('awaiting');
    await stage.notebook.save();
    const other = await page.context().newPage();
    await other.goto(
      servers.jupyter.page(`lab/workspaces/other/tree/${stage.name}`)
    );
    const second = new NotebookPage({ ...stage.notebook.lab, page: other });
    const seen = second.run(begun.cell);
    await seen.waitFor();
    await grows(() => tokensOf(seen));
    await other.close();

    await page.bringToFront();
    await stage.notebook
      .cell(begun.cell)
      .locator('.jp-OutputArea-output')
      .first()
      .click({ button: 'right', position: { x: 4, y: 4 } });
    await page
      .locator('.lm-Menu')
      .getByText('Create New View for Cell Output', { exact: true })
      .click();
    const copy = page.locator('.jp-LinkedOutputView .jp-TirRun');
    await grows(() => tokensOf(copy));
    await stage.measure(begun, () =>
      copy.getByRole('button', { name: 'Stop' }).click()
    );
    await expectStill(stage, begun);
    await copy.locator('.jp-TirProgress[data-state="over"]').waitFor();
    await stage.notebook.lab.screenshot('stopping-second-view');
  });

  it('goes on where its page is closed, and is answered', async () => {
    const begun = await stage.begin('passing');
    await page.close({ runBeforeUnload: false });
    await expect.poll(() => stage.recorded(begun), PATIENT).toBe('answered');
    expect(await isAlive(begun.kernel)).toBe(true);
    await stage.close();
    stage = await Stage.open(servers, '7.4 or newer', 'on', 'again');
    page = stage.notebook.lab.page;
  });

  it('is over where its kernel is restarted and the page loaded again', async () => {
    const begun = await stage.begin('awaiting');
    await stage.notebook.save();
    await expect.poll(() => stage.saves(begun), PATIENT).toBe(true);
    await stage.stop('restart', begun);
    await expectStill(stage, begun);
    await stage.notebook.reload();
    const view = stage.notebook.run(begun.cell);
    await view.locator('.jp-TirProgress[data-state="over"]').waitFor();
    await view
      .getByText(/The kernel does not (answer:|know this run)/)
      .waitFor();
    await stage.notebook.lab.screenshot('stopping-restarted');
    await stage.load();
  });

  it('says so where its kernel is killed', async () => {
    const begun = await stage.begin('blocking');
    await stage.measure(begun, async () => {
      process.kill(begun.kernel, 'SIGKILL');
      return Promise.resolve();
    });
    await expectStill(stage, begun);
    await page.locator('.jp-Dialog').getByText('Ok', { exact: true }).click();
    await stage.notebook.lab.screenshot('stopping-killed');
    await begun.view
      .getByText(/The kernel died and was started anew/)
      .waitFor();
    await expect.poll(() => stage.isGone(begun), PATIENT).toBe(true);
    expect(await stage.recorded(begun)).toBeNull();
  });

  it('reports no error to the console', () => {
    expect(stage.errors).toEqual([]);
  });
});
