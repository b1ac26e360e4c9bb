/**
 * Waiting for what changes by itself in a live view.
 */
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/** How long what a page does may take, for polling. */
export const LONG = { timeout: 30_000, interval: 300 };

/** The tokens that a live view has counted. */
export async function tokensOf(run: Locator): Promise<number> {
  const words = await run.getByText(/^[\d,]+ tokens$/).textContent();
  return Number(words?.replaceAll(/\D/g, ''));
}

/** Waits until a number has become greater. */
export async function grows(number: () => Promise<number>): Promise<void> {
  const before = await number();
  await expect.poll(number, LONG).toBeGreaterThan(before);
}
