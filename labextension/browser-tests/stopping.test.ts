/**
 * Every way to stop a run, over what a kernel can be like; `stopping.slow.test.ts` has all of them
 * together.
 */
import type { IPage } from './stoppingCases';
import { stopsRuns } from './stoppingCases';

// Each value of each of them; each of the two kernels has a page of its own, which takes the time.
const PAGES: readonly IPage[] = [
  {
    version: '7.3',
    subshells: 'off',
    stops: [
      ['blocking', 'button'],
      ['awaiting', 'interrupt'],
      ['background', '%tir stop']
    ]
  },
  {
    version: '7.4 or newer',
    subshells: 'on',
    stops: [
      ['awaiting', 'button'],
      ['awaiting', '%tir stop in a subshell'],
      ['blocking', 'restart'],
      ['blocking', 'shutdown']
    ]
  }
];

stopsRuns(PAGES);
