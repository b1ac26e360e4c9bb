/**
 * The side panel: JupyterLab's frame around `PanelView`.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { tirIcon } from './icon';
import type { IPanelActions } from './panelView';
import { PanelView } from './panelView';
import type { ITirSettings } from './tokens';

/** Shows the settings for as long as it lives. */
export class TirPanel extends Widget {
  constructor(
    settings: ITirSettings,
    trans: TranslationBundle,
    actions: IPanelActions
  ) {
    super();
    this.id = 'jp-tir-panel';
    this.addClass('jp-TirPanel');
    this.title.icon = tirIcon;
    this.title.caption = trans.__('TIR: solve and check mathematics');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('TIR'));
    this._settings = settings;
    this._view = new PanelView(trans, actions);
    this.node.append(this._header(trans), this._view.node);
    this._update();
    settings.changed.connect(this._update, this);
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    Signal.clearData(this);
    super.dispose();
  }

  private _header(trans: TranslationBundle): HTMLElement {
    const header = document.createElement('div');
    header.className = 'jp-TirPanel-header';
    const title = document.createElement('h2');
    title.textContent = trans.__('TIR');
    header.append(title);
    return header;
  }

  private _update(): void {
    this._view.update(this._settings.current, this._settings.fault);
  }

  private _settings: ITirSettings;
  private _view: PanelView;
}
