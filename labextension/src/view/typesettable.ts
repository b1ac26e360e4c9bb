/**
 * Which formulas a page's typesetter is given: those that can do nothing but be drawn.
 *
 * Typesetters know commands that define others, for the whole page and without bound (`\def`), that
 * make links, set classes and styles (`\href`, `\class`, `\style`), or hide what a person reads
 * (`\phantom`, `\color`, and a bare `%`, which makes a comment of the rest). So a formula is drawn
 * only where each of its commands is known to be harmless; any other is shown as it was written.
 */
import { visible } from '../elements';
import { MOST_FORMULA_CHARS } from './formulas';
import * as tex from './texSymbols';

const MOST_LEVELS = 24;

/** So many steps back at most, lest a formula covers what stands before it. */
const MOST_BACKSPACES = 8;

const COMMANDS = /\\(?:[A-Za-z]+\*?|[\s\S])/g;
const ENVIRONMENTS = /\\(?:begin|end)\s*\{([A-Za-z]*)\*?\}/g;
// Columns as `*{100000}{c}` are made before they are counted.
const REPEATED = /(?<!operatorname)\*\s*\{/;

// A comment's beginning, and a parameter of a definition.
const BARE = /[%#]/;

const OTHERS =
  `sqrt left right mathbb operatorname not begin end pmod overset underset stackrel overbrace
  underbrace overrightarrow overleftarrow substack tag nonumber notag hline cancel mathop mathbin
  mathrel mathord mathopen mathclose backslash leqq geqq lesssim gtrsim nexists complement coprod
  biguplus uplus sqcup sqcap bigoplus bigotimes bigvee bigwedge ominus odot wr amalg hookrightarrow
  xrightarrow xleftarrow longleftarrow longleftrightarrow Longleftarrow Longleftrightarrow longmapsto
  uparrow downarrow updownarrow Uparrow Downarrow nearrow searrow swarrow nwarrow leadsto
  rightleftharpoons triangleq doteq asymp prec succ preceq succeq models vdash dashv blacksquare Box
  Diamond diamond clubsuit heartsuit spadesuit diamondsuit bigcirc bigtriangleup bigtriangledown
  ddagger flat natural sharp imath jmath wp beth mho digamma varkappa measuredangle sphericalangle
  nsubseteq nsupseteq supsetneq nleq ngeq nless ngtr gtreqless lessgtr vDash Vdash smile frown
  varpropto thickapprox approxeq eqsim backsim lgroup rgroup lmoustache rmoustache overparen
  underparen check breve acute grave mathring dddot widecheck mathstrut strut thickspace medspace
  enspace negthinspace rm bf it cal tt sf scriptscriptstyle`.split(/\s+/);

const KNOWN: ReadonlySet<string> = new Set([
  ...tex.SYMBOLS.keys(),
  ...tex.RELATIONS.keys(),
  ...tex.TIGHT.keys(),
  ...tex.OPENING.keys(),
  ...tex.CLOSING.keys(),
  ...tex.ACCENTS.keys(),
  ...tex.FUNCTIONS,
  ...tex.SPACES,
  ...tex.NOTHING,
  ...tex.FRACTIONS,
  ...tex.BINOMIALS,
  ...tex.TEXTS,
  ...tex.STYLES,
  ...OTHERS,
  '\\',
  '|'
]);

/** Whether a formula may be typeset; nobody vouches for it. */
export function isTypesettable(formula: string): boolean {
  return (
    formula.length <= MOST_FORMULA_CHARS &&
    visible(formula) === formula &&
    isBalanced(formula) &&
    !REPEATED.test(formula) &&
    !BARE.test(formula.replace(/\\[\s\S]/g, '')) &&
    (formula.match(/\\!|\\negthinspace/g) ?? []).length <= MOST_BACKSPACES &&
    (formula.match(COMMANDS) ?? []).every(isKnown) &&
    [...formula.matchAll(ENVIRONMENTS)].every(
      ([, name]) => tex.MATRICES.has(name) || tex.LINES.has(name)
    )
  );
}

function isKnown(command: string): boolean {
  return KNOWN.has(command.slice(1).replace(/^([A-Za-z]+)\*$/, '$1'));
}

/** Whether braces are closed in order, and not nested beyond reason. */
function isBalanced(formula: string): boolean {
  let levels = 0;
  for (const [mark] of formula.matchAll(/\\[\s\S]|[{}]/g)) {
    levels += mark === '{' ? 1 : mark === '}' ? -1 : 0;
    if (levels < 0 || levels > MOST_LEVELS) {
      return false;
    }
  }
  return levels === 0;
}
