/**
 * One notebook in which runs are stopped in every way that there is, and what must be true then.
 */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

import type { NotebookPage } from './notebookPage';
import { MIME, openNotebook, savedCells, writeNotebook } from './notebookPage';
import { descendantsOf, forkedBelow, isAlive } from './processes';
import type { CellKind } from './stoppingCells';
import {
  ASKS_TO_STOP,
  LOADED,
  PLACES,
  SAMPLES,
  SOURCES
} from './stoppingCells';
import type { IServers, Version } from './stoppingServers';
import { IPYKERNELS } from './stoppingServers';
import { subshellsOfComm } from './subshells';

/** What ends a run: the last leaves its kernel usable, restart and shutdown do not. */
export type Way =
  | 'button'
  | '%tir stop'
  | '%tir stop in a subshell'
  | 'interrupt'
  | 'restart'
  | 'shutdown';

/** Ways after which the process that had the run is gone. */
export const ENDS_KERNEL: readonly Way[] = ['restart', 'shutdown'];

/** A second is the aim; the machine of a test has other work. */
export const STOPPED_MS = 10_000;

/** How long what comes before and after may take, for polling. */
export const PATIENT = { timeout: 120_000, interval: 50 };

/** The limits of a test and a hook, in which these waits are. */
export const LIMITS = { testTimeout: 300_000, hookTimeout: 300_000 };

/** A run that goes on, and what it has started. */
export interface IBegun {
  readonly view: Locator;
  readonly cell: number;
  /** The process of the kernel that has it. */
  readonly kernel: number;
  /** What else the kernel has started, such as the process that child kernels are forked from. */
  readonly processes: readonly number[];
  /** The file of its record. */
  readonly record: string;
}

/** One page with one notebook, whose kernel may be replaced. */
export class Stage {
  private constructor(
    private readonly _servers: IServers,
    private readonly _version: Version,
    /** The notebook's file. */
    readonly name: string,
    readonly notebook: NotebookPage
  ) {}

  static async open(
    servers: IServers,
    version: Version,
    subshells: 'on' | 'off',
    title = 'stopped'
  ): Promise<Stage> {
    const { jupyter } = servers;
    await jupyter.useSettings(
      '@jupyterlab/apputils-extension:kernels-settings',
      {
        commsOverSubshells: subshells === 'on' ? 'perCommTarget' : 'disabled'
      }
    );
    const name = `${title}-${IPYKERNELS[version].kernel}-${subshells}.ipynb`;
    await writeNotebook(
      jupyter,
      name,
      SOURCES.map(source => ({ source })),
      {
        kernelspec: {
          name: IPYKERNELS[version].kernel,
          display_name: IPYKERNELS[version].kernel,
          language: 'python'
        },
        language_info: { name: 'python' }
      }
    );
    const stage = new Stage(
      servers,
      version,
      name,
      await openNotebook(jupyter, name, PATIENT.timeout)
    );
    try {
      await stage.load();
      expect((await subshellsOfComm(stage.notebook.lab.page)) > 0).toBe(
        subshells === 'on'
      );
    } catch (reason) {
      await stage.notebook.lab.screenshot('failed-stopping');
      await stage.close();
      throw reason;
    }
    return stage;
  }

  /** Errors that the page reported, without anywidget's own limit of 2 s that a busy machine meets. */
  get errors(): readonly string[] {
    return this.notebook.lab.errors.filter(
      error => !error.includes('[anywidget] Failed to initialize model.')
    );
  }

  /** Loads the extension into a new kernel. */
  async load(): Promise<void> {
    await this.notebook.start(LOADED);
    await this.notebook.ended(LOADED, PATIENT.timeout);
    const printed = this.notebook.cell(LOADED).locator('.jp-OutputArea-output');
    // Above it stands what IPython says of an extension that is loaded already.
    const said = (await printed.innerText()).trim().split('\n').at(-1) ?? '';
    const [pid, version] = said.split(' ');
    expect(IPYKERNELS[this._version].is(version)).toBe(true);
    this._kernel = Number(pid);
  }

  /** Sees to it that there is a kernel with the extension, whatever the last run was ended by. */
  async renew(): Promise<void> {
    const ended = this._endedBy;
    this._endedBy = null;
    if (ended === 'shutdown') {
      await this.notebook.reload();
      await this.notebook.lab.page.getByText('| Idle').waitFor();
    }
    if (ended !== null) {
      await this.load();
    }
  }

  /** Begins a run and waits until each of its samples has a child kernel and writes. */
  async begin(kind: CellKind): Promise<IBegun> {
    const before = await this._records();
    const cell = PLACES[kind];
    await this.notebook.start(cell);
    const view = this.notebook.run(cell);
    await view.getByText(`0 of ${SAMPLES} finished`).waitFor();
    await expect
      .poll(() => this._servers.scripted.running(), PATIENT)
      .toBe(SAMPLES);
    const kernel = this._kernel;
    await expect
      .poll(async () => (await forkedBelow(kernel)).length, PATIENT)
      .toBeGreaterThanOrEqual(SAMPLES);
    const [record] = (await this._records()).filter(
      name => !before.includes(name)
    );
    return {
      view,
      cell,
      kernel,
      processes: await descendantsOf(kernel),
      record
    };
  }

