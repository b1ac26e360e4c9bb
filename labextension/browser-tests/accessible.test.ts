import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { BATCH_SCHEMA } from '../src/view/wire';
import inProgress from '../tests/data/view/in_progress.json';
import stoppedEarly from '../tests/data/view/stopped_early.json';
import { bringAuditor, violations } from './auditing';
import { spokenIn } from './hearing';
import { launch } from './labPage';
import type { ThemeName } from './themes';
import { THEMES, readThemes } from './themes';
import type { ITheme } from './viewPage';
import { ViewPage, buildViews } from './viewPage';
import type { IViewState } from './viewStates';
import { STATES, STRAINED } from './viewStates';
import { tabStops, tooWide } from './walking';

const [LIGHT] = THEMES;

/** Tenfold what all audits take. */
const AUDIT_MS = 180_000;

/** The widths of cells, in pixels: those of phones, of a split, of a wide screen. */
const WIDTHS = [320, 420, 560, 2200];

/** What a next batch says when nothing else changed. */
function batchAt(number: number, changes: object = {}): object {
  return {
    schema: BATCH_SCHEMA,
    runId: inProgress.head.runId,
    number,
    seconds: inProgress.seconds + number,
    tokens: inProgress.tokens + number,
    planned: inProgress.planned,
    ...changes
  };
}

function stateOf(name: string): IViewState {
  const found = STATES.find(state => state.name === name);
  if (found === undefined) {
    throw new Error(`there is no state ${name}`);
  }
  return found;
}

