/**
 * What a reader chose to try, and what that asks of a re-vote. Pure.
 */
import type { IAsk } from '../revote/course';
import type { PolicyName } from '../revote/policies';
import { USUAL_TAU } from '../revote/rules';
import type { IViewPart } from '../wire';

/** A rule that can be tried; `recorded` are rules together that no single choice stands for. */
export type RuleChoice =
  | 'recorded'
  | 'usual'
  | 'share'
  | 'planned'
  | 'beta'
  | 'lead'
  | 'window'
  | 'none';

/** Everything that can be chosen. A number is kept while another rule is tried. */
export interface IChoice {
  readonly rule: RuleChoice;
  readonly tau: number;
  readonly minAnswers: number;
  readonly p: number;
  readonly k: number;
  readonly w: number;
  readonly policy: PolicyName;
  readonly wCode: number;
  readonly entropy: boolean;
  /** Last tokens whose entropy weighs, 0 for all of them; null for those of the run. */
  readonly window: number | null;
}

const USUAL = { p: 0.95, k: 3, w: 5 };

/** The names of the numbers that rules take. */
const NUMBER_OF = {
  share: 'tau',
  planned: 'tau',
  beta: 'p',
  lead: 'k',
  window: 'w'
} as const;

/** What was in force when the result was counted. */
export function recordedChoice(part: IViewPart): IChoice {
  const choice: IChoice = {
    ...USUAL,
    rule: 'recorded',
    tau: part.tau,
    minAnswers: part.minAnswers,
    policy: part.policy,
    wCode: part.wCode,
    entropy: true,
    window: null
  };
  const [name, ...numbers] = part.stop.trim().split(':');
  if (name === 'usual' || name === 'none') {
    return { ...choice, rule: name };
  }
  if (name === 'uncatchable') {
    return { ...choice, rule: 'none' };
  }
  if (Object.hasOwn(NUMBER_OF, name) && !part.stop.includes(',')) {
    const rule = name as keyof typeof NUMBER_OF;
    const value = Number(numbers.at(0) ?? part.tau);
    return Number.isFinite(value)
      ? { ...choice, rule, [NUMBER_OF[rule]]: value }
      : choice;
  }
  return choice;
}

/** Whether the share's threshold plays a part. */
export function takesTau({ rule }: IChoice, part: IViewPart): boolean {
  if (rule === 'recorded') {
    return part.stop
      .split(',')
      .some(each => ['share', 'usual'].includes(each.trim()));
  }
  return rule === 'usual' || rule === 'share' || rule === 'planned';
}

/** The number that the rule takes; null for one that takes none. */
export function numberOf(
  choice: IChoice,
  part: IViewPart
): 'tau' | 'p' | 'k' | 'w' | null {
  const { rule } = choice;
  if (rule in NUMBER_OF) {
    return NUMBER_OF[rule as keyof typeof NUMBER_OF];
  }
  return takesTau(choice, part) ? 'tau' : null;
}

/** Whether the fewest answers play a part. */
export function takesAnswers({ rule }: IChoice, part: IViewPart): boolean {
  return rule === 'recorded'
    ? /\b(share|usual)\b/.test(part.stop)
    : rule === 'usual' || rule === 'share';
}

/** The stop rules as the setting `stop` names them. */
export function stopOf(choice: IChoice, part: IViewPart): string {
  switch (choice.rule) {
    case 'recorded':
      return part.stop;
    case 'usual':
    case 'none':
      return choice.rule;
    default:
      return `${choice.rule}:${choice[NUMBER_OF[choice.rule]]}`;
  }
}

/** What differs from the record; nothing where it is as it was. */
export function askOf(choice: IChoice, part: IViewPart): IAsk {
  const before = recordedChoice(part);
  const { entropy, minAnswers, policy, tau, wCode, window } = choice;
  const sameRules =
    choice.rule === before.rule &&
    (['tau', 'minAnswers', 'p', 'k', 'w'] as const).every(
      name => choice[name] === before[name] || !counts(name, choice, part)
    );
  return {
    ...(sameRules ? {} : { stop: stopOf(choice, part), tau, minAnswers }),
    ...(policy === before.policy ? {} : { policy }),
    ...(wCode === before.wCode ? {} : { wCode }),
    ...(entropy ? {} : { entropy }),
    ...(window === null ? {} : { window })
  };
}

/** Whether a number plays a part in the chosen rule. */
function counts(
  name: 'tau' | 'minAnswers' | 'p' | 'k' | 'w',
  choice: IChoice,
  part: IViewPart
): boolean {
  switch (name) {
    case 'tau':
      return takesTau(choice, part);
    case 'minAnswers':
      return takesAnswers(choice, part);
    default:
      return (
        choice.rule in NUMBER_OF &&
        NUMBER_OF[choice.rule as keyof typeof NUMBER_OF] === name
      );
  }
}

/** Whether a Beta rule stands beside the usual share. */
export function usualHasBeta({ minAnswers, tau }: IChoice): boolean {
  return tau <= USUAL_TAU && minAnswers <= 4;
}
