/**
 * What the scripted server replies in these tests.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One reply of the server; see docs/scripted.md. */
export interface ITurn {
  readonly text: string;
  readonly entropy?: number;
  readonly first_token_ms?: number;
  readonly token_ms?: number;
}

/** The replies to the problem that contains a text; each sample has its own turns. */
export interface IScriptedProblem {
  readonly contains: string;
  readonly samples: readonly { readonly turns: readonly ITurn[] }[];
}

/** Writes a script into a folder; what to set TIR_BASE_URL to. */
export async function writeScript(
  folder: string,
  problems: readonly IScriptedProblem[]
): Promise<string> {
  const file = join(folder, 'script.json');
  const server = { model: 'scripted-tests' };
  await writeFile(file, JSON.stringify({ version: 1, server, problems }));
  return `scripted:${file}`;
}

/** Words that take a sample a while: so many, so many milliseconds each. */
export function wordsFor(count: number, perWordMs: number): ITurn {
  const words = Array.from({ length: count }, (_, n) => `word${n} `).join('');
  return { text: words, entropy: 0.3, first_token_ms: 20, token_ms: perWordMs };
}

/** Left alone, its runs take minutes. Each sample has code run first, and keeps its child kernel. */
export const SLOW: IScriptedProblem = {
  contains: 'slow problem',
  samples: [
    {
      turns: [
        { text: '```python\nprint(6 * 7)\n```\n', first_token_ms: 20 },
        wordsFor(4000, 40)
      ]
    }
  ]
};
