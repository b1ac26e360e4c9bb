/**
 * English as it is written, for pages that have no translator.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

type Values = readonly unknown[];

function filled(words: string, values: Values): string {
  return words.replace(/%(\d+)/g, (place, number) => {
    const value = values.at(Number(number) - 1);
    return typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : place;
  });
}

function counted(
  one: string,
  many: string,
  count: number,
  values: Values
): string {
  return filled(count === 1 ? one : many, [count, ...values]);
}

/** Fills in `%1`, `%2`, … and chooses the plural. */
export const plainTranslation: TranslationBundle = {
  __: (words, ...values) => filled(words, values),
  gettext: (words, ...values) => filled(words, values),
  _n: (one, many, count, ...values) => counted(one, many, count, values),
  ngettext: (one, many, count, ...values) => counted(one, many, count, values),
  _p: (_context, words, ...values) => filled(words, values),
  pgettext: (_context, words, ...values) => filled(words, values),
  _np: (_context, one, many, count, ...values) =>
    counted(one, many, count, values),
  npgettext: (_context, one, many, count, ...values) =>
    counted(one, many, count, values),
  dcnpgettext: (_domain, _context, one, many, count, ...values) =>
    counted(one, many, count, values)
};
