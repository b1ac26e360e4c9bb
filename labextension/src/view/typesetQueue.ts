/**
 * Formulas that wait to be typeset by the page: what a reader sees, a few at a time.
 *
 * Typesetting a formula takes milliseconds and lays the page out. So it is done for what has come
 * into sight, in slices of idle time, one formula after the other; what was there before stays until
 * the formula is ready, and for good where the typesetter makes nothing of it.
 */
import { element } from '../elements';

/** Typesets what stands in an element. */
export type Typeset = (node: HTMLElement) => void | Promise<void>;

/** An element whose text stands for a formula; `source` is what the typesetter is given. */
export interface ISlot {
  readonly node: HTMLElement;
  readonly source: string;
}

/** What MathJax and KaTeX make of a formula in which they find a fault. */
const FAULT = 'mjx-merror, .katex-error';

/** Milliseconds of work at a time; one formula is finished in any case. */
const SLICE_MS = 8;

/** The formulas of one view. */
export class TypesetQueue {
  constructor(private readonly _typeset: Typeset) {
    if (typeof IntersectionObserver !== 'undefined') {
      this._observer = new IntersectionObserver(
        entries => this._seen(entries),
        { rootMargin: '50%' }
      );
    }
  }

  /** Has the formulas in an element typeset when that comes into sight; they replace its others. */
  add(place: HTMLElement, slots: readonly ISlot[]): void {
    this._waiting.delete(place);
    if (slots.length === 0 || this._disposed) {
      return;
    }
    this._waiting.set(place, slots);
    if (this._observer === undefined) {
      this._ready(place);
    } else {
      // Once more for one that is watched already: it tells where it is.
      this._observer.unobserve(place);
      this._observer.observe(place);
    }
  }

  dispose(): void {
    this._disposed = true;
    this._observer?.disconnect();
    this._waiting.clear();
    this._places.clear();
  }

  private _seen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) {
        this._ready(target as HTMLElement);
      }
    }
  }

  private _ready(place: HTMLElement): void {
    this._observer?.unobserve(place);
    this._places.add(place);
    this._schedule();
  }

  private _schedule(): void {
    if (!this._busy && this._places.size > 0) {
      this._busy = true;
      whenIdle(() => void this._work());
    }
  }

  private async _work(): Promise<void> {
    const until = performance.now() + SLICE_MS;
    for (const place of this._places) {
      if (isHidden(place)) {
        // A typesetter measures letters, which what is hidden again does not have.
        this._places.delete(place);
        this._observer?.observe(place);
        continue;
      }
      const slots = this._waiting.get(place);
      if (slots === undefined) {
        this._places.delete(place);
        continue;
      }
      const [slot, ...others] = slots;
      if (others.length === 0) {
        this._waiting.delete(place);
        this._places.delete(place);
      } else {
        this._waiting.set(place, others);
      }
      if (slot.node.isConnected) {
        await this._draw(slot);
      }
      if (performance.now() > until) {
        break;
      }
    }
    this._busy = false;
    this._schedule();
  }

  private async _draw({ node, source }: ISlot): Promise<void> {
    const drawn = element('span', 'jp-TirFormula jp-mod-pending', source);
    node.append(drawn);
    try {
      await this._typeset(drawn);
    } catch {
      // It has failed at this formula, which is then read as it stands there.
      drawn.remove();
      return;
    }
    const made =
      (drawn.childElementCount > 0 || drawn.textContent !== source) &&
      drawn.querySelector(FAULT) === null;
    if (made && drawn.parentNode === node) {
      drawn.classList.remove('jp-mod-pending');
      node.replaceChildren(drawn);
    } else {
      drawn.remove();
    }
  }

  private _busy = false;
  private _disposed = false;
  private readonly _observer: IntersectionObserver | undefined;
  /** Elements in sight that have formulas left. */
  private readonly _places = new Set<HTMLElement>();
  private readonly _waiting = new Map<HTMLElement, readonly ISlot[]>();
}

function isHidden(node: Element): boolean {
  // Not there in older browsers, whatever the types say.
  const asked = node as Partial<Pick<Element, 'checkVisibility'>>;
  return asked.checkVisibility?.() === false;
}

function whenIdle(work: () => void): void {
  // Safari has no idle time.
  if (typeof requestIdleCallback === 'undefined') {
    setTimeout(work, 16);
  } else {
    requestIdleCallback(work, { timeout: 500 });
  }
}
