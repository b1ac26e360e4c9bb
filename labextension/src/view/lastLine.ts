/**
 * Where the last line of a text begins as a page has broken it.
 */

/** A place in an element's text: a text node of it, and characters into that. */
export interface ITextPlace {
  readonly node: Text;
  readonly offset: number;
}

/**
 * Where the last line of an element that holds text nodes alone begins: `at` characters into it,
 * which is `place`. Undefined where it has one line, or no layout.
 */
export function lastLineStart(
  block: HTMLElement
): { readonly at: number; readonly place: ITextPlace } | undefined {
  const nodes = [...block.childNodes].filter(each => each instanceof Text);
  const range = document.createRange();
  // Simulated pages lay nothing out.
  const asked = range as Partial<Pick<Range, 'getBoundingClientRect'>>;
  const placeOf = (at: number): ITextPlace => {
    let offset = at;
    const node = nodes.find(each => {
      const here = offset < each.length;
      offset -= here ? 0 : each.length;
      return here;
    });
    return { node: node ?? nodes[0], offset };
  };
  const topOf = (at: number): number => {
    const { node, offset } = placeOf(at);
    range.setStart(node, offset);
    range.setEnd(node, offset + 1);
    return range.getBoundingClientRect().top;
  };
  let high = nodes.reduce((sum, each) => sum + each.length, 0) - 1;
  if (high < 1 || asked.getBoundingClientRect === undefined) {
    return undefined;
  }
  const last = topOf(high);
  let low = 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (topOf(middle) < last) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return high === 0 ? undefined : { at: high, place: placeOf(high) };
}
