import { beforeEach, describe, expect, it } from 'vitest';

import { element } from '../../src/elements';
import {
  keepKeysWithin,
  keepingFocus,
  leaveByEscape
} from '../../src/view/focus';

describe('the focus in a view', () => {
  const other = element('button', '', '1');
  const held = element('button', '', '2');
  const around = element('div', '', [held]);
  const view = element('div', '', [other, around]);

  beforeEach(() => {
    around.hidden = false;
    around.replaceChildren(held);
    document.body.replaceChildren(view);
    held.focus();
  });

  it.each([
    ['is taken away', () => held.remove()],
    ['is hidden with what is around it', () => (around.hidden = true)]
  ])('goes to another element where the one that had it %s', (_how, draw) => {
    keepingFocus(view, draw, () => other);
    expect(document.activeElement).toBe(other);
  });

  it('stays where what had it stays, and where drawing gave it away', () => {
    const third = element('button', '', '3');
    view.append(third);
    const nothing = (): void => undefined;
    keepingFocus(view, nothing, () => other);
    expect(document.activeElement).toBe(held);
    const give = (): void => {
      third.focus();
      held.remove();
    };
    keepingFocus(view, give, () => other);
    expect(document.activeElement).toBe(third);
  });

  it('is not drawn into the view from elsewhere', () => {
    const outside = element('button', '', '4');
    document.body.append(outside);
    outside.focus();
    keepingFocus(
      view,
      () => held.remove(),
      () => other
    );
    expect(document.activeElement).toBe(outside);
  });
});

describe('keys in a view', () => {
  it('belong to whatever in it has the focus, also to what is made to scroll', () => {
    const scroller = element('div', '');
    scroller.tabIndex = 0;
    const view = element('div', '', [scroller]);
    keepKeysWithin(view);
    document.body.replaceChildren(view);
    expect(scroller.hasAttribute('data-lm-suppress-shortcuts')).toBe(false);
    scroller.focus();
    expect(scroller.hasAttribute('data-lm-suppress-shortcuts')).toBe(true);
  });

  it('leave a list of choices its Escape, and lead out of a panel otherwise', () => {
    const tab = element('button', '', '1');
    tab.setAttribute('aria-controls', 'panel');
    const select = element('select', '');
    const input = element('input', '');
    const panel = element('div', '', [select, input]);
    panel.id = 'panel';
    panel.setAttribute('role', 'tabpanel');
    const view = element('div', '', [tab, panel]);
    leaveByEscape(view);
    document.body.replaceChildren(view);
    const escape = (from: HTMLElement): Element | null => {
      from.focus();
      from.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })
      );
      return document.activeElement;
    };
    expect(escape(select)).toBe(select);
    expect(escape(input)).toBe(tab);
  });
});
