/**
 * What of a view stands where a reader can see it.
 *
 * What is out of sight need not follow every change: a page lays out and paints what is written,
 * seen or not.
 */

/** Elements, and which of them are in sight. */
export class Sight {
  /** `changed` is called when something comes into sight. */
  constructor(changed: () => void) {
    if (typeof IntersectionObserver !== 'undefined') {
      this._observer = new IntersectionObserver(entries => {
        let came = false;
        for (const { target, isIntersecting } of entries) {
          came ||= isIntersecting && this._hidden.has(target);
          if (isIntersecting) {
            this._hidden.delete(target);
          } else {
            this._hidden.add(target);
          }
        }
        if (came) {
          changed();
        }
      });
    }
  }

  /** Tells of an element from now on. */
  watch(node: Element): void {
    this._observer?.observe(node);
  }

  /** Tells of an element no more; it counts as seen. */
  forget(node: Element): void {
    this._observer?.unobserve(node);
    this._hidden.delete(node);
  }

  /** Whether an element is in sight, as far as is known. */
  sees(node: Element): boolean {
    return !this._hidden.has(node);
  }

  dispose(): void {
    this._observer?.disconnect();
  }

  private readonly _hidden = new WeakSet<Element>();
  private readonly _observer: IntersectionObserver | undefined;
}
