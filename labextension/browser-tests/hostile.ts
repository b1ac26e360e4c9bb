/**
 * Texts that would do something if a page took them for more than text.
 */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** What they would do: set a mark in the page's window. */
const MARK = 'window.tirHostile=1';

/** HTML, links, TeX with a link, terminal sequences, characters that reorder. */
export const HOSTILE = [
  `<img src=x onerror="${MARK}">`,
  `<script>${MARK}</script>`,
  `<iframe srcdoc="<script>parent.tirHostile=1</script>"></iframe>`,
  `[here](javascript:${MARK})`,
  `<a href="javascript:${MARK}">here</a>`,
  `$\\href{javascript:${MARK}}{x}$`,
  '\u001b[31mred\u001b[0m \u001b]8;;javascript:1\u0007link\u001b]8;;\u0007',
  'a\u202eb\u2066c\u200bd'
].join(' ');

/** A line of a million characters. */
export const LONG_LINE = 'long'.repeat(250_000);

/** Checks that nothing of it ran, and that a view of it holds no element that it asked for. */
export async function expectHarmless(page: Page, view: Locator): Promise<void> {
  await expectSanitised(page, view);
  expect(await view.locator('img[src="x"], a').count()).toBe(0);
}

/** Checks the same where HTML is drawn: what cannot run may be there. */
export async function expectSanitised(
  page: Page,
  view: Locator
): Promise<void> {
  expect(await page.evaluate(() => 'tirHostile' in window)).toBe(false);
  const runs = 'script, iframe, a[href^="javascript" i], [onerror]';
  expect(await view.locator(runs).count()).toBe(0);
}
