/**
 * The style sheets of JupyterLab's own themes, from the installation that the tests run.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from './jupyterServer';
import type { ITheme } from './viewPage';

/** As JupyterLab's menu names them. */
export const THEMES = [
  'JupyterLab Light',
  'JupyterLab Dark',
  'JupyterLab Dark High Contrast'
] as const;

export type ThemeName = (typeof THEMES)[number];

const FOLDERS: Readonly<Record<ThemeName, string>> = {
  'JupyterLab Light': 'theme-light-extension',
  'JupyterLab Dark': 'theme-dark-extension',
  'JupyterLab Dark High Contrast': 'theme-dark-high-contrast-extension'
};

/** Reads all of them. */
export async function readThemes(): Promise<Record<ThemeName, ITheme>> {
  const python =
    process.env.TIR_TEST_PYTHON ?? join(ROOT, '.venv', 'bin', 'python');
  const { stdout } = await promisify(execFile)(python, [
    '-c',
    'import sys; print(sys.prefix)'
  ]);
  const folder = join(
    stdout.trim(),
    'share',
    'jupyter',
    'lab',
    'themes',
    '@jupyterlab'
  );
  const read = await Promise.all(
    THEMES.map(async name => {
      const css = await readFile(
        join(folder, FOLDERS[name], 'index.css'),
        'utf8'
      );
      return [name, { light: name === 'JupyterLab Light', css }] as const;
    })
  );
  return Object.fromEntries(read) as Record<ThemeName, ITheme>;
}
