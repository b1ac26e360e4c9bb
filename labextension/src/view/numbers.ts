/**
 * Numbers as a person reads them, in the page's language.
 */
const WHOLE = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const PERCENT = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 0
});
const FIXED = [0, 1, 2, 3].map(
  digits =>
    new Intl.NumberFormat(undefined, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits
    })
);

/** A count, such as 12,345. */
export function whole(value: number): string {
  return WHOLE.format(value);
}

/** A number with 0 to 3 decimals. */
export function fixed(value: number, digits: 0 | 1 | 2 | 3): string {
  return FIXED[digits].format(value);
}

/** A part of one, such as 75%. */
export function percent(part: number): string {
  return PERCENT.format(part);
}

/** Seconds: with a decimal while they are few, as minutes when they are many. */
export function duration(seconds: number): string {
  if (seconds < 10) {
    return `${fixed(seconds, 1)} s`;
  }
  if (seconds < 100) {
    return `${whole(seconds)} s`;
  }
  const all = Math.round(seconds);
  return `${whole(Math.floor(all / 60))} min ${String(all % 60).padStart(2, '0')} s`;
}

/** Milliseconds, as seconds from one on. */
export function milliseconds(ms: number): string {
  return ms < 1000 ? `${whole(ms)} ms` : duration(ms / 1000);
}
