import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { launch } from './labPage';
import { THEMES, readThemes } from './themes';
import { ViewPage, buildViews } from './viewPage';

const [LIGHT] = THEMES;

const TEXTS: Readonly<Record<string, string>> = {
  words: 'Thus the sum of all n is a bit less than one half of it. '.repeat(60),
  'a word without end': 'x'.repeat(3_000),
  'short lines': 'a = 1\n\n  b = 2,\tc\n'.repeat(200),
  'empty lines': `${'a line\n\n\n'.repeat(400)}${'\n'.repeat(700)}the end`,
  'line ends of Windows': 'a line\r\n\r\nand another\r\n'.repeat(150),
  'a paragraph after lines': `${'One line.\n'.repeat(30)}${'and more '.repeat(300)}`,
  'signs of many kinds':
    'Für 𝜋 ≤ 3,2 gilt (é) 数学の証明は 🙂 楽しい, daß '.repeat(60)
};

describe('a text that grows', () => {
  let browser: Browser;
  let view: ViewPage;

  beforeAll(async () => {
    const [started, built, themes] = await Promise.all([
      launch(),
      buildViews(),
      readThemes()
    ]);
    browser = started;
    view = await ViewPage.open(browser, built, themes[LIGHT]);
  });

  afterAll(async () => {
    await browser.close();
  });

  it.each(
    Object.keys(TEXTS).flatMap(name =>
      [320, 743].map(width => [name, width] as const)
    )
  )('of %s, %i pixels wide, looks as in one piece', async (name, width) => {
    await view.setWidth(width);
    const grown = await view.grow(TEXTS[name], 17);
    expect(grown.moved).toBe(0);
    expect(grown.parts).toBeGreaterThan(2);
    expect(grown.blocks).toBeLessThanOrEqual(grown.parts);
  });
});
