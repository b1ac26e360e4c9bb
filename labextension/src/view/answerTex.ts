/**
 * Answers, which are bare TeX as a rule: what a person reads, and what a typesetter is given.
 */
import { formulasIn } from './formulas';
import { readableTex } from './readableTex';
import { isTypesettable } from './typesettable';

const COMMAND = /\\[A-Za-z]/;
const NO_PROSE =
  /\\(?:text|mathrm|operatorname)[a-z]*\s*\{[^{}]*\}|\\[A-Za-z]+/g;
const PROSE = /[A-Za-z]{3,}|[A-Za-z0-9]{2,}_|_[A-Za-z]{2,}/;
// As people write them: 2^10 is a power of ten, to TeX it is 2^1 and 0.
const LONG_SCRIPT = /([\^_])\s*([+-]?[0-9]+)/g;
const SHORT_OF_BRACES = /[\^_]\s*\(|^\s*\{/;

/** A text with its formulas readable. */
export function readableText(text: string): string {
  const parts: string[] = [];
  let end = 0;
  for (const { from, to, tex } of formulasIn(text)) {
    parts.push(text.slice(end, from), readableTex(tex.trim()));
    end = to;
  }
  return [...parts, text.slice(end)].join('');
}

/** An answer as a person reads it. */
export function readableAnswer(answer: string): string {
  if (formulasIn(answer).length > 0) {
    return readableText(answer);
  }
  return COMMAND.test(answer) || !isProse(answer)
    ? readableTex(answer)
    : answer;
}

/**
 * The formula that an answer is as a whole; undefined where it is a number or words, or would be
 * drawn as something else than it says.
 */
export function answerFormula(answer: string): string | undefined {
  const found = formulasIn(answer);
  const [first] = found;
  const whole =
    found.length === 1 &&
    answer.slice(0, first.from).trim() === '' &&
    answer.slice(first.to).trim() === '';
  const tex = whole ? first.tex : answer;
  const plain = !COMMAND.test(tex);
  if (
    (found.length > 0 && !whole) ||
    (plain && !/[\^_]/.test(tex)) ||
    (plain && /(?<![\^_]\s*)\{/.test(tex)) ||
    isProse(tex) ||
    SHORT_OF_BRACES.test(tex)
  ) {
    return undefined;
  }
  const braced = tex.replace(LONG_SCRIPT, '$1{$2}');
  return isTypesettable(braced) ? braced : undefined;
}

/** Whether an answer is words rather than mathematics. */
function isProse(answer: string): boolean {
  return PROSE.test(answer.replace(NO_PROSE, ' '));
}
