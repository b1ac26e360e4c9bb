/**
 * A run's course, counted in one way: what each moment has that stop rules ask for.
 *
 * Another threshold or rule asks the same moments, so that dragging a slider counts nothing anew.
 */
import type {
  IViewBallot,
  IViewEnded,
  IViewPart,
  IViewPoint,
  IViewRevote
} from '../wire';
import type { Answers } from './answers';
import { Count } from './count';
import type { IMoment } from './look';
import { Coming, Look } from './look';
import { Policy } from './policies';

/** How ballots weigh and what decides; what is left out is as recorded. */
export interface IWeighing {
  readonly policy?: IViewPart['policy'];
  readonly wCode?: number;
  /** False weighs each ballot as if the model had been sure of every token. */
  readonly entropy?: boolean;
  /** One of the run's `entropyWindows`: last tokens whose entropy weighs, 0 for all of them. */
  readonly window?: number;
}

/** A part that begins, or a sample that ends, in the order of the run. */
export type Step =
  | { readonly kind: 'part'; readonly part: number }
  | { readonly kind: 'ended'; readonly place: number };

/** What a step came to. */
export interface IStepped {
  readonly moment: IMoment;
  /** The leader then; null where no more samples had finished than before. */
  readonly point: IViewPoint | null;
}

/** All steps of a run. */
export function stepsOf({ ended, parts }: IViewRevote): readonly Step[] {
  const steps: Step[] = [];
  let part = 0;
  for (let place = 0; place <= ended.length; place += 1) {
    for (; part < parts.length && parts[part].start === place; part += 1) {
      steps.push({ kind: 'part', part });
    }
    if (place < ended.length) {
      steps.push({ kind: 'ended', place });
    }
  }
  return steps;
}

/** One way of counting; steps are taken in order, each once. */
export class Way {
  constructor(
    private readonly _revote: IViewRevote,
    private readonly _steps: readonly Step[],
    private readonly _answers: Answers,
    private readonly _weighing: IWeighing,
    /** The first part in which rules are asked. */
    readonly askedFrom: number
  ) {
    this.ended = _revote.ended.map(each => weighed(each, _revote, _weighing));
  }

  /** The samples as they weigh in this way. */
  readonly ended: readonly IViewEnded[];

  /** What a step came to; the next one after those that were asked for, or one of these. */
  step(number: number): IStepped {
    while (this._taken.length <= number) {
      this._taken.push(this._take(this._steps[this._taken.length]));
    }
    return this._taken[number];
  }

  /** The run when so many samples had ended, in one of its parts. */
  look(part: number, place: number): Look {
    const { measurable, planned } = this._revote.parts[part];
    const ended = this.ended.slice(0, place);
    const count = new Count(this._policyOf(part), this._answers, ended);
    return new Look(count, planned, measurable);
  }

  private _take(step: Step): IStepped {
    return step.kind === 'part'
      ? { moment: this._enter(step.part), point: null }
      : this._add(this._revote.ended[step.place], this.ended[step.place]);
  }

  private _enter(number: number): IMoment {
    const part = this._revote.parts[number];
    const policy = this._policyOf(number);
    const before = this._look?.count;
    const count =
      before?.policy.countsAs(policy) === true
        ? before
        : new Count(policy, this._answers, before?.outcomes);
    const { measurable, planned } = part;
    this._part = number;
    this._coming = new Coming(planned, count.outcomes);
    this._look = new Look(count, planned, measurable, this._coming);
    return this._look.moment(part.asked && number >= this.askedFrom);
  }

  private _add({ asked }: IViewEnded, ended: IViewEnded): IStepped {
    const { _look: look } = this;
    if (look === undefined) {
      throw new Error('a sample ended before the first part began');
    }
    look.count.add(ended);
    this._coming.end(ended);
    const moment = look.moment(asked && this._part >= this.askedFrom);
    const { finished, leader } = moment;
    if (finished === 0 || finished === this._finished) {
      return { moment, point: null };
    }
    this._finished = finished;
    return {
      moment,
      point: {
        finished,
        sample: ended.sample,
        leader: leader?.shown ?? '',
        count: leader?.count ?? 0,
        weightShare: leader?.share ?? 0
      }
    };
  }

  private _policyOf(number: number): Policy {
    const part = this._revote.parts[number];
    const { policy = part.policy, wCode = part.wCode } = this._weighing;
    return new Policy(policy, { ...part, wCode });
  }

  private _coming = new Coming(0, []);
  private _finished = 0;
  private _look: Look | undefined;
  private _part = 0;
  private readonly _taken: IStepped[] = [];
}

/** A sample as its ballots weigh. */
function weighed(
  ended: IViewEnded,
  { entropyWindows }: IViewRevote,
  { entropy, window }: IWeighing
): IViewEnded {
  if (entropy === false) {
    return measuredBy(ended, null, 1);
  }
  const place = window === undefined ? -1 : entropyWindows.indexOf(window);
  return place < 0
    ? ended
    : measuredBy(
        ended,
        ended.entropies.at(place) ?? null,
        ended.factors.at(place) ?? null
      );
}

/** The same with another entropy in all its ballots. */
function measuredBy(
  ended: IViewEnded,
  entropy: number | null,
  factor: number | null
): IViewEnded {
  const changed = (ballot: IViewBallot): IViewBallot => ({
    ...ballot,
    entropy,
    factor
  });
  return {
    ...ended,
    ballot: ended.ballot === null ? null : changed(ended.ballot),
    blocks: ended.blocks.map(({ ballot, block }) => ({
      block,
      ballot: changed(ballot)
    }))
  };
}
