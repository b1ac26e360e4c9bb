import { afterEach, describe, expect, it } from 'vitest';

import { element } from '../src/elements';
import { keepKeys } from '../src/ownKeys';

/** Whether a shortcut of the page would see a key that is pressed in `node`. */
function seen(
  node: Element,
  key: string,
  keys: KeyboardEventInit = {}
): boolean {
  let passedOver = false;
  const shortcuts = (): void => {
    passedOver = node.closest('[data-lm-suppress-shortcuts]') !== null;
  };
  document.addEventListener('keydown', shortcuts, true);
  node.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, ...keys })
  );
  document.removeEventListener('keydown', shortcuts, true);
  return !passedOver;
}

describe('an element with keys of its own', () => {
  afterEach(() => {
    document.body.replaceChildren();
  });

  const inner = (): HTMLElement => {
    const node = keepKeys(element('button', '', 'x'));
    document.body.append(keepKeys(element('div', '', [node])));
    return node;
  };

  it('keeps plain keys from the shortcuts of the page', () => {
    expect(seen(inner(), 'd')).toBe(false);
    expect(seen(inner(), 'Enter', { shiftKey: true })).toBe(false);
  });

  it.each(['ctrlKey', 'metaKey', 'altKey'])(
    'leaves keys with %s to the page',
    modifier => {
      const node = inner();
      expect(seen(node, 's', { [modifier]: true })).toBe(true);
      expect(seen(node, 'd')).toBe(false);
    }
  );

  it('says nothing of keys that are pressed elsewhere', () => {
    inner();
    const other = element('p', '', 'y');
    document.body.append(other);
    expect(seen(other, 'd')).toBe(true);
  });
});