describe('the view of a run', () => {
  let browser: Browser;
  let built: Awaited<ReturnType<typeof buildViews>>;
  let themes: Record<ThemeName, ITheme>;
  let view: ViewPage;

  beforeAll(async () => {
    [browser, built, themes] = await Promise.all([
      launch(),
      buildViews(),
      readThemes()
    ]);
    view = await ViewPage.open(browser, built, themes[LIGHT]);
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await view.page.screenshot({
        path: 'build/screenshots/failed-accessible.png'
      });
    }
  });

  afterAll(async () => {
    await browser.close();
  });

  it(
    'violates no rule of WCAG 2.1 A and AA in any state and theme',
    async () => {
      const audited = async (name: ThemeName): Promise<string[]> => {
        const themed = await ViewPage.open(browser, built, themes[name]);
        await bringAuditor(themed.page);
        const found: string[] = [];
        const audit = async (what: string): Promise<void> => {
          const said = await violations(themed.page, 'main', name !== LIGHT);
          found.push(...said.map(each => `${name}, ${what}: ${each}`));
        };
        for (const state of STATES) {
          await themed.show(state);
          await audit(state.name);
        }
        await themed.showPanel();
        await audit('panel');
        await themed.page.close();
        return found;
      };
      expect((await Promise.all(THEMES.map(audited))).flat()).toEqual([]);
    },
    AUDIT_MS
  );

  it('is no wider than its cell, but for what scrolls and says so', async () => {
    const found: string[] = [];
    await view.page.setViewportSize({ width: 2300, height: 900 });
    const states = ['disagrees', 'samples', 'trace', 'what-if'].map(stateOf);
    for (const state of [...states, ...STRAINED]) {
      await view.show(state);
      for (const width of WIDTHS) {
        const said = await tooWide(view.page, width);
        found.push(...said.map(each => `${state.name}, ${each}`));
      }
      await view.setWidth(900);
    }
    expect(found).toEqual([]);
  });

  it('is walked through by Tab, in the order of reading, with the focus in sight', async () => {
    await view.show(stateOf('running-samples'));
    expect(await tabStops(view.page)).toEqual([
      'Stop',
      'Samples (7)',
      'region Transcript of sample 1',
      'Copy',
      'Insert as cell',
      'Copy',
      'Copy',
      'Copy',
      // The one that was used last stands for all that open a transcript.
      'Transcript of sample 4',
      'region Transcript of sample 4',
      'Copy',
      'Server, settings and origin'
    ]);
    await view.show(stateOf('what-if'));
    const stops = await tabStops(view.page);
    expect(stops.slice(0, 5)).toEqual([
      'What if',
      // It does nothing yet, and keeps its place.
      'Back to as run',
      'Stop rule',
      'Share τ',
      'Share τ'
    ]);
    expect(stops.at(-1)).toBe('Server, settings and origin');
    await view.show(stateOf('trace'));
    expect(await tabStops(view.page)).toEqual([
      'Trace',
      'grid Trace',
      'Server, settings and origin'
    ]);
  });

  it('is one stop of Tab for all samples, along which the arrow keys go', async () => {
    const { page } = view;
    await view.show({ ...stateOf('samples'), open: [3] });
    const focused = (): Promise<string | null> =>
      page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? null
      );
    await page.getByRole('tab', { name: /^Samples/ }).focus();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Transcript of sample 3');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Transcript of sample 4');
    await page.keyboard.press('End');
    expect(await focused()).toBe('Transcript of sample 7');
    await page.keyboard.press('Home');
    expect(await focused()).toBe('Transcript of sample 1');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('Transcript of sample 1');
    await page.keyboard.press('Enter');
    const region = page.getByRole('region', { name: 'Transcript of sample 1' });
    await region.focus();
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('Transcript of sample 1');
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
      'Samples (7)'
    );
  });

  it('keeps the focus while samples move on, end, and the run ends', async () => {
    const { page } = view;
    await view.show(stateOf('running-samples'));
    const opener = page.getByRole('button', {
      name: 'Transcript of sample 4',
      exact: true
    });
    const has = (): Promise<boolean> =>
      opener.evaluate(node => node === document.activeElement);
    await opener.focus();
    const { samples } = inProgress;
    const [done] = stoppedEarly.samples;
    await view.apply(
      batchAt(1, { samples: [{ ...samples[3], doing: 'verifying' }] })
    );
    await view.apply(
      batchAt(2, {
        samples: [
          { ...done, sample: 3 },
          { ...samples[4], sample: 7 }
        ]
      })
    );
    await page.getByText('Samples (8)').waitFor();
    expect(await has()).toBe(true);

    // What had the focus goes with the end of the run.
    await page.getByRole('button', { name: 'Stop' }).focus();
    await view.apply(batchAt(3, { end: stoppedEarly.end }));
    await page
      .getByRole('button', { name: 'Stop' })
      .waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => document.activeElement?.className)).toBe(
      'jp-TirRun-problem'
    );
  });

  it('is listened to in few whole sentences, the end once', async () => {
    const page = await ViewPage.open(browser, built, themes[LIGHT], {}, true);
    const spoken = await spokenIn(page, async () => {
      await page.show(stateOf('running'));
      const { tally } = inProgress;
      const [first, ...others] = tally.candidates;
      let number = 0;
      for (; number < 90; number++) {
        const share = 0.5 + number / 200;
        await page.apply(
          batchAt(number + 1, {
            tally: {
              ...tally,
              finished: 3 + Math.floor(number / 20),
              candidates: [{ ...first, share }, ...others]
            }
          })
        );
        await page.page.clock.runFor(1000);
      }
      const { end } = stoppedEarly;
      await page.apply(batchAt(number + 1, { end }));
      await page.page.clock.runFor(10_000);
      await page.apply(batchAt(number + 2));
      await page.page.clock.runFor(60_000);
    });
    const texts = spoken.map(({ text }) => text);
    expect(texts.slice(-1)).toEqual(['The run is over. Answer: 2870']);
    expect(texts.filter(text => text.includes('is over')).length).toBe(1);
    for (const text of texts.slice(0, -1)) {
      expect(text).toMatch(
        /^\d of 8 samples have finished; 2870 leads with \d+% of the weight\.$/
      );
    }
    // After 0, 5, 12.5, 23.75 and 40.6 seconds, then 25 and 30 seconds apart, and at the end.
    expect(texts.length).toBeLessThanOrEqual(8);
    expect(texts.length).toBeGreaterThanOrEqual(5);
    const gaps = spoken.slice(1).map(({ atMs }, at) => atMs - spoken[at].atMs);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1900);
    await page.page.close();
  });

  it.each([
    ['no-preference', true],
    ['reduce', false]
  ] as const)(
    'with motion of %s moves its bars: %s',
    async (reducedMotion, moves) => {
      const page = await ViewPage.open(browser, built, themes[LIGHT], {
        reducedMotion
      });
      const moving: number[] = [];
      for (const state of ['what-if', 'disagrees', 'running-samples']) {
        await page.show(stateOf(state));
        moving.push(
          await page.page.locator('main').evaluate(main => {
            const styles = [...main.querySelectorAll('*')].flatMap(each =>
              ['', '::before', '::after'].map(part =>
                getComputedStyle(each, part === '' ? undefined : part)
              )
            );
            return styles.filter(
              ({ transitionDuration, animationName }) =>
                transitionDuration !== '0s' || animationName !== 'none'
            ).length;
          })
        );
      }
      expect(moving.some(count => count > 0)).toBe(moves);
      await page.page.close();
    }
  );
});
