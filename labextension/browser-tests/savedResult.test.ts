import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import agreement from '../tests/data/view/agreement.json';
import inProgress from '../tests/data/view/in_progress.json';
import { HOSTILE, LONG_LINE, expectHarmless, expectSanitised } from './hostile';
import type { IJupyterServer } from './jupyterServer';
import { startJupyter } from './jupyterServer';
import type { ICellText } from './notebookPage';
import { MIME, NotebookPage, writeNotebook } from './notebookPage';
import { openLab } from './labPage';

function cellWith(result: object, html = 'the HTML of the result'): ICellText {
  return {
    source: '',
    outputs: [
      {
        output_type: 'display_data',
        metadata: {},
        data: {
          [MIME]: result,
          'text/html': html,
          'text/plain': 'the text of the result'
        }
      }
    ]
  };
}

/** A result of which every text is hostile, a transcript and a very long line among them. */
function hostile(): object {
  const { head, tally, end, samples } = agreement;
  const [first] = tally.candidates;
  return {
    ...agreement,
    head: {
      ...head,
      runId: HOSTILE,
      problem: { text: HOSTILE, chars: 9, claim: HOSTILE },
      server: { ...head.server, model: HOSTILE, baseUrl: HOSTILE },
      plan: HOSTILE
    },
    tally: {
      ...tally,
      candidates: [{ ...first, key: HOSTILE, shown: HOSTILE }],
      remarks: [HOSTILE]
    },
    samples: samples.map(sample => ({ ...sample, answer: HOSTILE })),
    notices: [HOSTILE],
    transcripts: [
      {
        sample: 0,
        segments: [
          { kind: 'text', turn: 0, text: HOSTILE },
          { kind: 'code', turn: 0, text: `print(r"""${HOSTILE}""")` },
          { kind: 'result', turn: 0, text: LONG_LINE },
          { kind: 'error', turn: 0, text: HOSTILE }
        ]
      }
    ],
    end: {
      ...end,
      reason: HOSTILE,
      answer: HOSTILE,
      verdict: { ...end.verdict, claim: HOSTILE, words: HOSTILE }
    }
  };
}

const [AGREES, UNFINISHED, ATTACKS, OTHER, BROKEN] = [0, 1, 2, 3, 4];

describe('a saved result', () => {
  let server: IJupyterServer;
  let notebook: NotebookPage;

  beforeAll(async () => {
    server = await startJupyter();
    await writeNotebook(
      server,
      'saved.ipynb',
      [
        cellWith(agreement),
        cellWith(inProgress),
        cellWith(hostile(), HOSTILE),
        cellWith({ ...agreement, schema: 99 }, HOSTILE),
        cellWith({ schema: 2 })
      ],
      { kernelspec: { name: 'missing', display_name: 'Missing' } }
    );
    notebook = new NotebookPage(
      await openLab(server.page('lab/tree/saved.ipynb'))
    );
    // Nobody trusts the notebook, and it has no kernel.
    const dialog = notebook.lab.page.locator('.jp-Dialog');
    await dialog.getByRole('button', { name: 'No Kernel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') {
      await notebook.lab.screenshot('failed-savedResult');
    }
  });

  afterAll(async () => {
    await notebook.lab.close();
    await server.stop();
  });

  it('is drawn without trust, a kernel or running anything', async () => {
    const run = notebook.run(AGREES);
    await run.getByText('The samples agree with 2870').waitFor();
    // The problem's formula, typeset.
    await run.locator('mjx-container').first().waitFor();
    expect(await run.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    await run.getByRole('tab', { name: /^Samples/ }).click();
    await run
      .getByRole('button', { name: 'Transcript of sample 1', exact: true })
      .click();
    await run.getByRole('region', { name: 'Transcript of sample 1' }).waitFor();
    await notebook.lab.screenshot('saved-result');
  });

  it('is voted on anew without a kernel', async () => {
    const run = notebook.run(AGREES);
    await run.getByRole('tab', { name: 'What if' }).click();
    await run.getByRole('slider').first().waitFor();
    await notebook.lab.screenshot('saved-what-if');
    await run.getByRole('tab', { name: /^Samples/ }).click();
  });

  it('that had not ended says so', async () => {
    const run = notebook.run(UNFINISHED);
    await run
      .getByText('This run had not ended when it was last heard of')
      .waitFor();
    expect(
      await run.getByRole('button', { name: 'Stop', disabled: false }).count()
    ).toBe(0);
    await run.scrollIntoViewIfNeeded();
    await notebook.lab.screenshot('saved-unfinished');
  });

  it('of hostile texts shows them as text', async () => {
    const { page } = notebook.lab;
    const run = notebook.run(ATTACKS);
    await run.getByText('<script>').first().waitFor();
    await run.getByText('Server, settings and origin').click();
    await run.getByRole('tab', { name: /^Samples/ }).click();
    await run
      .getByRole('button', { name: 'Transcript of sample 1', exact: true })
      .click();
    const transcript = run.getByRole('region', {
      name: 'Transcript of sample 1'
    });
    await transcript.getByText('a<U+202E>b').first().waitFor();
    await transcript.getByText('longlong').first().waitFor();
    await run.scrollIntoViewIfNeeded();
    await notebook.lab.screenshot('saved-hostile');
    const width = await run.evaluate(node => node.scrollWidth);
    expect(width).toBeLessThanOrEqual(
      await run.evaluate(node => node.clientWidth)
    );
    await run.getByRole('tab', { name: 'Trace' }).click();
    await run.getByRole('tab', { name: 'Tally' }).click();
    await expectHarmless(page, notebook.cell(ATTACKS));
  });

  it('of another format says so and shows its HTML, sanitised', async () => {
    const other = notebook.cell(OTHER).locator('.jp-RenderedHTML');
    await notebook
      .cell(OTHER)
      .getByText('has format 99 and this version of jupyterlab_tir draws')
      .waitFor();
    await other.getByText('a\u202eb').waitFor();
    await expectSanitised(notebook.lab.page, other);
  });

  it('that is broken names the field and shows its HTML', async () => {
    const broken = notebook.cell(BROKEN);
    await broken
      .getByText('its field head is missing or of the wrong kind')
      .waitFor();
    await broken.getByText('the HTML of the result').waitFor();
  });

  it('lends its code to a new cell, which is not run', async () => {
    const { page } = notebook.lab;
    const run = notebook.run(AGREES);
    const cells = page.locator('.jp-Notebook .jp-CodeCell');
    const before = await cells.count();
    const insert = run.getByRole('button', { name: 'Insert as cell' }).first();
    await insert.hover();
    await insert.click();
    await expect.poll(() => cells.count()).toBe(before + 1);
    const made = notebook.cell(AGREES + 1);
    expect(await made.locator('.cm-content').innerText()).toContain('print');
    expect(await made.locator('.jp-InputPrompt').textContent()).toBe('[ ]:');
    await notebook.lab.screenshot('saved-inserted');
  });

  it('reports no error to the console', () => {
    expect(notebook.lab.errors).toEqual([]);
  });
});
