/**
 * A browser with one page of JupyterLab, and what went wrong in it.
 *
 * Drives the system's Chromium; none is downloaded.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

import { ROOT } from './jupyterServer';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
];

const SCREENSHOTS = join(ROOT, 'build', 'screenshots');

/** An open page. */
export interface ILabPage {
  readonly page: Page;
  /** Errors that the page reported and that our code has a part in. */
  readonly errors: readonly string[];
  /** Keeps a picture in build/screenshots. */
  screenshot(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens `url` and waits until JupyterLab is there; `limitMs` is the longest wait for anything. */
export async function openLab(
  url: string,
  limitMs = 30_000
): Promise<ILabPage> {
  const browser = await launch();
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 }
  });
  context.setDefaultTimeout(limitMs);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', error => errors.push(error.stack ?? error.message));
  page.on('console', message => {
    const place = message.location().url;
    const ours =
      /tir/i.test(message.text()) || place.includes('jupyterlab-tir');
    if (message.type() === 'error' && ours) {
      errors.push(`${message.text()} (${place})`);
    }
  });
  await page.goto(url);
  await page
    .locator('#jp-main-dock-panel')
    .waitFor({ timeout: Math.max(60_000, limitMs) });
  return {
    page,
    errors,
    screenshot: async name => {
      await mkdir(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
    },
    close: () => browser.close()
  };
}

/** The system's Chromium, without a window. */
export async function launch(): Promise<Browser> {
  const executablePath = process.env.TIR_TEST_CHROMIUM ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: FLAGS, headless: true });
}
