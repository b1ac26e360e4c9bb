import { describe, expect, it } from 'vitest';

import type { IRunBundle } from '../src/runBundle';
import { readRunBundle } from '../src/runBundle';
import { drawRun } from '../src/runView';
import agrees from './data/agrees.json';
import { plainTranslation } from './plainTranslation';

function bundle(changes: Partial<IRunBundle> = {}): IRunBundle {
  const reading = readRunBundle(agrees);
  if (reading.kind !== 'bundle') {
    throw new Error(`not readable: ${JSON.stringify(reading)}`);
  }
  return { ...reading.bundle, ...changes };
}

function rows(drawn: HTMLElement): string[][] {
  return [...drawn.querySelectorAll('tbody tr')].map(row =>
    [...row.children].map(cell => cell.textContent)
  );
}

describe('readRunBundle', () => {
  it('reads what the kernel writes', () => {
    const run = bundle();
    expect(run.answer).toBe('2870');
    expect(run.planned).toBe(8);
    expect(run.finished).toBe(5);
    expect(run.candidates.map(({ shown, count }) => [shown, count])).toEqual([
      ['2870', 3],
      ['385', 1]
    ]);
    expect(run.verdict?.verdict).toBe('agrees');
    expect(run.server.model).toBe('scripted <b>model</b>');
  });

  it('names another schema and does not guess', () => {
    expect(readRunBundle({ ...agrees, schema: 2 })).toEqual({
      kind: 'other-schema',
      schema: '2'
    });
  });

  it.each([
    [null, 'application/vnd.jupyterlab-tir.run+json'],
    [[], 'application/vnd.jupyterlab-tir.run+json'],
    [{}, 'schema'],
    [{ ...agrees, tally: { ...agrees.tally, planned: '8' } }, 'tally.planned'],
    [{ ...agrees, answer: 2870 }, 'answer'],
    [{ ...agrees, remarks: ['a', 1] }, 'remarks[1]'],
    [
      { ...agrees, tally: { ...agrees.tally, candidates: [{}] } },
      'tally.candidates[0].shown'
    ]
  ])('names the field that is wrong, case %#', (data, field) => {
    expect(readRunBundle(data)).toEqual({ kind: 'unreadable', field });
  });
});

describe('drawRun', () => {
  it('shows verdict, answer and votes', () => {
    const drawn = drawRun(bundle(), plainTranslation);
    expect(drawn.firstElementChild?.firstElementChild?.textContent).toBe(
      agrees.verdict.words
    );
    expect(drawn.querySelector('.jp-TirRun-answer')?.textContent).toBe(
      'Answer: 2870'
    );
    expect(drawn.querySelector('caption')?.textContent).toBe(
      '5 of 8 samples finished'
    );
    expect(rows(drawn)).toEqual([
      ['2870', '3', '2', '4.50', '0.25', '90%'],
      ['385', '1', '0', '0.50', '–', '10%'],
      ['no answer', '1', 'no vote']
    ]);
    expect(drawn.textContent).toContain(
      'Never started: 2 of 8 samples. Stopped in flight: 1, after 120 tokens.'
    );
    const fills = drawn.querySelectorAll<HTMLElement>('.jp-TirRun-fill');
    expect([...fills].map(fill => fill.style.width)).toEqual(['90%', '10%']);
  });

  it('says so where no sample answered', () => {
    const drawn = drawRun(
      bundle({
        answer: null,
        verdict: null,
        candidates: [],
        withoutBallot: [],
        reason: 'No server left.'
      }),
      plainTranslation
    );
    expect(drawn.querySelector('.jp-TirRun-answer')?.textContent).toBe(
      'No answer'
    );
    expect(drawn.querySelector('table')).toBe(null);
    expect(drawn.textContent).toContain('No server left.');
  });

  it('shows twenty candidates and counts the rest', () => {
    const [first] = bundle().candidates;
    const drawn = drawRun(
      bundle({
        candidates: Array.from({ length: 23 }, () => first),
        candidatesLeftOut: 4,
        withoutBallot: []
      }),
      plainTranslation
    );
    expect(rows(drawn)).toHaveLength(20);
    expect(drawn.textContent).toContain('7 more candidates are not shown.');
  });

  it('never reads foreign text as HTML', () => {
    const attack = '<img src=x onerror=alert(1)>';
    const run = bundle();
    const drawn = drawRun(
      {
        ...run,
        problem: attack,
        answer: attack,
        reason: attack,
        isolation: attack,
        remarks: [attack],
        candidates: run.candidates.map(each => ({ ...each, shown: attack })),
        server: { ...run.server, model: attack, baseUrl: attack }
      },
      plainTranslation
    );
    expect(drawn.querySelector('img, b')).toBe(null);
    expect(drawn.textContent.split(attack)).toHaveLength(10);
  });
});
