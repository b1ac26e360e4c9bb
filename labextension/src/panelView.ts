/**
 * What the side panel shows: plain elements, no JupyterLab.
 *
 * Built once and updated in place, so that the focus stays where it is when a setting changes.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { element } from './elements';
import type { IEngineSettings, ServerChoice } from './engineSettings';
import { serverChoice } from './engineSettings';

// What a cell holds is code, the same in every language.
const LOAD = '%load_ext jupyterlab_tir';
const SOLVE =
  '%%tir --samples 8\nWhat is the sum of the squares of the integers from 1 to 20?';
const INSTALL = '%pip install jupyterlab_tir';

/** What a person can do in the panel. */
export interface IPanelActions {
  /** Opens this extension's settings. */
  openSettings(): void;
}

/** The panel's content, in `node`. */
export class PanelView {
  constructor(trans: TranslationBundle, actions: IPanelActions) {
    this._trans = trans;
    const settings = element(
      'button',
      'jp-TirPanel-settings jp-mod-styled jp-mod-reject',
      trans.__('Settings…')
    );
    settings.type = 'button';
    settings.addEventListener('click', () => actions.openSettings());
    this.node = element('div', 'jp-TirPanel-body', [
      this._section(trans.__('Server'), [
        this._server,
        this._advice,
        this._plan,
        this._fault,
        settings
      ]),
      this._section(trans.__('In a notebook'), [
        element(
          'p',
          '',
          trans.__(
            'Load the magics once for each kernel, then put a problem into a cell of its own. A cell takes its server from its own options, %config TIR, the environment and the settings file; %tir config shows which.'
          )
        ),
        element('pre', 'jp-TirPanel-code', LOAD),
        element('pre', 'jp-TirPanel-code', SOLVE),
        element(
          'p',
          'jp-TirPanel-missing',
          trans.__(
            "Where loading ends in “No module named 'jupyterlab_tir'”, the kernel runs in an environment without the package: install it there from a cell, then load again."
          )
        ),
        element('pre', 'jp-TirPanel-code', INSTALL)
      ])
    ]);
  }

  /** The element to show. */
  readonly node: HTMLElement;

  /** Shows other settings; `fault` is a sentence, or empty. */
  update(settings: IEngineSettings, fault: string): void {
    const choice = serverChoice(settings.baseUrl);
    const { headline, advice } = this._words(choice);
    this._server.textContent = headline;
    this._server.classList.toggle(
      'jp-mod-error',
      choice.kind === 'secret' || choice.kind === 'unreadable'
    );
    this._advice.textContent = advice;
    this._plan.textContent = this._planWords(settings);
    this._fault.textContent = fault;
    this._fault.hidden = fault === '';
  }

  private _section(title: string, content: readonly Node[]): HTMLElement {
    return element('section', 'jp-TirPanel-section', [
      element('h3', 'jp-TirPanel-title', title),
      ...content
    ]);
  }

  private _planWords(settings: IEngineSettings): string {
    const samples = this._trans._n(
      'One sample, at most %2 seconds',
      '%1 samples, at most %2 seconds',
      settings.samples,
      settings.deadline
    );
    return settings.model === ''
      ? this._trans.__('%1; the first model that the server lists.', samples)
      : this._trans.__('%1; model %2.', samples, settings.model);
  }

  private _words(choice: ServerChoice): { headline: string; advice: string } {
    const trans = this._trans;
    switch (choice.kind) {
      case 'embedded':
        return {
          headline: trans.__('The running embedded server'),
          advice: trans.__(
            'No address is set. In a terminal, "tir serve --embedded" starts the small server that runs on this machine.'
          )
        };
      case 'address':
        return {
          headline: choice.address,
          advice: trans.__('An OpenAI-compatible API, such as vLLM serves.')
        };
      case 'scripted':
        return {
          headline: trans.__('Scripted replies'),
          advice: trans.__('Recorded replies are played from %1.', choice.file)
        };
      case 'echo':
        return {
          headline: trans.__('Echo'),
          advice: trans.__('The problem is sent back; no model is asked.')
        };
      case 'secret':
        return {
          headline: trans.__('The address in the settings is not used'),
          advice: trans.__(
            'It holds a user name or password, which settings would keep in plain text: remove it, and name an environment variable that holds the key instead.'
          )
        };
      case 'unreadable':
        return {
          headline: trans.__('“%1” is not an address', choice.text),
          advice: trans.__(
            'Write it with its scheme, for example http://127.0.0.1:8000/v1, or scripted:FILE, or echo.'
          )
        };
    }
  }

  private _trans: TranslationBundle;
  private _server = element('p', 'jp-TirPanel-server');
  private _advice = element('p', 'jp-TirPanel-advice');
  private _plan = element('p', 'jp-TirPanel-plan');
  private _fault = element('p', 'jp-TirPanel-fault jp-mod-error');
}
