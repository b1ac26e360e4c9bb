/**
 * What is asked, of whom and how; and the button that ends it.
 */
import { button, element, setAttributes, setText } from '../elements';
import { keepKeys } from '../ownKeys';
import type { Connection, IViewHost } from './host';
import type { Maths } from './maths';
import type { ISnapshot, IViewHead } from './wire';

/** The class of the element that holds the problem, where LaTeX is typeset. */
export const PROBLEM_CLASS = 'jp-TirRun-problem';

/** The problem, the facts and the Stop button. */
export class HeaderView {
  constructor(
    host: IViewHost,
    private readonly _maths: Maths
  ) {
    this._host = host;
    this._stop = button(
      'jp-TirRun-stop',
      host.trans.__('Stop'),
      () => void this._askToStop()
    );
    this._stop.hidden = true;
    keepKeys(this._problem);
    this._claim.append(`${host.trans.__('Your answer:')} `, this._claimed);
    // Not an alert: a notebook that is opened may hold many runs that were cut short.
    this._words.setAttribute('aria-live', 'polite');
    this.node = element('div', 'jp-TirHeader', [
      element('div', 'jp-TirHeader-top', [
        element('div', 'jp-TirHeader-asked', [this._problem, this._claim]),
        this._stop
      ]),
      this._facts,
      this._words
    ]);
    this.background = element('details', 'jp-TirRun-background', [
      element('summary', '', host.trans.__('Server, settings and origin')),
      this._list
    ]);
  }

  readonly node: HTMLElement;

  /** Where the numbers come from; closed until someone asks. */
  readonly background: HTMLElement;

  /** Shows another state of the run. */
  update(snapshot: ISnapshot): void {
    if (snapshot.head !== this._head) {
      this._showHead(snapshot.head);
    }
    this._over = snapshot.end !== null;
    this._showStop();
  }

  /** Says how the view hears of the run, in `words` where there are some. */
  setConnection(how: Connection, words: string): void {
    this._connection = how;
    this.node.dataset.connection = how;
    this._connectionWords = words;
    this._showStop();
  }

  private _showHead(head: IViewHead): void {
    const { trans } = this._host;
    const before = this._head;
    this._head = head;
    if (before?.problem.text !== head.problem.text) {
      this._maths.showText(this._problem, head.problem.text);
      this._problem.tabIndex = mayScroll(head.problem.text) ? 0 : -1;
    }
    const { claim } = head.problem;
    this._claim.hidden = claim === null;
    this._maths.showAnswer(this._claimed, claim);
    const facts: readonly (readonly [string, string])[] = [
      [trans.__('Model'), head.server.model],
      [trans.__('Plan'), head.plan],
      [trans.__('Isolation of the code'), head.isolation]
    ];
    this._facts.replaceChildren(
      ...facts.map(([name, value]) =>
        element('span', 'jp-TirHeader-fact', [
          element('span', 'jp-TirHeader-name', `${name} `),
          element('span', 'jp-TirHeader-value', value)
        ])
      )
    );
    this._list.replaceChildren(
      ...this._origin(head).flatMap(([name, value]) => [
        element('dt', '', name),
        element('dd', '', value)
      ])
    );
  }

  private _origin(head: IViewHead): (readonly [string, string])[] {
    const { trans } = this._host;
    const { server } = head;
    const settings = Object.entries(head.settings)
      .filter(([, value]) => value !== null && value !== '')
      .map(([name, value]) => `${name} = ${plain(value)}`)
      .join(', ');
    return [
      [
        trans.__('Server'),
        `${server.product} ${server.version}, ${server.baseUrl} (${server.source})`
      ],
      [trans.__('Code is asked for as'), server.dialect],
      [trans.__('Stop rule'), `${head.rule}, τ = ${head.tau}`],
      [trans.__('Temperature and seed'), `${head.temperature}, ${head.seed}`],
      [trans.__('Settings'), settings],
      [
        trans.__('Run'),
        head.continued
          ? trans.__('%1, continued, begun %2', head.runId, head.created)
          : trans.__('%1, begun %2', head.runId, head.created)
      ],
      [trans.__('Version'), `jupyterlab_tir ${head.version}`]
    ];
  }

  private _showStop(): void {
    const { trans, stop } = this._host;
    const there = !this._over && stop !== undefined;
    if (!there && this._stop === document.activeElement) {
      this._problem.focus();
    }
    this._stop.hidden = !there;
    // Disabled in words only: a disabled button would lose the focus.
    setAttributes(this._stop, { 'aria-disabled': String(this._stopping) });
    setText(
      this._stop,
      this._stopping ? trans.__('Stopping…') : trans.__('Stop')
    );
    const said = this._over
      ? ''
      : this._refused
        ? trans.__(
            'The kernel could not be asked to stop: interrupt it, or run %tir stop.'
          )
        : this._connectionWords || this._usualWords();
    setText(this._words, said);
    this._words.hidden = said === '';
  }

  private _usualWords(): string {
    const { trans } = this._host;
    switch (this._connection) {
      case 'live':
        return '';
      case 'waiting':
        return trans.__(
          'The kernel does not answer at the moment; the run may go on.'
        );
      case 'still':
        return trans.__(
          'The run was going on when this was saved; there is no kernel to say how it went on.'
        );
    }
  }

  private async _askToStop(): Promise<void> {
    if (this._stopping) {
      return;
    }
    this._stopping = true;
    this._refused = false;
    this._showStop();
    const asked = (await this._host.stop?.()) ?? false;
    if (!asked) {
      this._stopping = false;
      this._refused = true;
      this._showStop();
    }
  }

  private readonly _claim = element('p', 'jp-TirHeader-claim');
  private readonly _claimed = element('span', 'jp-TirHeader-claimed');
  /** Until more is known there is nothing to say. */
  private _connection: Connection = 'live';
  private _connectionWords = '';
  private readonly _facts = element('p', 'jp-TirHeader-facts');
  private _head: IViewHead | undefined;
  private readonly _host: IViewHost;
  private readonly _list = element('dl', 'jp-TirHeader-origin');
  private _over = false;
  private readonly _problem = element('div', PROBLEM_CLASS);
  private _refused = false;
  private readonly _stop: HTMLButtonElement;
  private _stopping = false;
  private readonly _words = element('p', 'jp-TirHeader-connection');
}

const SHORT_CHARS = 600;
const SHORT_LINES = 8;
const TALL_FORMULA = /\$\$|\\\[|\\begin\b/;

/** Whether a problem may be higher than its box, and must be reached by keyboard. */
function mayScroll(text: string): boolean {
  return (
    text.length > SHORT_CHARS ||
    text.split('\n').length > SHORT_LINES ||
    TALL_FORMULA.test(text)
  );
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
