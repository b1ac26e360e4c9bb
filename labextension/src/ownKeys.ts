/**
 * Keys that are pressed in an element and belong to it, in a page whose shortcuts would take them.
 *
 * JupyterLab's shortcuts act on whatever has the focus in a notebook: without this an arrow key in a
 * table moves the notebook's cursor, and D D on a button deletes the cell. Keys with Ctrl, Alt or
 * Meta stay the page's, so that Ctrl+S saves wherever the focus is.
 */

/** Lumino passes over keys that are pressed in an element with this attribute. */
const SUPPRESSING = 'data-lm-suppress-shortcuts';

const OWNERS = new WeakSet<Element>();

let listening = false;

/**
 * Leaves plain keys to an element that can have the focus.
 *
 * It must be that element itself: Lumino looks at the focused one first, and a shortcut of the
 * notebook's matches there before any element around it is looked at.
 */
export function keepKeys<T extends Element>(node: T): T {
  OWNERS.add(node);
  node.setAttribute(SUPPRESSING, 'true');
  if (!listening) {
    listening = true;
    // Lumino listens to the document, so the window hears of a key first.
    window.addEventListener('keydown', decide, true);
  }
  return node;
}

function decide(event: KeyboardEvent): void {
  const plain = !(event.ctrlKey || event.metaKey || event.altKey);
  const { target } = event;
  let node = target instanceof Element ? target : null;
  for (; node !== null; node = node.parentElement) {
    if (OWNERS.has(node)) {
      node.toggleAttribute(SUPPRESSING, plain);
    }
  }
}
