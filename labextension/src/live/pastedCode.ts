/**
 * Code that a model wrote, made ready for an editor in which a person reads it before running it.
 */

// Format characters reorder or hide what is read; line ends that Python does not know do so too.
const HIDDEN =
  /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|(?![\t\n])\p{Cc}/gu;

/**
 * The code with characters that hide or reorder text written as Python's escapes.
 *
 * In a string literal they mean the same; elsewhere Python refuses them either way, or it is a
 * comment. `withoutHidden("'a\u202eb'")` is `"'a\\u202eb'"`.
 */
export function withoutHidden(code: string): string {
  return code.replaceAll('\r\n', '\n').replace(HIDDEN, found => {
    const number = found.codePointAt(0) ?? 0;
    const hex = number.toString(16);
    return number > 0xffff
      ? `\\U${hex.padStart(8, '0')}`
      : `\\u${hex.padStart(4, '0')}`;
  });
}
