/**
 * A button that copies text.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { button, setAttributes, setText } from '../elements';

const SAID_MS = 2_000;

/**
 * A button that copies what `text` returns; where the page may not use the clipboard it selects
 * `shown` instead, to be copied by hand.
 */
export function copyButton(
  trans: TranslationBundle,
  text: () => string,
  shown: HTMLElement
): HTMLButtonElement {
  const words = trans.__('Copy');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const say = (said: string): void => {
    // What the button is called again later need not be heard.
    setAttributes(made, { 'aria-live': 'polite' });
    setText(made, said);
    clearTimeout(timer);
    timer = setTimeout(() => {
      setAttributes(made, { 'aria-live': null });
      setText(made, words);
    }, SAID_MS);
  };
  const select = (): void => {
    document.getSelection()?.selectAllChildren(shown);
    say(trans.__('Selected: press Ctrl+C'));
  };
  const made = button('jp-TirRun-action', words, () => {
    // Not there outside secure contexts, whatever the types say.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    if (clipboard === undefined) {
      select();
      return;
    }
    clipboard.writeText(text()).then(() => say(trans.__('Copied')), select);
  });
  return made;
}
