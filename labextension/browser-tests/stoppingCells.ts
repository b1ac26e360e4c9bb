/**
 * The cells of a notebook in which runs are stopped, by how their runs wait.
 */

/** How a run waits: its cell awaits, or blocks the kernel, or has ended; `passing` ends by itself. */
export type CellKind = 'awaiting' | 'blocking' | 'background' | 'passing';

/** How many samples a run has, each with a request and a child kernel of its own. */
export const SAMPLES = 2;

const PROBLEM = 'This is a slow problem.';
const CELLS: Readonly<Record<CellKind, string>> = {
  awaiting: `%%tir --samples ${SAMPLES}\n${PROBLEM}`,
  blocking: `get_ipython().run_cell_magic("tir", "--samples ${SAMPLES}", "${PROBLEM}")`,
  background: `%%tir --samples ${SAMPLES} --background\n${PROBLEM}`,
  passing: `%%tir --samples ${SAMPLES} --stop none\nThis is a passing problem.`
};

/** The places of the cells: which loads the extension, which run, and which asks to stop. */
export const LOADED = 0;
export const PLACES = {
  awaiting: 1,
  blocking: 2,
  background: 3,
  passing: 5
} as const;
export const ASKS_TO_STOP = 4;

/** The cells, in their places. */
export const SOURCES = [
  '%load_ext jupyterlab_tir\nimport os, ipykernel\nprint(os.getpid(), ipykernel.__version__)',
  CELLS.awaiting,
  CELLS.blocking,
  CELLS.background,
  '%tir stop',
  CELLS.passing
];
