import { describe, expect, it } from 'vitest';

import { StopChart, stoppingOf } from '../../src/view/stopChart';
import { rulesInWords, shareThreshold } from '../../src/view/stopRules';
import type { ISnapshot } from '../../src/view/wire';
import { plainTranslation } from '../plainTranslation';
import agreement from '../data/view/agreement.json';
import failed from '../data/view/failed_server.json';
import progress from '../data/view/in_progress.json';
import stopped from '../data/view/stopped_early.json';
import { one, snapshotOf, texts } from './runs';

// As wide as a chart is that has no page: 640, of which 588 are for 12 samples, 49 for each.
const LEFT = 40;
const SAMPLE = 49;
const BOTTOM = 136;
const HEIGHT = 118;

function chartOf(snapshot: ISnapshot): StopChart {
  const chart = new StopChart(plainTranslation);
  chart.update(stoppingOf(snapshot, plainTranslation));
  return chart;
}

function numbers(node: Element, ...names: string[]): number[] {
  return names.map(name => Number(node.getAttribute(name)));
}

describe('StopChart', () => {
  const chart = chartOf(snapshotOf(stopped));

  it("draws the leader's share of the finished samples as steps", () => {
    // 385 leads with 1 of 1 and 1 of 2, then 2870 with 2 of 3, 3 of 4 and 4 of 5.
    const y = (share: number): number =>
      Math.round((BOTTOM - HEIGHT * share) * 10) / 10;
    const path = one(chart.node, '.jp-TirChart-line');
    expect(path.getAttribute('d')).toBe(
      `M${LEFT + SAMPLE} ${y(1)}` +
        `H${LEFT + 2 * SAMPLE}V${y(1 / 2)}` +
        `H${LEFT + 3 * SAMPLE}V${y(2 / 3)}` +
        `H${LEFT + 4 * SAMPLE}V${y(3 / 4)}` +
        `H${LEFT + 5 * SAMPLE}V${y(4 / 5)}`
    );
  });

  it('draws the threshold where a rule counts shares', () => {
    const line = one(chart.node, '.jp-TirChart-threshold');
    expect(numbers(line, 'y1', 'y2')).toEqual([
      BOTTOM - HEIGHT * 0.75,
      BOTTOM - HEIGHT * 0.75
    ]);
    expect(
      chartOf(snapshotOf(agreement)).node.querySelector(
        '.jp-TirChart-threshold'
      )
    ).toBe(null);
  });

  it('marks where it stopped, what was wasted and what was saved', () => {
    const stop = one(chart.node, '.jp-TirChart-stop');
    expect(numbers(stop, 'x1', 'x2')).toEqual([
      LEFT + 5 * SAMPLE,
      LEFT + 5 * SAMPLE
    ]);
    const wasted = one(chart.node, '.jp-mod-wasted');
    expect(numbers(wasted, 'x', 'width')).toEqual([
      LEFT + 5 * SAMPLE,
      2 * SAMPLE
    ]);
    const saved = one(chart.node, '.jp-mod-saved');
    expect(numbers(saved, 'x', 'width')).toEqual([
      LEFT + 7 * SAMPLE,
      5 * SAMPLE
    ]);
    expect(texts(chart.node, 'text')).toEqual(
      expect.arrayContaining(['2 wasted', '5 saved', 'stopped after 5'])
    );
  });

  it('says all of it in words', () => {
    expect(texts(chart.node, 'figcaption p')).toEqual([
      'Stopped after 5 of 12 samples by the rule share. 4 of 5 finished samples (80%) say 2870: more than tau = 0.75, and the weights agree.',
      'Saved: 5 samples never started, about 1,234 tokens.',
      'Wasted: 120 tokens of 2 samples in flight.'
    ]);
    const drawing = one(chart.node, 'svg');
    expect(drawing.getAttribute('role')).toBe('img');
    expect(drawing.getAttribute('aria-label')).toBe(
      'Line chart of the leader’s share of the finished samples. After 5 finished samples the leader 2870 has 80% of them. Threshold: 75%. The run stopped after 5.'
    );
  });

  it.each([
    // Below the end of the line, beside the threshold's label, and on the axis.
    [1 / 2, BOTTOM - HEIGHT / 2 + 16],
    [1, BOTTOM - HEIGHT - 8],
    [0, BOTTOM - 8]
  ])('has room for the last share of %d', (share, y) => {
    const run = snapshotOf(stopped);
    const finished = run.planned;
    const points = [
      {
        finished,
        sample: 0,
        leader: '1',
        count: share * finished,
        weightShare: share
      }
    ];
    const { node } = chartOf({ ...run, points, end: null });
    const label = [...node.querySelectorAll('text')].filter(
      each => Number(each.getAttribute('x')) === LEFT + finished * SAMPLE - 8
    );
    expect(label.map(each => numbers(each, 'y'))).toEqual([[y]]);
  });

  it('claims no saving where no rule stopped the run', () => {
    const { node } = chartOf(snapshotOf(failed));
    expect(texts(node, 'text')).toContain('1 not run');
    expect(texts(node, 'figcaption p')).toContain('Not run: one sample.');
    expect(node.textContent).not.toContain('aved');
  });

  it('draws nothing but axes before a sample has finished', () => {
    const run = snapshotOf(progress);
    const { node } = chartOf({ ...run, points: [] });
    expect(node.querySelector('.jp-TirChart-line')).toBe(null);
    expect(one(node, 'svg').getAttribute('aria-label')).toContain(
      'No sample has finished yet.'
    );
  });

  it('bears samples that finished without any that counts', () => {
    const run = snapshotOf(progress);
    const point = {
      finished: 0,
      sample: 0,
      leader: '',
      count: 0,
      weightShare: 0
    };
    const { node } = chartOf({ ...run, points: [point] });
    expect(one(node, '.jp-TirChart-line').getAttribute('d')).toBe('M40 136');
  });
});

describe('stop rules', () => {
  const head = snapshotOf(progress).head;

  it.each([
    ['usual', 0.75, 0.75],
    ['usual', 0.9, 0.9],
    ['share', 0.8, 0.8],
    ['share:0.6,lead:3', 0.75, 0.6],
    ['beta:0.95', 0.75, null],
    ['none', 0.75, null]
  ])('%s with τ = %d counts shares up to %s', (rule, tau, threshold) => {
    expect(shareThreshold({ ...head, rule, tau })).toBe(threshold);
  });

  it('says them in words', () => {
    const said = (rule: string, tau = 0.75): string =>
      rulesInWords({ ...head, rule, tau }, false, plainTranslation);
    expect(said('usual')).toBe(
      'Stops early once the leader has more than 75% of the finished samples (τ), with 4 answers at least, or once the leader beats the runner-up with a probability above 97%, or once no other answer can catch up.'
    );
    expect(said('usual', 0.9)).not.toContain('probability');
    expect(said('lead:3,window:5')).toBe(
      'Stops early once the leader is 3 samples ahead, or once the last 5 samples all say the same, or once no other answer can catch up.'
    );
    expect(said('none')).toBe('Stops early once no other answer can catch up.');
  });
});
