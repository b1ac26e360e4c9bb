/**
 * What a screen reader would be given to say: every change of a live region, with its time.
 */
import type { ViewPage } from './viewPage';

/** A text that came to stand in a live region, in milliseconds of the page's clock. */
export interface ISpoken {
  readonly atMs: number;
  readonly text: string;
}

/** Collects what live regions say while something is done. */
export async function spokenIn(
  view: ViewPage,
  done: () => Promise<void>
): Promise<ISpoken[]> {
  await view.page.evaluate(() => {
    const regions =
      '[aria-live]:not([aria-live="off"]), [role="status"], [role="alert"], [role="log"], output';
    const heard: { atMs: number; text: string }[] = [];
    const last = new WeakMap<Element, string>();
    new MutationObserver(records => {
      for (const { target } of records) {
        const within =
          target instanceof Element ? target : target.parentElement;
        const region = within?.closest(regions);
        const text = region?.textContent ?? '';
        if (region && text !== '' && last.get(region) !== text) {
          last.set(region, text);
          heard.push({ atMs: performance.now(), text });
        }
      }
    }).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
      attributeFilter: ['hidden']
    });
    Object.assign(globalThis, { tirHeard: heard });
  });
  await done();
  return view.page.evaluate(
    () => (globalThis as unknown as { tirHeard: ISpoken[] }).tirHeard
  );
}
