import type { TranslationBundle } from '@jupyterlab/translation';
import { describe, expect, it } from 'vitest';

import { DEFAULT_SETTINGS } from '../src/engineSettings';
import { PanelView } from '../src/panelView';
import type { ISnapshot } from '../src/view/wire';
import agreement from './data/view/agreement.json';
import disagreement from './data/view/disagreement.json';
import failed from './data/view/failed_server.json';
import progress from './data/view/in_progress.json';
import early from './data/view/stopped_early.json';
import tie from './data/view/tie.json';
import { plainTranslation as plain } from './plainTranslation';
import { drawn, shown, snapshotOf } from './view/runs';

const [OPEN, CLOSE] = ['⟦', '⟧'];

/** English as written, with a mark around all that went through the translator. */
const marking = Object.fromEntries(
  Object.entries(plain).map(([name, translate]) => [
    name,
    (...given: unknown[]) =>
      `${OPEN}${(translate as (...given: unknown[]) => string)(...given)}${CLOSE}`
  ])
) as unknown as TranslationBundle;

const SPOKEN = ['title', 'alt', 'placeholder', 'aria-label', 'aria-valuetext'];

/** Elements that hold a problem, what a sample wrote, or what is typed into a cell, and no more. */
const FOREIGN =
  '.jp-TirRun-problem, .jp-TirText, .jp-TirSegment-code, .jp-TirPanel-code';

/** Signs of units and of quantities, the same in every language as our name is. */
const SIGNS = /(?<!\p{L})(?:s|ms|min|τ)(?!\p{L})/gu;
const NAME = 'jupyterlab_tir';

function withoutTranslated(text: string): string {
  const inner = new RegExp(`${OPEN}[^${OPEN}${CLOSE}]*${CLOSE}`, 'g');
  const shorter = text.replace(inner, '');
  return shorter === text ? text : withoutTranslated(shorter);
}

/** All strings in some data, names of fields included, the longest first. */
function stringsIn(data: unknown): string[] {
  const found = new Set<string>();
  const look = (part: unknown): void => {
    if (typeof part === 'string' || typeof part === 'boolean') {
      found.add(String(part));
    } else if (typeof part === 'object' && part !== null) {
      for (const [name, value] of Object.entries(part)) {
        found.add(name);
        look(value);
      }
    }
  };
  look(data);
  return [...found]
    .filter(each => each !== '')
    .sort((a, b) => b.length - a.length);
}

/** What a page says, to the eye and to the ear. */
function textsOf(node: HTMLElement): string[] {
  const texts: string[] = [];
  const all = document.createTreeWalker(node, NodeFilter.SHOW_ALL);
  for (let at = all.nextNode(); at !== null; at = all.nextNode()) {
    if (at instanceof Text && at.parentElement?.closest(FOREIGN) === null) {
      texts.push(at.data);
    } else if (at instanceof Element && at.closest(FOREIGN) === null) {
      texts.push(...SPOKEN.map(name => at.getAttribute(name) ?? ''));
    }
  }
  return texts;
}

/** Texts that neither are translated nor come from the data. */
function untranslated(texts: Iterable<string>, data: unknown): string[] {
  const known = stringsIn(data);
  return [...texts].filter(text => {
    const rest = known.reduce(
      (left, each) => left.replaceAll(each, ' '),
      withoutTranslated(text).replaceAll(NAME, '')
    );
    return /\p{L}/u.test(rest.replace(SIGNS, ''));
  });
}

const RUNS: readonly (readonly [string, unknown])[] = [
  ['agreement', agreement],
  ['disagreement', disagreement],
  ['failed', failed],
  ['in progress', progress],
  ['stopped early', early],
  ['a tie', tie]
];

/** Goes through everything that can be opened or chosen in a view; says what is said there. */
async function throughAll(
  snapshot: ISnapshot,
  look: () => void
): Promise<void> {
  const view = shown(snapshot, {
    trans: marking,
    stop: () => Promise.resolve(false),
    open: () => undefined,
    insertCode: () => undefined,
    typeset: () => undefined
  });
  const each = <T extends HTMLElement>(selector: string): T[] => [
    ...view.node.querySelectorAll<T>(selector)
  ];
  for (const how of ['live', 'waiting', 'still'] as const) {
    view.setConnection(how);
    await drawn();
    look();
  }
  each('.jp-TirRun-stop')[0].click();
  await drawn();
  for (const tab of each('[role="tab"]:not([hidden])')) {
    tab.click();
    each('.jp-TirSamples-open').forEach(opener => opener.click());
    each('.jp-TirTrace-rows .jp-TirTrace-row').at(0)?.click();
    for (const select of each<HTMLSelectElement>('select')) {
      for (const { value } of select.options) {
        select.value = value;
        select.dispatchEvent(new Event('change'));
        look();
      }
    }
    await drawn(2);
    look();
  }
  view.dispose();
}

describe('what a view says', () => {
  it.each(RUNS)(
    'went through the translator: %s',
    async (_name, data) => {
      const snapshot = snapshotOf(data);
      const texts = new Set<string>();
      await throughAll(snapshot, () => {
        textsOf(document.body).forEach(each => texts.add(each));
      });
      expect(untranslated(texts, snapshot)).toEqual([]);
    },
    60_000
  );

  it.each(['', 'http://h/v1', 'scripted:f', 'echo', 'http://u:p@h', 'h'])(
    'went through the translator in the panel with the server "%s"',
    baseUrl => {
      const panel = new PanelView(marking, { openSettings: () => undefined });
      const settings = { ...DEFAULT_SETTINGS, baseUrl };
      panel.update(settings, '');
      expect(untranslated(textsOf(panel.node), settings)).toEqual([]);
    }
  );

  it('is told apart from what did not', () => {
    const said = (text: string, title: string): string[] => {
      const node = document.createElement('p');
      node.append(text);
      node.title = title;
      const around = document.createElement('div');
      around.append(node);
      return textsOf(around);
    };
    const translated = marking.__('Answer: %1', marking.__('none'));
    expect(untranslated(said(translated, '12 s'), {})).toEqual([]);
    expect(untranslated(said('2870', 'x'), { answer: 'x' })).toEqual([]);
    expect(untranslated(said('Answer', 'Copy'), {})).toEqual([
      'Copy',
      'Answer'
    ]);
  });
});
