/**
 * Building page elements from text that nobody vouches for.
 *
 * Everything that a model, a server or a user wrote goes into the page through here: as text
 * nodes, with characters that hide or reorder what a person reads shown by name.
 */

// The same characters as in the terminal, but spaces: a page wraps them as it must.
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu;
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
  return made;
}