  /** Stops a run; milliseconds until nobody writes and its child kernels are gone. */
  async stop(way: Way, begun: IBegun): Promise<number> {
    const press = await this._toPress(way, begun);
    this._endedBy = way === 'restart' || way === 'shutdown' ? way : null;
    return this.measure(begun, press);
  }

  /** Does something that ends a run; milliseconds as of `stop`. */
  async measure(begun: IBegun, end: () => Promise<void>): Promise<number> {
    // Those that wait for verification come later than the samples'.
    const children = await forkedBelow(begun.kernel);
    const began = performance.now();
    await end();
    await expect
      .poll(() => this._left(children), PATIENT)
      .toEqual({ requests: 0, processes: 0 });
    return performance.now() - began;
  }

  /** How a run's record says that it ended, or null where it does not. */
  async recorded(begun: IBegun): Promise<string | null> {
    const text = await readFile(
      join(this._servers.jupyter.records, begun.record),
      'utf8'
    );
    const events = text.split('\n').filter(line => line.endsWith('}'));
    const last = JSON.parse(events[events.length - 1]) as {
      readonly type: string;
      readonly status?: string;
    };
    return last.type === 'run-ended' ? (last.status ?? null) : null;
  }

  /** Whether the notebook's file shows a run. */
  async saves(begun: IBegun): Promise<boolean> {
    const cells = await savedCells(this._servers.jupyter, this.name);
    return (cells[begun.cell].outputs ?? []).some(
      ({ data }) => data?.[MIME] !== undefined
    );
  }

  /** Whether the kernel of a run, and all that it had started, is gone. */
  async isGone({ kernel, processes }: IBegun): Promise<boolean> {
    return (await this._left([kernel, ...processes])).processes === 0;
  }

  async close(): Promise<void> {
    await this.notebook.lab.close();
  }

  /** Prepares a way to stop; the last step of it. */
  private async _toPress(
    way: Way,
    { view }: IBegun
  ): Promise<() => Promise<void>> {
    const { page } = this.notebook.lab;
    switch (way) {
      case 'button':
        return () => view.getByRole('button', { name: 'Stop' }).click();
      case '%tir stop':
        return () => this.notebook.start(ASKS_TO_STOP);
      case '%tir stop in a subshell':
        await page.locator('.jp-CodeConsole-promptCell .cm-content').click();
        await page.keyboard.type('%tir stop');
        return () => page.keyboard.press('Shift+Enter');
      case 'interrupt':
        return () => this.kernelMenu('Interrupt Kernel');
      case 'restart':
        await this.kernelMenu('Restart Kernel…');
        return () =>
          page
            .locator('.jp-Dialog')
            .getByText('Restart', { exact: true })
            .click();
      case 'shutdown':
        return () => this.kernelMenu('Shut Down Kernel');
    }
  }

  /** Chooses from the menu of the kernel. */
  async kernelMenu(item: string): Promise<void> {
    const { page } = this.notebook.lab;
    await page
      .locator('.lm-MenuBar')
      .getByText('Kernel', { exact: true })
      .click();
    await page.locator('.lm-Menu').getByText(item, { exact: true }).click();
  }

  /**
   * Opens what a way to stop needs before the run: JupyterLab gives a console no subshell while the
   * kernel is too busy to say that it has them.
   */
  async prepare(way: Way): Promise<void> {
    if (way !== '%tir stop in a subshell') {
      return;
    }
    const { page } = this.notebook.lab;
    await this.notebook
      .cell(LOADED)
      .locator('.jp-InputPrompt')
      .click({ button: 'right' });
    await page
      .locator('.lm-Menu')
      .getByText('New Subshell Console for Notebook', { exact: true })
      .click();
    // Its banner: the kernel has answered it.
    await page
      .locator('.jp-CodeConsole-banner', { hasText: 'IPython' })
      .waitFor();
  }

  private async _left(
    processes: readonly number[]
  ): Promise<{ readonly requests: number; readonly processes: number }> {
    const alive = await Promise.all(processes.map(isAlive));
    return {
      requests: await this._servers.scripted.running(),
      processes: alive.filter(Boolean).length
    };
  }

  private async _records(): Promise<readonly string[]> {
    try {
      const names = await readdir(this._servers.jupyter.records);
      return names.filter(name => name.endsWith('.jsonl'));
    } catch (reason) {
      if ((reason as NodeJS.ErrnoException).code === 'ENOENT') {
        return [];
      }
      throw reason;
    }
  }

  private _endedBy: 'restart' | 'shutdown' | null = null;
  private _kernel = 0;
}

/** Asserts that nothing of a run looks as if it went on, in its view and in its cell. */
export async function expectStill(stage: Stage, begun: IBegun): Promise<void> {
  const { view, cell } = begun;
  await view.locator('.jp-TirProgress[data-state="over"]').waitFor();
  await view
    .getByRole('button', { name: /^Stop/ })
    .waitFor({ state: 'hidden' });
  const prompt = stage.notebook.cell(cell).locator('.jp-InputPrompt');
  await expect.poll(() => prompt.innerText(), PATIENT).toMatch(/\[(\d+| )\]/);
  expect(await stage.notebook.run(cell).count()).toBe(1);
  expect(await view.innerText()).toMatch(
    /Stopped by the user|The kernel was restarted|The kernel died|The kernel has ended|its kernel is not here/
  );
}
