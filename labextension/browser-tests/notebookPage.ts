/**
 * Notebooks for tests: written to a server's folder, opened in a page, their cells run.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Locator } from 'playwright-core';

import type { IJupyterServer } from './jupyterServer';
import type { ILabPage } from './labPage';
import { openLab } from './labPage';

/** Under this type an output holds a run. */
export const MIME = 'application/vnd.jupyterlab-tir.run+json';

/** An output as a notebook's file holds it. */
export interface IOutput {
  readonly output_type: string;
  readonly metadata?: object;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A code cell as a notebook's file holds it. */
export interface ICell {
  readonly id: string;
  readonly source: string | readonly string[];
  readonly outputs?: readonly IOutput[];
}

/** A code cell with its outputs; its id is made from its place. */
export interface ICellText {
  readonly source: string;
  readonly outputs?: readonly IOutput[];
}

const PYTHON = {
  kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
  language_info: { name: 'python' }
};

/** Writes a notebook; JupyterLab asks which kernel to start where it finds none for `metadata`. */
export async function writeNotebook(
  server: IJupyterServer,
  name: string,
  cells: readonly ICellText[],
  metadata: object = PYTHON
): Promise<void> {
  const notebook = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata,
    cells: cells.map(({ source, outputs = [] }, index) => ({
      cell_type: 'code',
      id: `cell-${index}`,
      metadata: {},
      execution_count: null,
      source,
      outputs
    }))
  };
  await writeFile(join(server.notebooks, name), JSON.stringify(notebook));
}

/** The cells of a notebook's file, as it is now. */
export async function savedCells(
  server: IJupyterServer,
  name: string
): Promise<readonly ICell[]> {
  const text = await readFile(join(server.notebooks, name), 'utf8');
  return (JSON.parse(text) as { cells: readonly ICell[] }).cells;
}

/** Opens a notebook alone and waits until its kernel is there; `limitMs` is `openLab`'s. */
export async function openNotebook(
  server: IJupyterServer,
  name: string,
  limitMs?: number
): Promise<NotebookPage> {
  const url = `${server.page(`lab/tree/${name}`)}&reset`;
  const lab = await openLab(url, limitMs);
  const page = new NotebookPage(lab);
  // The notebook's own indicator is idle before the kernel is there.
  await lab.page.getByText('| Idle').waitFor();
  return page;
}

/** An open notebook. */
export class NotebookPage {
  constructor(readonly lab: ILabPage) {}

  /** A code cell by its place. */
  cell(index: number): Locator {
    return this.lab.page.locator('.jp-Notebook .jp-CodeCell').nth(index);
  }

  /** The run in a cell's output. */
  run(index: number): Locator {
    return this.cell(index).locator('.jp-TirRun');
  }

  /** Starts cells one after the other, without waiting for them. */
  async start(...indices: readonly number[]): Promise<void> {
    for (const index of indices) {
      await this.cell(index).locator('.jp-InputPrompt').click();
      await this.lab.page.keyboard.press('Control+Enter');
    }
  }

  /** Waits until a cell has been run. */
  async ended(index: number, timeout?: number): Promise<void> {
    await this.cell(index)
      .locator('.jp-InputPrompt', { hasText: /\[\d+\]/ })
      .waitFor({ timeout });
  }

  /** Loads the page again and leaves what was not saved. */
  async reload(): Promise<void> {
    const { page } = this.lab;
    page.once('dialog', dialog => void dialog.accept());
    await page.reload();
    await this.cell(0).waitFor();
  }

  async save(): Promise<void> {
    await this.lab.page.keyboard.press('Control+S');
  }
}
