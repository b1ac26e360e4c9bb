/**
 * A JupyterLab of a test's own: private folders, a free port, a token, no browser.
 *
 * Reads nothing of the person's own Jupyter, and leaves nothing behind.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  writeFile
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IScriptedProblem } from './scripts';
import { writeScript } from './scripts';

/** The repository's root, where the tests are started. */
export const ROOT = resolve('.');

/** The interpreter that has the package. */
export const PYTHON =
  process.env.TIR_TEST_PYTHON ?? join(ROOT, '.venv', 'bin', 'python');

const START_LIMIT_MS = 60_000;

/** A running server. */
export interface IJupyterServer {
  /** Where notebooks lie. */
  readonly notebooks: string;
  /** Where the records of its kernels' runs lie, once there is one. */
  readonly records: string;
  /** Has pages that are loaded from now on find these settings of a plugin, `@owner/package:name`. */
  useSettings(plugin: string, values: object): Promise<void>;
  /** The address of a page, with the token: `page('lab')`. */
  page(path: string): string;
  /** Ends the server and its kernels, and removes its folders. */
  stop(): Promise<void>;
}

/** What a test's JupyterLab is like. */
export interface IJupyterOptions {
  /** Added to what its kernels see. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What the scripted server that they ask replies to. */
  readonly problems?: readonly IScriptedProblem[];
  /** Kernels beside the usual one, by their names: what they see in addition. */
  readonly kernels?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Leaves our extension out, as in a page that has only the widget. */
  readonly withoutExtension?: boolean;
  /** Has its pages' application at `window.jupyterapp`. */
  readonly exposesApp?: boolean;
}

/** Starts JupyterLab. */
export async function startJupyter(
  options: IJupyterOptions = {}
): Promise<IJupyterServer> {
  const { environment = {}, kernels = {}, problems = [] } = options;
  const { withoutExtension = false, exposesApp = false } = options;
  const folder = await mkdtemp(join(tmpdir(), 'tir-lab-'));
  const named = (name: string): string => join(folder, name);
  const notebooks = named('notebooks');
  await mkdir(notebooks);
  const useSettings = async (plugin: string, values: object): Promise<void> =>
    writeSettings(named('config'), plugin, values);
  // Or its question about news would cover the page's corner.
  await useSettings('@jupyterlab/apputils-extension:notification', {
    fetchNews: 'false'
  });
  for (const [name, seen] of Object.entries(kernels)) {
    await writeKernel(named('data'), name, seen);
  }
  if (withoutExtension) {
    await disableExtension(named('config'));
  }
  const asked: Record<string, string> =
    problems.length === 0
      ? {}
      : { TIR_BASE_URL: await writeScript(folder, problems) };
  const token = randomBytes(16).toString('hex');
  const output: string[] = [];
  const server = spawn(
    PYTHON,
    [
      '-m',
      'jupyterlab',
      '--no-browser',
      '--allow-root',
      '--ServerApp.ip=127.0.0.1',
      '--ServerApp.port=0',
      `--ServerApp.root_dir=${notebooks}`,
      `--IdentityProvider.token=${token}`,
      `--LabApp.expose_app_in_browser=${exposesApp ? 'True' : 'False'}`,
      '--LabApp.news_url=None',
      '--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate'
    ],
    {
      cwd: folder,
      env: {
        ...process.env,
        JUPYTER_CONFIG_DIR: named('config'),
        JUPYTER_DATA_DIR: named('data'),
        JUPYTER_RUNTIME_DIR: named('runtime'),
        IPYTHONDIR: named('ipython'),
        ...asked,
        ...environment
      },
      stdio: ['ignore', 'pipe', 'pipe']
    }
  );
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', chunk => output.push(String(chunk)));
  }
  const stop = async (): Promise<void> => {
    await end(server);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const base = await address(named('runtime'), server);
    return {
      notebooks,
      records: join(named('data'), 'tir', 'runs'),
      useSettings,
      page: path => `${base}${path}?token=${token}`,
      stop
    };
  } catch (reason) {
    await stop();
    throw new Error(`JupyterLab did not start:\n${output.join('')}`, {
      cause: reason
    });
  }
}

async function writeSettings(
  config: string,
  plugin: string,
  values: object
): Promise<void> {
  const [owner, name] = plugin.split(':');
  const folder = join(config, 'lab', 'user-settings', owner);
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}.jupyterlab-settings`);
  await writeFile(file, JSON.stringify(values));
}

async function writeKernel(
  data: string,
  name: string,
  env: Readonly<Record<string, string>>
): Promise<void> {
  const folder = join(data, 'kernels', name);
  await mkdir(folder, { recursive: true });
  const spec = {
    argv: [PYTHON, '-m', 'ipykernel_launcher', '-f', '{connection_file}'],
    display_name: name,
    language: 'python',
    env
  };
  await writeFile(join(folder, 'kernel.json'), JSON.stringify(spec));
}

async function disableExtension(config: string): Promise<void> {
  const folder = join(config, 'labconfig');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'page_config.json'),
    JSON.stringify({ disabledExtensions: { 'jupyterlab-tir': true } })
  );
}

/** The server's address from the file that it writes once it listens. */
async function address(runtime: string, server: ChildProcess): Promise<string> {
  const limit = Date.now() + START_LIMIT_MS;
  while (Date.now() < limit && server.exitCode === null) {
    const file = (await namesIn(runtime)).find(name =>
      /^jpserver-\d+\.json$/.test(name)
    );
    if (file !== undefined) {
      const text = await readFile(join(runtime, file), 'utf8');
      if (text.endsWith('}')) {
        const { url } = JSON.parse(text) as { url: string };
        return url;
      }
    }
    await sleep(100);
  }
  throw new Error('no address within a minute');
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === 'ENOENT') {
      return [];
    }
    throw reason;
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) {
    return;
  }
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  const killed = setTimeout(() => server.kill('SIGKILL'), 15_000);
  await ended;
  clearTimeout(killed);
}
