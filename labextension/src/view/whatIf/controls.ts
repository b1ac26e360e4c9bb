/**
 * The controls of a what-if: the stop rule with its numbers, and how votes count.
 *
 * Keys work as in any form: each control that `element` makes keeps JupyterLab's shortcuts out.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { element, setText } from '../../elements';
import { whole } from '../numbers';
import type { PolicyName } from '../revote/policies';
import type { IViewPart } from '../wire';
import type { IChoice, RuleChoice } from './choice';
import {
  numberOf,
  recordedChoice,
  takesAnswers,
  takesTau,
  usualHasBeta
} from './choice';
import type { IRange } from './slider';
import { Slider } from './slider';

const SHARE = { least: 0.5, most: 1, step: 0.01 };
const CHANCE = { least: 0.5, most: 0.99, step: 0.01 };
const MOST_W_CODE = 4;
const MOST_ANSWERS = 1024;

/** Value of the entropy window's option that is the run's own. */
const AS_RUN = 'as-run';

let made = 0;

/** What is known of the record that decides which controls play a part. */
export interface IRecorded {
  readonly part: IViewPart;
  /** Whether any sample has a vote, any of these an entropy, and any sample at all. */
  readonly voted: boolean;
  readonly weighable: boolean;
  readonly measured: boolean;
  /** Entropy windows that can be tried, and the run's own: tokens, 0 for all of them. */
  readonly windows: readonly number[];
  readonly ownWindow: number;
}

/** All controls. */
export class Controls {
  constructor(
    private readonly _trans: TranslationBundle,
    private readonly _recorded: IRecorded,
    below: Node,
    private readonly _changed: (choice: IChoice) => void
  ) {
    const { part } = _recorded;
    this._choice = recordedChoice(part);
    const changes =
      (name: keyof IChoice) =>
      (value: number): void =>
        this._set({ [name]: value });
    const most = Math.max(2, part.planned);
    const trans = _trans;
    this._tau = new Slider(trans.__('Share τ'), SHARE, changes('tau'));
    this._minAnswers = new Slider(
      trans.__('Fewest answers'),
      { least: 1, most: Math.min(MOST_ANSWERS, most), step: 1 },
      changes('minAnswers')
    );
    this._p = new Slider(trans.__('Probability'), CHANCE, changes('p'));
    this._k = new Slider(
      trans.__('Samples ahead'),
      { least: 1, most, step: 1 },
      changes('k')
    );
    this._w = new Slider(
      trans.__('Samples in a row'),
      { least: 2, most, step: 1 },
      changes('w')
    );
    this._wCode = new Slider(
      trans.__('Code weight'),
      { least: 1, most: Math.max(MOST_W_CODE, part.wCode), step: 0.05 },
      changes('wCode')
    );
    this._rule.addEventListener('change', () =>
      this._set({ rule: this._rule.value as RuleChoice })
    );
    this._policy.addEventListener('change', () =>
      this._set({ policy: this._policy.value as PolicyName })
    );
    this._entropy.type = 'checkbox';
    this._entropy.addEventListener('change', () =>
      this._set({ entropy: this._entropy.checked })
    );
    this._window.addEventListener('change', () => {
      const { value } = this._window;
      this._set({ window: value === AS_RUN ? null : Number(value) });
    });
    this._fillSelects();
    const windowField = labelled(trans.__('Entropy of'), this._window);
    windowField.hidden = _recorded.windows.length === 0;
    this.node = element('div', 'jp-TirWhatIf-controls', [
      this._group(trans.__('When it stops'), [
        labelled(trans.__('Stop rule'), this._rule),
        this._tau.node,
        this._p.node,
        this._k.node,
        this._w.node,
        below,
        this._minAnswers.node,
        this._ruleWords
      ]),
      this._group(trans.__('How votes count'), [
        labelled(trans.__('Policy'), this._policy),
        this._wCode.node,
        labelled(trans.__('Weigh by entropy'), this._entropy),
        windowField,
        this._policyWords
      ])
    ]);
    this._show();
  }

  readonly node: HTMLElement;

  /** The range of the number that the rule takes; null for one that takes none. */
  get range(): IRange | null {
    const name = numberOf(this._choice, this._recorded.part);
    return name === null ? null : this[`_${name}`].range;
  }

  /** Gives the number that the rule takes another value. */
  pick(value: number): void {
    const name = numberOf(this._choice, this._recorded.part);
    if (name !== null) {
      this._set({ [name]: value });
    }
  }

  /** Back to what was recorded. */
  reset(): void {
    this._set(recordedChoice(this._recorded.part));
  }

  private _set(change: Partial<IChoice>): void {
    this._choice = { ...this._choice, ...change };
    this._show();
    this._changed(this._choice);
  }

  private _show(): void {
    const { _choice: choice, _trans: trans } = this;
    const { measured, part, weighable } = this._recorded;
    this._rule.value = choice.rule;
    this._policy.value = choice.policy;
    for (const name of ['tau', 'minAnswers', 'p', 'k', 'w', 'wCode'] as const) {
      this[`_${name}`].show(choice[name]);
    }
    this._tau.setLabel(
      choice.rule === 'planned'
        ? trans.__('Share of the plan')
        : trans.__('Share τ')
    );
    this._tau.node.hidden = !takesTau(choice, part);
    this._minAnswers.node.hidden = !takesAnswers(choice, part);
    this._p.node.hidden = choice.rule !== 'beta';
    this._k.node.hidden = choice.rule !== 'lead';
    this._w.node.hidden = choice.rule !== 'window';
    this._wCode.disabled = choice.policy === 'majority';
    this._entropy.checked = choice.entropy && measured;
    this._entropy.disabled =
      !weighable || choice.policy === 'majority' || choice.policy === 'blocks';
    this._window.value = choice.window === null ? AS_RUN : `${choice.window}`;
    this._window.disabled = this._entropy.disabled || !choice.entropy;
    setText(this._ruleWords, this._aboutRule(choice));
    setText(this._policyWords, this._aboutPolicy(choice));
  }

