/**
 * What can be found out about a view by walking through its page: stops of the Tab key, widths.
 */
import type { Page } from 'playwright-core';

/** More than any view has that is walked through. */
const MOST_STOPS = 60;

/**
 * The names of what Tab comes to in `main`, in order; an error where the focus cannot be seen there.
 */
export async function tabStops(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    const start = document.createElement('button');
    document.body.prepend(start);
    start.focus();
    start.remove();
  });
  const stops: string[] = [];
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => {
      const node = document.activeElement;
      if (!(node instanceof HTMLElement) || node.closest('main') === null) {
        return null;
      }
      const { outlineStyle, outlineWidth } = getComputedStyle(node);
      const { height, width } = node.getBoundingClientRect();
      const role = node.getAttribute('role');
      const labels = (node as HTMLInputElement).labels ?? [];
      const label =
        node.getAttribute('aria-label') ??
        [...labels].at(0)?.textContent ??
        node.textContent;
      const seen =
        outlineStyle !== 'none' &&
        parseFloat(outlineWidth) >= 1 &&
        width * height > 0;
      const named =
        role === null || role === 'tab' ? label : `${role} ${label}`;
      return seen ? named : `not seen: ${named}`;
    });
    if (name === null) {
      return stops;
    }
    stops.push(name);
  }
  throw new Error(`the walk has no end: ${stops.join(', ')}`);
}

/**
 * What reaches over the sides of `main` when it is so wide, or scrolls sideways where no edge shows
 * that it does.
 */
export async function tooWide(page: Page, widthPx: number): Promise<string[]> {
  return page.evaluate(width => {
    const main = document.querySelector('main');
    if (main === null) {
      return ['there is no main'];
    }
    main.style.width = `${width}px`;
    const { left, right } = main.getBoundingClientRect();
    const marked = '.jp-TirSamples-scroller, .jp-TirTrace-grid';
    // Of many rows that are alike the first few stand for all.
    const nodes = main.querySelectorAll(
      '*:not(.jp-TirSamples-row:nth-child(n + 8) *)'
    );
    const overflow = (node: Element): string =>
      getComputedStyle(node).overflowX;
    const found: string[] = [];
    for (const node of nodes) {
      const name = node.getAttribute('class') ?? node.tagName;
      const box = node.getBoundingClientRect();
      if (box.width > 0 && (box.right > right + 0.5 || box.left < left - 0.5)) {
        // What is clipped, or stands in a scroller, is measured by that.
        let clips: HTMLElement = node.parentElement ?? main;
        while (clips !== main && overflow(clips) === 'visible') {
          clips = clips.parentElement ?? main;
        }
        if (clips === main) {
          found.push(`${width}: ${name}`);
        }
      }
      if (
        node.scrollWidth > node.clientWidth + 1 &&
        ['auto', 'scroll'].includes(overflow(node)) &&
        !node.matches(marked)
      ) {
        found.push(`${width} scrolls: ${name}`);
      }
    }
    return found;
  }, widthPx);
}
