/**
 * The processes that a kernel has started, as Linux shows them.
 */
import { readFile, readdir } from 'node:fs/promises';

/** Whether this machine shows its processes; only Linux does. */
export const SHOWS_PROCESSES = process.platform === 'linux';

/** Whether a process lives; one that has ended and was not waited for does not. */
export async function isAlive(pid: number): Promise<boolean> {
  return (await parentOf(pid)) !== null;
}

/** All living processes below one. */
export async function descendantsOf(pid: number): Promise<readonly number[]> {
  const below = await byParent();
  const found: number[] = [];
  const left = [pid];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const children = below.get(next) ?? [];
    found.push(...children);
    left.push(...children);
  }
  return found;
}

/** The child kernels of a process, without the warm processes that they are forked from. */
export async function forkedBelow(pid: number): Promise<readonly number[]> {
  const children = (await byParent()).get(pid) ?? [];
  return (await descendantsOf(pid)).filter(each => !children.includes(each));
}

async function byParent(): Promise<ReadonlyMap<number, readonly number[]>> {
  const names = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  const found = new Map<number, number[]>();
  for (const pid of names.map(Number)) {
    const parent = await parentOf(pid);
    if (parent !== null) {
      found.set(parent, [...(found.get(parent) ?? []), pid]);
    }
  }
  return found;
}

/** The parent of a living process, or null. */
async function parentOf(pid: number): Promise<number | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name before it, in parentheses, may hold anything.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return 'ZX'.includes(state) ? null : Number(parent);
  } catch (reason) {
    const { code } = reason as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') {
      return null;
    }
    throw reason;
  }
}
