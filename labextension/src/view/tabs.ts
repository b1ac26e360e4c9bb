/**
 * Tabs as the ARIA practices have them: arrow keys, Home and End move along the list, and only the
 * panel that is shown is ever brought up to date.
 */
import { button, element, setAttributes, setText } from '../elements';

let made = 0;

/** One tab and its panel. */
interface ITab {
  readonly button: HTMLButtonElement;
  readonly panel: HTMLElement;
}

/** A list of tabs, and below it the panel of the one that is chosen. */
export class Tabs {
  constructor(label: string, shown: (index: number) => void) {
    this._shown = shown;
    this._list = element('div', 'jp-TirTabs-list');
    setAttributes(this._list, { role: 'tablist', 'aria-label': label });
    this._list.addEventListener('keydown', event => this._onKey(event));
    this.node = element('div', 'jp-TirTabs', [this._list]);
  }

  readonly node: HTMLElement;

  /** The tab that is chosen, as what has the focus. */
  get button(): HTMLButtonElement {
    return this._tabs[this._current].button;
  }

  /** Index of the tab that is chosen. */
  get current(): number {
    return this._current;
  }

  /** Adds a tab after the others; the first one is chosen. */
  add(title: string, content: readonly Node[] = []): void {
    const index = this._tabs.length;
    const id = `jp-tir-tab-${++made}`;
    const tab = button('jp-TirTabs-tab', title, () => this.choose(index));
    const panel = element('div', 'jp-TirTabs-panel', content);
    setAttributes(tab, {
      id: id,
      role: 'tab',
      'aria-controls': `${id}-panel`,
      'aria-selected': 'false',
      tabindex: -1
    });
    setAttributes(panel, {
      id: `${id}-panel`,
      role: 'tabpanel',
      'aria-labelledby': id
    });
    panel.hidden = true;
    this._tabs.push({ button: tab, panel });
    this._list.append(tab);
    this.node.append(panel);
    if (index === 0) {
      this._mark(0);
    }
  }

  /** The panel of a tab. */
  panel(index: number): HTMLElement {
    return this._tabs[index].panel;
  }

  /** Gives a tab another title. */
  setTitle(index: number, title: string): void {
    setText(this._tabs[index].button, title);
  }

  /** Takes a tab off the list, or puts it back; the first is chosen where it was this one. */
  setAvailable(index: number, available: boolean): void {
    this._tabs[index].button.hidden = !available;
    if (!available && this._current === index) {
      this.choose(0);
    }
  }

  /** Shows a tab's panel. */
  choose(index: number): void {
    if (index !== this._current) {
      this._mark(index);
      this._shown(index);
    }
  }

  private _mark(index: number): void {
    this._current = index;
    this._tabs.forEach(({ button: tab, panel }, each) => {
      setAttributes(tab, {
        'aria-selected': String(each === index),
        tabindex: each === index ? 0 : -1
      });
      panel.hidden = each !== index;
    });
  }

  private _onKey(event: KeyboardEvent): void {
    const there = this._tabs.flatMap(({ button: tab }, index) =>
      tab.hidden ? [] : [index]
    );
    const at = there.indexOf(this._current);
    const to = {
      ArrowRight: (at + 1) % there.length,
      ArrowLeft: (at + there.length - 1) % there.length,
      Home: 0,
      End: there.length - 1
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      this.choose(there[to]);
      this._tabs[there[to]].button.focus();
    }
  }

  private _current = -1;
  private readonly _list: HTMLElement;
  private readonly _shown: (index: number) => void;
  private readonly _tabs: ITab[] = [];
}
