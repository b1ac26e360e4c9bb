/**
 * Whether this JupyterLab is new enough for the extension, in words.
 *
 * Pure: the application's name and version are passed in. What it cannot read it says nothing
 * about.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

/** The oldest JupyterLab that the extension is made for: major and minor. */
export const LEAST_LAB: readonly [number, number] = [4, 0];

/**
 * What is wrong with the version of the application, in a sentence; empty where nothing is.
 *
 * @param name The application's name: others than JupyterLab, such as Notebook and JupyterLite,
 * count their versions in their own ways.
 * @param version Its version, for example `3.6.8`, `4.7.0a1`, `unknown`.
 */
export function labVersionFault(
  name: string,
  version: string,
  trans: TranslationBundle
): string {
  const found = /^(\d+)\.(\d+)/.exec(version);
  if (name !== 'JupyterLab' || found === null) {
    return '';
  }
  const [major, minor] = [Number(found[1]), Number(found[2])];
  const [leastMajor, leastMinor] = LEAST_LAB;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) {
    return '';
  }
  return trans.__(
    "TIR's panel and result view need JupyterLab %1 or newer, and this is %2: update it with pip install -U jupyterlab; %3 works all the same.",
    LEAST_LAB.join('.'),
    version,
    // In the sentence itself JupyterLab's translator would read two percent signs as one.
    '%%tir'
  );
}
