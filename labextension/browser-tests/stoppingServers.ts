/**
 * A scripted server that is watched, and a JupyterLab with two ipykernels.
 */
import { join } from 'node:path';

import type { IJupyterServer } from './jupyterServer';
import { ROOT, startJupyter } from './jupyterServer';
import type { IScriptedServer } from './scriptedServer';
import { startScripted } from './scriptedServer';
import { SLOW, wordsFor } from './scripts';

/** Which ipykernel a kernel runs: the older one, or the one that is installed. */
export type Version = '7.3' | '7.4 or newer';

/** Which kernel runs it, and whether a version is of it. */
export const IPYKERNELS: Readonly<
  Record<
    Version,
    { readonly kernel: string; readonly is: (version: string) => boolean }
  >
> = {
  '7.3': {
    kernel: 'ipykernel-7.3',
    is: version => version.startsWith('7.3.')
  },
  '7.4 or newer': {
    kernel: 'python3',
    is: version => {
      const [major, minor] = version.split('.').map(Number);
      return major > 7 || (major === 7 && minor >= 4);
    }
  }
};

const PASSING = {
  contains: 'passing problem',
  samples: [
    {
      turns: [
        { text: '```python\nprint(6 * 7)\n```\n', first_token_ms: 20 },
        { ...wordsFor(150, 40), text: `${wordsFor(150, 40).text} \\boxed{42}` }
      ]
    }
  ]
};

/** The servers that stages share. */
export interface IServers {
  readonly scripted: IScriptedServer;
  readonly jupyter: IJupyterServer;
  stop(): Promise<void>;
}

/** Starts a scripted server, and a JupyterLab that has both kernels. */
export async function startServers(): Promise<IServers> {
  const scripted = await startScripted([SLOW, PASSING]);
  const jupyter = await startJupyter({
    environment: { TIR_BASE_URL: scripted.url },
    exposesApp: true,
    kernels: {
      [IPYKERNELS['7.3'].kernel]: {
        PYTHONPATH: join(ROOT, 'build', 'ipykernel-7.3')
      }
    }
  });
  return {
    scripted,
    jupyter,
    stop: async () => {
      await jupyter.stop();
      await scripted.stop();
    }
  };
}
