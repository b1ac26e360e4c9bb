/**
 * Every way to stop a run, together with everything that its kernel and its cell can be like.
 */
import { stopsRuns } from './stoppingCases';
import type { CellKind } from './stoppingCells';
import type { Way } from './stoppingStage';

const STOPS: readonly (readonly [CellKind, Way])[] = [
  ...(['awaiting', 'blocking'] as const).flatMap(cell =>
    (
      ['button', '%tir stop in a subshell', 'interrupt', 'restart'] as const
    ).map(way => [cell, way] as const)
  ),
  ['background', 'button'],
  ['background', '%tir stop'],
  ['background', 'restart'],
  ['background', 'shutdown'],
  ['awaiting', 'shutdown'],
  ['blocking', 'shutdown']
];

stopsRuns(
  (['7.3', '7.4 or newer'] as const).flatMap(version =>
    (['on', 'off'] as const).map(subshells => ({
      version,
      subshells,
      stops: STOPS
    }))
  )
);
