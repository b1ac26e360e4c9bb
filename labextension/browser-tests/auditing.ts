/**
 * axe's audit of a part of a page, held to WCAG 2.1 A and AA.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import type { Page } from 'playwright-core';

interface IAxe {
  run(
    within: object,
    options: object
  ): Promise<{
    violations: {
      id: string;
      nodes: { html: string; failureSummary?: string }[];
    }[];
  }>;
}

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

/** Puts axe into a page. */
export async function bringAuditor(page: Page): Promise<void> {
  const file = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  await page.evaluate(await readFile(file, 'utf8'));
}

/**
 * What violates the rules in the elements that a selector names, a line each; `colours` looks at
 * contrast only, which is all that a theme changes.
 */
export async function violations(
  page: Page,
  selector: string,
  colours = false
): Promise<string[]> {
  const runOnly = colours
    ? { type: 'rule', values: ['color-contrast'] }
    : { type: 'tag', values: TAGS };
  return page.evaluate(
    async ([within, options]) => {
      const { axe } = globalThis as unknown as { axe: IAxe };
      const { violations } = await axe.run({ include: [[within]] }, options);
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(
          ({ failureSummary = '', html }) => `${id}: ${html} ${failureSummary}`
        )
      );
    },
    [selector, { runOnly, resultTypes: ['violations'] }] as const
  );
}
