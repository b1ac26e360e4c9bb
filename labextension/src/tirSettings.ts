/**
 * `ITirSettings` over JupyterLab's settings registry.
 *
 * Reads only; the settings editor writes.
 */
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';

import type { IEngineSettings } from './engineSettings';
import { DEFAULT_SETTINGS, readSettings } from './engineSettings';
import type { ITirSettings } from './tokens';

/** Follows the stored settings until it is disposed. */
export class TirSettings implements ITirSettings, IDisposable {
  /**
   * @param stored The registry's settings, or null where they could not be read.
   * @param fault Why they could not be read; empty where they could.
   */
  constructor(stored: ISettingRegistry.ISettings | null, fault = '') {
    this.fault = fault;
    this._current = stored ? readSettings(stored.composite) : DEFAULT_SETTINGS;
    stored?.changed.connect(this._follow, this);
  }

  readonly fault: string;

  get current(): IEngineSettings {
    return this._current;
  }

  get changed(): ISignal<ITirSettings, IEngineSettings> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    Signal.clearData(this);
  }

  private _follow(stored: ISettingRegistry.ISettings): void {
    this._current = readSettings(stored.composite);
    this._changed.emit(this._current);
  }

  private _current: IEngineSettings;
  private _changed = new Signal<ITirSettings, IEngineSettings>(this);
  private _isDisposed = false;
}
