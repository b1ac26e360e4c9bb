/**
 * Draws a finished run as plain elements, verdict first.
 *
 * No JupyterLab, and no HTML: problems, answers and names come from people, models and servers.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { element } from './elements';
import type { ICandidate, IRunBundle, IWithoutBallot } from './runBundle';

/** The class of the element that holds the problem, where LaTeX may be typeset. */
export const PROBLEM_CLASS = 'jp-TirRun-problem';

/** Rows of the table at most; a tally can hold a hundred candidates. */
const SHOWN_CANDIDATES = 20;

/** The run in a new element. */
export function drawRun(
  run: IRunBundle,
  trans: TranslationBundle
): HTMLElement {
  const rows = run.candidates.length + run.withoutBallot.length;
  return element('div', 'jp-TirRun-body', [
    headline(run, trans),
    ...(rows > 0 ? [votes(run, trans)] : []),
    ...sentences(run, trans).map(said =>
      element('p', 'jp-TirRun-sentence', said)
    ),
    background(run, trans)
  ]);
}

function headline(run: IRunBundle, trans: TranslationBundle): HTMLElement {
  const made = element('div', 'jp-TirRun-headline');
  if (run.verdict) {
    const words = element('p', 'jp-TirRun-verdict', run.verdict.words);
    words.dataset.verdict = run.verdict.verdict;
    made.append(words);
  }
  made.append(
    element(
      'p',
      'jp-TirRun-answer',
      run.answer === null
        ? trans.__('No answer')
        : trans.__('Answer: %1', run.answer)
    )
  );
  return made;
}

function votes(run: IRunBundle, trans: TranslationBundle): HTMLElement {
  const titles = [
    trans.__('Answer'),
    trans.__('Samples'),
    trans.__('Code-verified'),
    trans.__('Weight'),
    trans.__('Entropy'),
    trans.__('Share of the weight')
  ];
  const head = titles.map(title => {
    const cell = element('th', '', title);
    cell.scope = 'col';
    return cell;
  });
  const caption = trans.__(
    '%1 of %2 samples finished',
    whole(run.finished),
    whole(run.planned)
  );
  return element('table', 'jp-TirRun-votes', [
    element('caption', '', caption),
    element('thead', '', [element('tr', '', head)]),
    element('tbody', '', [
      ...run.candidates.slice(0, SHOWN_CANDIDATES).map(candidateRow),
      ...run.withoutBallot.map(row => withoutBallotRow(row, trans))
    ])
  ]);
}

function candidateRow(candidate: ICandidate): HTMLElement {
  const entropy =
    candidate.meanEntropy === null ? '–' : fixed(candidate.meanEntropy, 2);
  return element('tr', '', [
    rowTitle('jp-TirRun-shown', candidate.shown),
    element('td', '', whole(candidate.count)),
    element('td', '', whole(candidate.codeVerified)),
    element('td', '', fixed(candidate.weight, 2)),
    element('td', '', entropy),
    element('td', 'jp-TirRun-share', [
      bar(candidate.share),
      element('span', '', percent(candidate.share))
    ])
  ]);
}

function withoutBallotRow(
  row: IWithoutBallot,
  trans: TranslationBundle
): HTMLElement {
  const rest = element('td', 'jp-TirRun-lost', trans.__('no vote'));
  rest.colSpan = 4;
  return element('tr', '', [
    rowTitle('jp-TirRun-lost', row.status.replaceAll('-', ' ')),
    element('td', '', whole(row.count)),
    rest
  ]);
}

function rowTitle(className: string, words: string): HTMLElement {
  const made = element('th', className, words);
  made.scope = 'row';
  return made;
}

/** A bar for the eye only: the same share stands beside it in words. */
function bar(share: number): HTMLElement {
  const fill = element('span', 'jp-TirRun-fill');
  fill.style.width = `${Math.min(Math.max(share, 0), 1) * 100}%`;
  const made = element('span', 'jp-TirRun-bar', [fill]);
  made.setAttribute('aria-hidden', 'true');
  return made;
}

function sentences(run: IRunBundle, trans: TranslationBundle): string[] {
  const said = [...run.remarks, run.reason];
  const leftOut =
    run.candidatesLeftOut +
    Math.max(0, run.candidates.length - SHOWN_CANDIDATES);
  if (leftOut > 0) {
    said.unshift(
      trans._n(
        'One more candidate is not shown.',
        '%1 more candidates are not shown.',
        leftOut
      )
    );
  }
  if (run.saved.notStarted > 0 || run.saved.cancelled > 0) {
    said.push(
      trans.__(
        'Never started: %1 of %2 samples. Stopped in flight: %3, after %4 tokens.',
        whole(run.saved.notStarted),
        whole(run.planned),
        whole(run.saved.cancelled),
        whole(run.saved.wastedTokens)
      )
    );
  }
  return said.filter(sentence => sentence !== '');
}

function background(run: IRunBundle, trans: TranslationBundle): HTMLElement {
  const facts: readonly (readonly [string, string])[] = [
    [trans.__('Model'), run.server.model],
    [
      trans.__('Server'),
      trans.__(
        '%1 %2 at %3',
        run.server.product,
        run.server.version,
        run.server.baseUrl
      )
    ],
    [
      trans.__('Cost'),
      trans.__('%1 tokens, %2 s', whole(run.tokens), fixed(run.seconds, 1))
    ],
    [trans.__('Isolation of the code'), run.isolation],
    [trans.__('Run'), trans.__('%1, seed %2', run.runId, String(run.seed))]
  ];
  const lines = facts.flatMap(([name, value]) => [
    element('dt', '', name),
    element('dd', '', value)
  ]);
  return element('details', 'jp-TirRun-background', [
    element('summary', '', trans.__('Problem, server and cost')),
    element('p', PROBLEM_CLASS, run.problem),
    element('dl', '', lines)
  ]);
}

function whole(value: number): string {
  return new Intl.NumberFormat(undefined, {
    maximumFractionDigits: 0
  }).format(value);
}

function fixed(value: number, digits: number): string {
  return new Intl.NumberFormat(undefined, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits
  }).format(value);
}

function percent(share: number): string {
  return new Intl.NumberFormat(undefined, {
    style: 'percent',
    maximumFractionDigits: 0
  }).format(share);
}
