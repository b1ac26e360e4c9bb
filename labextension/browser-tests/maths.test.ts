import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import agreement from '../tests/data/view/agreement.json';
import type { IJupyterServer } from './jupyterServer';
import { startJupyter } from './jupyterServer';
import { openLab } from './labPage';
import { MIME, NotebookPage, writeNotebook } from './notebookPage';

const ANSWER = String.raw`\frac{\sqrt{3}}{2}`;
const TALL = ANSWER.replace('frac', 'dfrac');
const INTERVAL = String.raw`\left(-\infty, \frac{1}{2}\right] \cup [3, \infty)`;
const BOMB = String.raw`$\def\a{xxxxxxxx\a\a}\a$`;
const TEXT = String.raw`For $5 the height is $h = \frac{\sqrt{3}}{2} a$, and
\[
  \sum_{k=1}^{n} k^2 = \frac{n(n+1)(2n+1)}{6}
\]
Code as ${'`'}$x$${'`'} is none, nor is ${BOMB}. Therefore \boxed{${ANSWER}}.`;

/** A run whose answers and transcripts are full of formulas, friendly and hostile. */
function formulas(): object {
  const { tally, end, samples, head } = agreement;
  const [first] = tally.candidates;
  const written = [TEXT, '$'.repeat(10_000), '$a^{2}$ '.repeat(5_000)];
  return {
    ...agreement,
    head: { ...head, problem: { ...head.problem, text: TEXT, claim: null } },
    tally: {
      ...tally,
      candidates: [
        { ...first, shown: ANSWER },
        { ...first, key: 'interval', shown: INTERVAL, count: 1, share: 0.1 }
      ]
    },
    samples: samples.map((sample, number) => ({
      ...sample,
      answer: number === 1 ? TALL : ANSWER
    })),
    transcripts: written.map((text, sample) => ({
      sample,
      segments: [
        { kind: 'text', turn: 0, text },
        { kind: 'code', turn: 0, text: 'print("$x^2$")' },
        { kind: 'result', turn: 0, text: '$x^2$' }
      ]
    })),
    end: { ...end, answer: ANSWER, verdict: null }
  };
}

describe('mathematics', () => {
  let server: IJupyterServer;
  let notebook: NotebookPage;

  beforeAll(async () => {
    server = await startJupyter();
    const data = { [MIME]: formulas(), 'text/plain': 'the text' };
    const output = { output_type: 'display_data', metadata: {}, data };
    await writeNotebook(
      server,
      'maths.ipynb',
      [{ source: '', outputs: [output] }],
      { kernelspec: { name: 'missing', display_name: 'Missing' } }
    );
    notebook = new NotebookPage(
      await openLab(server.page('lab/tree/maths.ipynb'))
    );
    const dialog = notebook.lab.page.locator('.jp-Dialog');
    await dialog.getByRole('button', { name: 'No Kernel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await notebook.lab.screenshot('failed-maths');
    }
  });

  afterAll(async () => {
    await notebook.lab.close();
    await server.stop();
  });

  it('is typeset in the problem and the answers', async () => {
    const run = notebook.run(0);
    await run.locator('.jp-TirVerdict-shown mjx-container').waitFor();
    const problem = run.locator('.jp-TirRun-problem');
    await problem.locator('mjx-container').nth(2).waitFor();
    expect(await problem.locator('mjx-container').count()).toBe(3);
    expect(await problem.innerText()).toContain(BOMB);
    await run.locator('.jp-TirTally-shown mjx-container').nth(1).waitFor();
    const answer = run.locator('.jp-TirVerdict-shown');
    expect(await answer.getAttribute('title')).toBe(ANSWER);
    await notebook.lab.screenshot('maths-tally');
  });

  it('is typeset in the text of transcripts, not in code', async () => {
    const run = notebook.run(0);
    await run.getByRole('tab', { name: /^Samples/ }).click();
    await run
      .getByRole('button', { name: 'Transcript of sample 1', exact: true })
      .click();
    const transcript = run.getByRole('region', {
      name: 'Transcript of sample 1'
    });
    await transcript.locator('mjx-container').nth(2).waitFor();
    await run.locator('.jp-TirSamples-answer mjx-container').first().waitFor();
    await run.locator('.jp-TirSamples-answer mjx-container').nth(1).waitFor();
    await notebook.lab.screenshot('maths-transcript');
    const heights = await run
      .locator('.jp-TirSamples-row')
      .evaluateAll(rows =>
        rows.map(row => row.clientHeight - row.children[2].clientHeight)
      );
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(0);
    expect(await transcript.locator('mjx-container').count()).toBe(3);
    expect(await transcript.innerText()).toContain(BOMB);
    expect(await run.locator('mjx-merror').count()).toBe(0);
  });

  it('does not hold up a page, however much of it there is', async () => {
    const run = notebook.run(0);
    for (const sample of [2, 3]) {
      await run
        .getByRole('button', {
          name: `Transcript of sample ${sample}`,
          exact: true
        })
        .click();
    }
    const many = run.getByRole('region', { name: 'Transcript of sample 3' });
    await many.scrollIntoViewIfNeeded();
    await many.locator('mjx-container').first().waitFor();
    // While they are typeset a click is answered, and what is out of sight waits.
    await run.getByRole('tab', { name: 'Tally' }).click();
    await run.locator('.jp-TirTally-shown').first().waitFor();
    expect(
      await run.locator('.jp-TirSamples mjx-container').count()
    ).toBeLessThan(500);
  });

  it('reports no error to the console', () => {
    expect(notebook.lab.errors).toEqual([]);
  });
});
