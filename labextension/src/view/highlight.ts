/**
 * Python code as elements with classes, coloured by the style sheet; never as markup.
 */
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';
import { parser } from '@lezer/python';

import { element } from '../elements';

/** Longer code is shown without colours: parsing it would hold up the page. */
export const HIGHLIGHTED_CHARS = 40_000;

const CLASSES = tagHighlighter([
  { tag: tags.comment, class: 'jp-TirCode-comment' },
  { tag: [tags.string, tags.special(tags.string)], class: 'jp-TirCode-string' },
  { tag: tags.number, class: 'jp-TirCode-number' },
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.modifier],
    class: 'jp-TirCode-keyword'
  },
  { tag: [tags.bool, tags.null, tags.self], class: 'jp-TirCode-atom' },
  {
    tag: [
      tags.definition(tags.function(tags.variableName)),
      tags.definition(tags.className),
      tags.function(tags.definition(tags.variableName))
    ],
    class: 'jp-TirCode-definition'
  },
  { tag: tags.meta, class: 'jp-TirCode-meta' },
  { tag: tags.operator, class: 'jp-TirCode-operator' }
]);

/** The code in pieces, in order; together they hold all of it. */
export function highlighted(code: string): Node[] {
  if (code.length > HIGHLIGHTED_CHARS) {
    return [element('span', '', code)];
  }
  const pieces: Node[] = [];
  let done = 0;
  const add = (to: number, className: string): void => {
    if (to > done) {
      pieces.push(element('span', className, code.slice(done, to)));
      done = to;
    }
  };
  highlightTree(parser.parse(code), CLASSES, (from, to, className) => {
    add(from, '');
    add(to, className);
  });
  add(code.length, '');
  return pieces;
}
