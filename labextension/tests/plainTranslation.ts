/**
 * English as written, for tests: fills in `%1`, `%2`, … and chooses the plural.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

function filled(words: string, values: readonly unknown[]): string {
  return words.replace(/%(\d)/g, (_, place) =>
    String(values[Number(place) - 1])
  );
}

export const plainTranslation: TranslationBundle = {
  __: (words, ...values) => filled(words, values),
  _n: (one, many, count, ...values) =>
    filled(count === 1 ? one : many, [count, ...(values as unknown[])]),
  _p: (_context, words, ...values) => filled(words, values),
  _np: (_context, one, many, count, ...values) =>
    filled(count === 1 ? one : many, [count, ...(values as unknown[])]),
  gettext: (words, ...values) => filled(words, values),
  ngettext: (one, many, count, ...values) =>
    filled(count === 1 ? one : many, [count, ...(values as unknown[])]),
  pgettext: (_context, words, ...values) => filled(words, values),
  npgettext: (_context, one, many, count, ...values) =>
    filled(count === 1 ? one : many, [count, ...(values as unknown[])]),
  dcnpgettext: (_domain, _context, one, many, count, ...values) =>
    filled(count === 1 ? one : many, [count, ...(values as unknown[])])
};
