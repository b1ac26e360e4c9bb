/**
 * Building page elements from text that nobody vouches for.
 *
 * Everything that a model, a server or a user wrote goes into the page through here: as text
 * nodes, with characters that hide or reorder what a person reads shown by name.
 */
import { keepKeys } from './ownKeys';

// The same characters as in the terminal, but spaces: a page wraps them as it must.
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu;
const TAKES_KEYS = new Set([
  'button',
  'input',
  'select',
  'summary',
  'textarea'
]);
const KEPT = new Set(['\n', '\t']);

/**
 * A text with what hides or reorders it shown by name.
 *
 * `visible('a\u202eb')` is `'a<U+202E>b'`.
 */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, found => {
    if (KEPT.has(found)) {
      return found;
    }
    const code = found.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** A new element with a class and, as visible text, its content; never read as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  content: string | readonly Node[] = []
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className !== '') {
    made.className = className;
  }
  if (typeof content === 'string') {
    made.textContent = visible(content);
  } else {
    made.append(...content);
  }
  return TAKES_KEYS.has(tag) ? keepKeys(made) : made;
}

/** Gives an element another text, as visible text; what it says already is not touched. */
export function setText(node: Element, text: string): void {
  const shown = visible(text);
  if (node.textContent !== shown) {
    node.textContent = shown;
  }
}

/** Sets attributes to visible text; what has its value already is not touched, null takes it away. */
export function setAttributes(
  node: Element,
  attributes: Readonly<Record<string, string | number | null>>
): void {
  for (const [name, value] of Object.entries(attributes)) {
    const shown = value === null ? null : visible(String(value));
    if (shown === null) {
      node.removeAttribute(name);
    } else if (node.getAttribute(name) !== shown) {
      node.setAttribute(name, shown);
    }
  }
}

/** A new element of a drawing; its text, too, is never read as markup. */
export function drawing<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | number>>,
  content: string | readonly Node[] = []
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(made, attributes);
  if (typeof content === 'string') {
    made.textContent = visible(content);
  } else {
    made.append(...content);
  }
  return made;
}

/** A new button that submits nothing. */
export function button(
  className: string,
  words: string,
  pressed: () => void
): HTMLButtonElement {
  const made = element('button', className, words);
  made.type = 'button';
  made.addEventListener('click', pressed);
  return made;
}