  private _aboutRule(choice: IChoice): string {
    const trans = this._trans;
    switch (choice.rule) {
      case 'recorded':
        return trans.__('The rules of the run, whichever fires first.');
      case 'usual':
        return usualHasBeta(choice)
          ? trans.__(
              'The leader has more than τ of the finished samples, or beats the runner-up with a probability above 0.97.'
            )
          : trans.__('The leader has more than τ of the finished samples.');
      case 'share':
        return trans.__('The leader has more than τ of the finished samples.');
      case 'planned':
        return trans.__(
          'The leader has more than this part of the planned samples.'
        );
      case 'beta':
        return trans.__(
          'The leader is the majority of the first two answers with a probability above this.'
        );
      case 'lead':
        return trans.__('The leader is so many samples ahead of every other.');
      case 'window':
        return trans.__('So many finished samples in a row say what leads.');
      case 'none':
        return trans.__(
          'Only once no answer can catch up; that rule is always on.'
        );
    }
  }

  private _aboutPolicy({ entropy, policy }: IChoice): string {
    const trans = this._trans;
    const { measured, voted, weighable } = this._recorded;
    switch (policy) {
      case 'majority':
        return trans.__('Each answer counts 1; code and entropy play no part.');
      case 'blocks':
        return trans.__(
          'The text’s answer counts 1, and the final value of each code block too, or the code weight where code verified it.'
        );
      default: {
        const words =
          policy === 'weighted'
            ? trans.__('The greatest weight wins.')
            : trans.__('The count decides, and among equals the weight.');
        if (!voted) {
          return `${words} ${trans.__('No sample has a vote to weigh.')}`;
        }
        if (!weighable) {
          return `${words} ${
            measured
              ? trans.__('No log-probabilities of votes are recorded.')
              : trans.__('No log-probabilities are recorded.')
          }`;
        }
        return `${words} ${
          entropy
            ? trans.__(
                'An answer weighs exp(−H), times the code weight where code verified it.'
              )
            : trans.__(
                'An answer weighs 1, times the code weight where code verified it.'
              )
        }`;
      }
    }
  }

  private _fillSelects(): void {
    const trans = this._trans;
    const { part } = this._recorded;
    const rules: [RuleChoice, string][] = [
      ['usual', trans.__('Usual: share, or Beta beside it')],
      ['share', trans.__('Share of the finished')],
      ['planned', trans.__('Share of the plan')],
      ['beta', trans.__('Beta: majority of the first two')],
      ['lead', trans.__('Lead')],
      ['window', trans.__('Window: the last ones agree')],
      ['none', trans.__('Only when it cannot be caught')]
    ];
    if (this._choice.rule === 'recorded') {
      rules.unshift(['recorded', trans.__('As run: %1', part.stop)]);
    }
    const policies: [PolicyName, string][] = [
      ['weighted', trans.__('Weighted')],
      ['majority', trans.__('Majority')],
      ['votes-first', trans.__('Votes first')],
      ['blocks', trans.__('Blocks')]
    ];
    fill(this._rule, rules);
    fill(this._policy, policies);
    const tokens = (window: number): string =>
      window === 0
        ? trans.__('all tokens')
        : trans._n(
            'the last token',
            'the last %2 tokens',
            window,
            whole(window)
          );
    const { ownWindow, windows } = this._recorded;
    fill(this._window, [
      [AS_RUN, trans.__('As run: %1', tokens(ownWindow))],
      ...windows.map(each => [`${each}`, tokens(each)] as const)
    ]);
  }

  private _group(title: string, content: readonly Node[]): HTMLElement {
    const group = element('fieldset', 'jp-TirWhatIf-group', [
      element('legend', '', title),
      ...content
    ]);
    return group;
  }

  private _choice: IChoice;
  private readonly _entropy = element('input', 'jp-TirWhatIf-check');
  private readonly _k: Slider;
  private readonly _minAnswers: Slider;
  private readonly _p: Slider;
  private readonly _policy = element('select', 'jp-TirWhatIf-select');
  private readonly _policyWords = element('p', 'jp-TirWhatIf-about');
  private readonly _rule = element('select', 'jp-TirWhatIf-select');
  private readonly _ruleWords = element('p', 'jp-TirWhatIf-about');
  private readonly _tau: Slider;
  private readonly _w: Slider;
  private readonly _wCode: Slider;
  private readonly _window = element('select', 'jp-TirWhatIf-select');
}

function labelled(words: string, input: HTMLElement): HTMLElement {
  const label = element('label', 'jp-TirWhatIf-label', words);
  input.id = `jp-tir-what-if-${++made}`;
  label.htmlFor = input.id;
  return element('div', 'jp-TirWhatIf-field', [label, input]);
}

function fill(
  select: HTMLSelectElement,
  choices: readonly (readonly [string, string])[]
): void {
  select.append(
    ...choices.map(([value, words]) => {
      const option = element('option', '', words);
      option.value = value;
      return option;
    })
  );
}
