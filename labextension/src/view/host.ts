/**
 * What the view of a run needs of the page that it stands in.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ISnapshot } from './wire';

/** What a view can ask its page to do; what a page cannot do is left out, and so is its button. */
export interface IViewHost {
  readonly trans: TranslationBundle;
  /** Typesets the mathematics in an element; without it TeX is shown as readable text. */
  typeset?(element: HTMLElement): void | Promise<void>;
  /** Ends the run; false where that could not be asked. */
  stop?(): Promise<boolean>;
  /** Has the transcripts of these samples sent from now on, and no others. */
  open?(samples: readonly number[]): void;
  /** Puts code into a new cell below, without running it. */
  insertCode?(code: string): void;
  /** Tabs beside those of every run, after them. */
  readonly extraTabs?: readonly IExtraTab[];
}

/** A tab that the view itself knows nothing of. */
export interface IExtraTab {
  readonly title: string;
  /** Whether a run in this state has it; without this every run has it. */
  available?(snapshot: ISnapshot): boolean;
  /** Makes its content; called once, when it is first shown. */
  create(snapshot: ISnapshot): ITabContent;
}

/** What stands in a tab. */
export interface ITabContent {
  readonly node: HTMLElement;
  /** Shows another state of the run; called only while the tab is shown, and when it comes to be. */
  update(snapshot: ISnapshot): void;
  dispose?(): void;
}

/**
 * How the view hears of the run: `live` while batches come, `waiting` while none can be had though
 * the run may go on, `still` for a run that is over or a view without a kernel.
 */
export type Connection = 'live' | 'waiting' | 'still';
