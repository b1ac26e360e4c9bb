import { describe, expect, it } from 'vitest';

import { element, visible } from '../src/elements';

describe('element', () => {
  it('never reads its text as HTML', () => {
    const made = element('p', '', '<img src=x onerror=alert(1)>');
    expect(made.children).toHaveLength(0);
    expect(made.textContent).toBe('<img src=x onerror=alert(1)>');
  });
});

describe('visible', () => {
  it('names what hides or reorders text', () => {
    expect(visible('a\u202eb')).toBe('a<U+202E>b');
    expect(visible('1\u001b[31m2')).toBe('1<U+001B>[31m2');
    expect(visible('2\u200b8')).toBe('2<U+200B>8');
    expect(visible('\ud800')).toBe('<U+D800>');
  });

  it('keeps line ends, tabs and letters of every script', () => {
    expect(visible('a\r\nb\tc')).toBe('a\nb\tc');
    expect(visible('שלום π ∞ 𝜋 é')).toBe('שלום π ∞ 𝜋 é');
  });
});
