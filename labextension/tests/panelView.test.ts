import { describe, expect, it, vi } from 'vitest';

import type { IEngineSettings } from '../src/engineSettings';
import { DEFAULT_SETTINGS } from '../src/engineSettings';
import { PanelView } from '../src/panelView';
import { plainTranslation } from './plainTranslation';

function shown(changes: Partial<IEngineSettings>, fault = ''): PanelView {
  const view = new PanelView(plainTranslation, { openSettings: vi.fn() });
  view.update({ ...DEFAULT_SETTINGS, ...changes }, fault);
  return view;
}

function textOf(view: PanelView, selector: string): string {
  return view.node.querySelector(selector)?.textContent ?? 'no such element';
}

describe('PanelView', () => {
  it('says that the embedded server is used where no address is set', () => {
    const view = shown({});
    expect(textOf(view, '.jp-TirPanel-server')).toBe(
      'The running embedded server'
    );
    expect(textOf(view, '.jp-TirPanel-plan')).toBe(
      '8 samples, at most 600 seconds; the first model that the server lists.'
    );
  });

  it('names the address and the model of the settings', () => {
    const view = shown({
      baseUrl: 'http://127.0.0.1:8000/v1',
      model: 'qwen',
      samples: 1
    });
    expect(textOf(view, '.jp-TirPanel-server')).toBe(
      'http://127.0.0.1:8000/v1'
    );
    expect(textOf(view, '.jp-TirPanel-plan')).toBe(
      'One sample, at most 600 seconds; model qwen.'
    );
  });

  it('never shows an address that holds a password', () => {
    const view = shown({ baseUrl: 'http://me:pw@example.org/v1' });
    expect(view.node.textContent).not.toContain('pw');
    expect(textOf(view, '.jp-TirPanel-server.jp-mod-error')).toBe(
      'The address in the settings is not used'
    );
  });

  it('says in words what is wrong, and stops saying so once it is mended', () => {
    const view = shown({ baseUrl: 'localhost' }, 'Broken.');
    expect(textOf(view, '.jp-TirPanel-server.jp-mod-error')).toBe(
      '“localhost” is not an address'
    );
    const fault = view.node.querySelector<HTMLElement>('.jp-TirPanel-fault');
    expect(fault?.hidden).toBe(false);
    expect(fault?.textContent).toBe('Broken.');
    view.update(DEFAULT_SETTINGS, '');
    expect(view.node.querySelector('.jp-TirPanel-server.jp-mod-error')).toBe(
      null
    );
    expect(fault?.hidden).toBe(true);
  });

  it('keeps its elements when a setting changes, and with them the focus', () => {
    const view = shown({});
    document.body.append(view.node);
    const button = view.node.querySelector('button');
    button?.focus();
    view.update({ ...DEFAULT_SETTINGS, samples: 3 }, '');
    expect(document.activeElement).toBe(button);
    expect(button).not.toBe(null);
  });

  it('says how to mend a kernel without the package', () => {
    const view = shown({});
    const advice = view.node.querySelector('.jp-TirPanel-missing');
    expect(advice?.textContent).toContain("No module named 'jupyterlab_tir'");
    expect(advice?.nextElementSibling?.textContent).toBe(
      '%pip install jupyterlab_tir'
    );
  });

  it('opens the settings by its button', () => {
    const openSettings = vi.fn();
    const view = new PanelView(plainTranslation, { openSettings });
    view.node.querySelector('button')?.click();
    expect(openSettings).toHaveBeenCalledOnce();
  });
});
