/**
 * Stops runs in given ways and looks whether anything is left of them.
 */
import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  it,
  vi
} from 'vitest';

import { SHOWS_PROCESSES } from './processes';
import type { IServers, Version } from './stoppingServers';
import { startServers } from './stoppingServers';
import type { CellKind } from './stoppingCells';
import type { Way } from './stoppingStage';
import {
  ENDS_KERNEL,
  LIMITS,
  PATIENT,
  STOPPED_MS,
  Stage,
  expectStill
} from './stoppingStage';

vi.setConfig(LIMITS);

/** A page, and how runs are stopped on it, one after the other. */
export interface IPage {
  readonly version: Version;
  readonly subshells: 'on' | 'off';
  readonly stops: readonly (readonly [CellKind, Way])[];
}

/** Stops runs on these pages. */
export function stopsRuns(pages: readonly IPage[]): void {
  describe.runIf(SHOWS_PROCESSES)('a run that is stopped', () => {
    let servers: IServers;

    beforeAll(async () => {
      servers = await startServers();
    });

    afterAll(async () => {
      await servers.stop();
    });

    describe.each(pages)(
      'on ipykernel $version with subshells $subshells',
      ({ version, subshells, stops }) => {
        let stage: Stage;

        beforeAll(async () => {
          stage = await Stage.open(servers, version, subshells);
        });

        afterEach(async ({ task }) => {
          if (task.result?.state === 'fail') {
            await stage.notebook.lab.screenshot('failed-stopping');
          }
        });

        afterAll(async () => {
          await stage.close();
        });

        it.each(stops)('in a cell that is %s ends by %s', async (cell, way) => {
          await stage.renew();
          await stage.prepare(way);
          const begun = await stage.begin(cell);
          const took = await stage.stop(way, begun);
          expect(took).toBeLessThan(STOPPED_MS);
          await expectStill(stage, begun);
          if (way === '%tir stop in a subshell') {
            await stage.notebook.lab.page.keyboard.press('Alt+W');
          }
          // A kernel that ends writes it after its requests are gone.
          await expect
            .poll(() => stage.recorded(begun), PATIENT)
            .toBe('stopped');
          if (ENDS_KERNEL.includes(way)) {
            await expect.poll(() => stage.isGone(begun), PATIENT).toBe(true);
          }
        });

        it('reports no error to the console', () => {
          expect(stage.errors).toEqual([]);
        });
      }
    );
  });
}
