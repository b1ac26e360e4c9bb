/**
 * The way of the keyboard through a view: where the focus goes when what had it goes, where Escape
 * leads, and one stop of the Tab key for a column of buttons.
 */
import { setAttributes } from '../elements';
import { keepKeys } from '../ownKeys';

/** Rows that Page Up and Page Down pass over. */
const PAGE = 10;

/**
 * Draws, and gives the focus to `otherwise` where it stood on what is now gone or hidden: a page
 * would give it to nobody, and the next Tab would begin at its top.
 */
export function keepingFocus(
  view: HTMLElement,
  draw: () => void,
  otherwise: () => HTMLElement
): void {
  const before = view.ownerDocument.activeElement;
  const inside = before !== null && before !== view && view.contains(before);
  draw();
  if (!inside) {
    return;
  }
  const gone = !view.contains(before) || before.closest('[hidden]') !== null;
  const { activeElement, body } = view.ownerDocument;
  // Where drawing gave the focus to another element, that one has it.
  if (gone && (activeElement === before || activeElement === body)) {
    otherwise().focus({ preventScroll: true });
  }
}

/** Leaves plain keys to whatever in the view gets the focus; also to what only a browser lets have it. */
export function keepKeysWithin(view: HTMLElement): void {
  view.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement) {
      keepKeys(target);
    }
  });
}

/** Has Escape lead out: of a transcript to the button that opened it, of a panel to its tab. */
export function leaveByEscape(view: HTMLElement): void {
  view.addEventListener('keydown', event => {
    const { defaultPrevented, key, target } = event;
    if (
      key !== 'Escape' ||
      defaultPrevented ||
      !(target instanceof Element) ||
      // Closes its list of choices by Escape.
      target instanceof HTMLSelectElement
    ) {
      return;
    }
    const detail = target.closest('.jp-TirSamples-detail');
    const panel = target.closest('[role="tabpanel"]');
    const outer = controllerOf(detail, view) ?? controllerOf(panel, view);
    if (outer !== null) {
      event.preventDefault();
      event.stopPropagation();
      outer.focus();
    }
  });
}

/**
 * Makes buttons one stop of the Tab key: arrow keys, Page Up, Page Down, Home and End go along them.
 *
 * `selector` finds them in `root`, in order; each is made with `tabindex` -1.
 */
export function rove(root: HTMLElement, selector: string): void {
  root.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target.matches(selector)) {
      for (const each of root.querySelectorAll(`${selector}[tabindex="0"]`)) {
        setAttributes(each, { tabindex: -1 });
      }
      setAttributes(target, { tabindex: 0 });
    }
  });
  root.addEventListener('keydown', event => {
    const { key, target } = event;
    if (!(target instanceof HTMLElement) || !target.matches(selector)) {
      return;
    }
    const all = [...root.querySelectorAll<HTMLElement>(selector)];
    const at = all.indexOf(target);
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + PAGE,
      PageUp: at - PAGE,
      Home: 0,
      End: all.length - 1
    }[key];
    if (to !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      all[Math.min(Math.max(to, 0), all.length - 1)].focus();
    }
  });
}

function controllerOf(
  part: Element | null,
  view: HTMLElement
): HTMLElement | null {
  return part === null || part.id === ''
    ? null
    : view.querySelector<HTMLElement>(`[aria-controls="${part.id}"]`);
}
