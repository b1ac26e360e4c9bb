/**
 * What the extension's plugins offer each other, interface first.
 *
 * Nothing here may do anything: interfaces and their tokens only.
 */
import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';

import type { IEngineSettings } from './engineSettings';

/** The extension's settings, read once and followed as they change. */
export interface ITirSettings {
  /** What holds now: always complete and within its ranges. */
  readonly current: IEngineSettings;

  /** In one sentence why the stored settings could not be read; empty where they could. */
  readonly fault: string;

  /** Fires after `current` has changed, with the new value. */
  readonly changed: ISignal<ITirSettings, IEngineSettings>;
}

/** Names the plugin that provides `ITirSettings`. */
export const ITirSettings = new Token<ITirSettings>(
  'jupyterlab-tir:ITirSettings',
  'The settings of the TIR extension, and a signal for their changes.'
);
