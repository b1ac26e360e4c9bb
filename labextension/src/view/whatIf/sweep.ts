/**
 * Every value of the rule's number at once: where the run would stop, and who would win.
 *
 * Small bars below the slider, for the eye; the sentence under them says the same.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { element, setText, visible } from '../../elements';
import type { Course, IAsk } from '../revote/course';
import type { IChoice } from './choice';
import { askOf, numberOf } from './choice';
import type { IRange } from './slider';
import { Slices } from './slices';

/** Most values that are tried. */
const MOST_VALUES = 64;

/** What one value gives. */
interface ITried {
  readonly value: number;
  readonly key: string | null;
  readonly shown: string | null;
  readonly samples: number;
}

/** The bars and their sentence. */
export class Sweep {
  constructor(
    private readonly _trans: TranslationBundle,
    private readonly _pick: (value: number) => void
  ) {
    this._bars.setAttribute('aria-hidden', 'true');
    this.node = element('div', 'jp-TirWhatIf-sweep', [this._bars, this._words]);
  }

  readonly node: HTMLElement;

  /** Tries all values of the number that the rule takes; `answer` is the recorded one's key. */
  update(
    course: Course,
    choice: IChoice,
    range: IRange | null,
    answer: string | null
  ): void {
    const part = course.settings;
    const name = numberOf(choice, part);
    this.node.hidden = name === null || range === null;
    if (name === null || range === null) {
      this._slices.cancel();
      this._state = '';
      return;
    }
    const state = JSON.stringify({ ...choice, [name]: null, range });
    if (state !== this._state || course !== this._course) {
      this._state = state;
      this._course = course;
      const asks = valuesOf(range).map(value => ({
        value,
        ask: askOf({ ...choice, [name]: value }, part)
      }));
      this._slices.runLater(this._all(course, asks), tried => {
        this._tried = tried;
        this._draw(course.revote.ended.length, answer);
      });
    }
    this._mark(choice[name]);
  }

  dispose(): void {
    this._slices.cancel();
  }

  /** In small steps, so that dragging stays smooth meanwhile. */
  private *_all(
    course: Course,
    asks: readonly { readonly value: number; readonly ask: IAsk }[]
  ): Generator<undefined, ITried[]> {
    const tried: ITried[] = [];
    for (const { ask, value } of asks) {
      const { samples, tally } = yield* course.voting(ask, this._trans);
      const leader = tally.candidates.at(0);
      const key = leader?.key ?? null;
      tried.push({ value, key, shown: leader?.shown ?? null, samples });
      yield;
    }
    return tried;
  }

  private _draw(ended: number, answer: string | null): void {
    this._bars.replaceChildren(
      ...this._tried.map(({ key, samples, shown, value }) => {
        const bar = element('span', 'jp-TirWhatIf-bar', [element('span', '')]);
        const fill = bar.firstElementChild as HTMLElement;
        fill.style.height = `${Math.max(8, (100 * samples) / ended)}%`;
        bar.classList.toggle('jp-mod-other', key !== answer);
        bar.dataset.value = String(value);
        bar.title = this._trans.__(
          '%1: %2 after %3 samples',
          value,
          visible(shown ?? this._trans.__('no answer')),
          samples
        );
        bar.addEventListener('click', () => this._pick(value));
        return bar;
      })
    );
    setText(this._words, this._sentence());
    this._mark(this._marked);
  }

  private _mark(value: number): void {
    this._marked = value;
    for (const bar of this._bars.children) {
      const here = (bar as HTMLElement).dataset.value === String(value);
      bar.classList.toggle('jp-mod-here', here);
    }
  }

  /** Who wins at which values. */
  private _sentence(): string {
    const trans = this._trans;
    const stretches: { first: ITried; last: ITried }[] = [];
    for (const tried of this._tried) {
      const before = stretches.at(-1);
      if (before?.first.key === tried.key) {
        before.last = tried;
      } else {
        stretches.push({ first: tried, last: tried });
      }
    }
    if (stretches.length === 1) {
      const [{ first, last }] = stretches;
      return first.shown === null
        ? trans.__(
            'There is no answer at any value from %1 to %2.',
            first.value,
            last.value
          )
        : trans.__(
            '%1 wins at every value tried from %2 to %3.',
            first.shown,
            first.value,
            last.value
          );
    }
    if (stretches.length > 3) {
      return trans.__(
        'The winner changes %1 times between %2 and %3.',
        stretches.length - 1,
        stretches[0].first.value,
        this._tried[this._tried.length - 1].value
      );
    }
    const words = stretches.map(({ first, last }) =>
      first === last
        ? trans.__('%1 at %2', first.shown ?? trans.__('none'), first.value)
        : trans.__(
            '%1 from %2 to %3',
            first.shown ?? trans.__('none'),
            first.value,
            last.value
          )
    );
    return trans.__('The winner is %1.', words.join(trans.__(', ')));
  }

  private readonly _bars = element('div', 'jp-TirWhatIf-bars');
  private _course: Course | undefined;
  private _marked = NaN;
  private _state = '';
  private readonly _slices = new Slices();
  private _tried: readonly ITried[] = [];
  private readonly _words = element('p', 'jp-TirWhatIf-sweepWords');
}

function valuesOf({ least, most, step }: IRange): number[] {
  const steps = Math.round((most - least) / step);
  const every = Math.ceil((steps + 1) / MOST_VALUES);
  const count = Math.floor(steps / every) + 1;
  return Array.from({ length: count }, (_, place) =>
    Number((least + place * every * step).toFixed(2))
  );
}
