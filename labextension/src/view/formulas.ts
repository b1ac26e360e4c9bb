/**
 * Telling formulas from dollars: in "a shirt costs $5 and trousers $20" nothing is mathematics.
 *
 * A page's typesetter takes any two dollar signs for delimiters. Those that delimit nothing are put
 * into elements of their own here, which it does not look across.
 */
import { element } from '../elements';

// As in Pandoc: after the first dollar sign and before the last one stands no space, and no digit
// follows. Lengths are bounded so that a text of unclosed delimiters takes no time.
const FORMULA =
  /\$\$[^$]{1,4000}\$\$|\$(?=[^\s$])(?:\\[\s\S]|[^$\\]){0,4000}(?<=\S)\$(?!\d)|\\\([\s\S]{1,4000}?\\\)|\\\[[\s\S]{1,4000}?\\\]/g;

/** A text as nodes, in which only the delimiters of formulas are left for a typesetter to find. */
export function withFormulas(text: string): Node[] {
  const nodes: Node[] = [];
  let end = 0;
  for (const found of text.matchAll(FORMULA)) {
    nodes.push(...withoutFormulas(text.slice(end, found.index)));
    nodes.push(element('span', '', found[0]));
    end = found.index + found[0].length;
  }
  return [...nodes, ...withoutFormulas(text.slice(end))];
}

function withoutFormulas(text: string): Node[] {
  return text
    .split(/(\$)/)
    .filter(part => part !== '')
    .map(part => element('span', '', part));
}
