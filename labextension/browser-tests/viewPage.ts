/**
 * Views of runs in a page without JupyterLab: a theme of JupyterLab's, our style sheets, one view.
 */
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

import type { IGrown, IViewsInPage } from './viewInPage';
import type { IViewState } from './viewStates';

/** A theme: whether it is light, and its style sheet. */
export interface ITheme {
  readonly light: boolean;
  readonly css: string;
}

interface IBuilt {
  readonly script: string;
  readonly css: string;
}

/** What a page of views needs, bundled once. */
export async function buildViews(): Promise<IBuilt> {
  const bundled = async (entry: string): Promise<string> => {
    const { outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      format: 'iife',
      target: 'es2022',
      write: false
    });
    return outputFiles[0].text;
  };
  const [script, run, panel] = await Promise.all([
    bundled('labextension/browser-tests/viewInPage.ts'),
    bundled('labextension/style/run.css'),
    bundled('labextension/style/panel.css')
  ]);
  return { script, css: run + panel };
}

/** A page with one view at a time. */
export class ViewPage {
  private constructor(readonly page: Page) {}

  /** Opens a page; with `ownClock` its time stands still until the test lets it go on. */
  static async open(
    browser: Browser,
    built: IBuilt,
    theme: ITheme,
    options: BrowserContextOptions = {},
    ownClock = false
  ): Promise<ViewPage> {
    const page = await browser.newPage({
      viewport: { width: 1000, height: 900 },
      ...options
    });
    if (ownClock) {
      await page.clock.install();
    }
    await page.setContent(
      `<!doctype html><html lang="en"><head><title>A run</title></head>
       <body data-jp-theme-light="${String(theme.light)}"><main></main></body></html>`
    );
    for (const content of [theme.css, built.css, FRAME]) {
      await page.addStyleTag({ content });
    }
    await page.addScriptTag({ content: built.script });
    return new ViewPage(page);
  }

  /** Draws a state, with its tab chosen and its transcripts open. */
  async show(state: IViewState): Promise<void> {
    const { run, live = false, tab, open = [] } = state;
    await this.page.evaluate(
      ([each, goesOn]) => {
        const { tirViews } = globalThis as unknown as {
          tirViews: IViewsInPage;
        };
        tirViews.show(each, goesOn);
      },
      [run, live] as const
    );
    if (tab !== undefined) {
      await this.page.getByRole('tab', { name: tab }).click();
    }
    if (tab === 'Trace') {
      // A row that is chosen has colours of its own.
      await this.page.getByRole('grid').press('ArrowDown');
    }
    for (const sample of open) {
      const name = `Transcript of sample ${sample}`;
      await this.page.getByRole('button', { name, exact: true }).click();
    }
  }

  async apply(batch: object): Promise<void> {
    await this.page.evaluate(each => {
      const { tirViews } = globalThis as unknown as { tirViews: IViewsInPage };
      tirViews.apply(each);
    }, batch);
  }

  /** Draws a text that grows by so many characters at a time. */
  async grow(text: string, by: number): Promise<IGrown> {
    return this.page.evaluate(
      ([whole, step]) => {
        const { tirViews } = globalThis as unknown as {
          tirViews: IViewsInPage;
        };
        return tirViews.grow(whole, step);
      },
      [text, by] as const
    );
  }

  async showPanel(): Promise<void> {
    await this.page.evaluate(() => {
      const { tirViews } = globalThis as unknown as { tirViews: IViewsInPage };
      tirViews.showPanel();
    });
  }

  /** Makes the place of the view as wide as a cell. */
  async setWidth(px: number): Promise<void> {
    await this.page.locator('main').evaluate((main, width) => {
      main.style.width = `${width}px`;
    }, px);
  }
}

const FRAME = `
  body { background: var(--jp-layout-color0, Canvas); margin: 0; }
  main { box-sizing: border-box; padding: 5px; }
`;
