import { describe, expect, it } from 'vitest';

import { withoutHidden } from '../../src/live/pastedCode';

describe('code for a new cell', () => {
  it('is what the model wrote', () => {
    const code = 'def f(x):\n\treturn "ä∑😀"  # fine\n';
    expect(withoutHidden(code)).toBe(code);
  });

  it('has ends of lines as an editor has them', () => {
    expect(withoutHidden('a\r\nb\rc')).toBe('a\nb\\u000dc');
  });

  it('has no character that hides or reorders text', () => {
    expect(withoutHidden("'a\u202eb\u200bc\u2028d\u0000'")).toBe(
      "'a\\u202eb\\u200bc\\u2028d\\u0000'"
    );
    expect(withoutHidden('\u{e0041}')).toBe('\\U000e0041');
  });
});
