/**
 * Which candidate each answer counts for, where that depends on the other answers.
 *
 * A port of `jupyterlab_tir/answers/joining.py` to keys by place: what it asks of the keys' texts
 * (their order, which are floats, and of which keys) came with the data.
 */
import type { IViewAnswer, IViewRevote } from '../wire';

/** The answers of a run by place, and the keys that they can be read as. */
export class Answers {
  constructor(revote: Pick<IViewRevote, 'answers' | 'keys'>) {
    this._answers = revote.answers;
    this._keys = revote.keys;
    this._settled = revote.answers.map(
      ({ keys }) => keys.length === 1 && !this.hasFloat(keys[0])
    );
    this._floatOf = revote.keys.map(({ floatOf }) => new Set(floatOf));
  }

  /** The answer as written. */
  shown(answer: number): string {
    return this._answers[answer].shown;
  }

  /** Its own key. */
  key(answer: number): number {
    return this._answers[answer].keys[0];
  }

  /** All keys that it can be read as, its own first. */
  readings(answer: number): readonly number[] {
    return this._answers[answer].keys;
  }

  /** Whether no other answer can change what it counts for. */
  isSettled(answer: number): boolean {
    return this._settled[answer];
  }

  /** Whether a part of a key is a float. */
  hasFloat(key: number): boolean {
    return this._keys[key].hasFloat;
  }

  /** Whether a key is the float of another. */
  isFloatOf(key: number, other: number): boolean {
    return this._floatOf[key].has(other);
  }

  /** A key's text. */
  text(key: number): string {
    return this._keys[key].key;
  }

  /** Key of the candidate that each answer of a tally counts for. */
  candidateKeys(answers: readonly number[]): number[] {
    if (answers.every(answer => this.isSettled(answer))) {
      return answers.map(answer => this.key(answer));
    }
    const readings = this._chosenReadings(answers);
    const chosen = answers.map(
      answer => readings.get(this._named(answer)) ?? 0
    );
    const joins = this._floatJoins(new Set(chosen));
    return chosen.map(key => joins.get(key) ?? key);
  }

  private _named(answer: number): string {
    return this.readings(answer).join(' ');
  }

  /** The reading that each combination of readings takes, by its name. */
  private _chosenReadings(answers: readonly number[]): Map<string, number> {
    const combinations = new Map(
      answers.map(answer => [this._named(answer), this.readings(answer)])
    );
    const chosen = new Map<string, number>();
    const settled = new Set<number>();
    const wanted = new Set<number>();
    const ambiguous: [string, readonly number[]][] = [];
    for (const [name, keys] of combinations) {
      if (keys.length === 1) {
        chosen.set(name, keys[0]);
        settled.add(keys[0]);
      } else {
        ambiguous.push([name, keys]);
        keys.slice(1).forEach(key => wanted.add(key));
      }
    }
    // What somebody else's second reading is goes first, so that both can meet there.
    ambiguous.sort(
      ([, one], [, other]) =>
        Number(!wanted.has(one[0])) - Number(!wanted.has(other[0])) ||
        byElements(one, other)
    );
    for (const [name, keys] of ambiguous) {
      const others = keys.slice(1).filter(key => settled.has(key));
      const meets = !settled.has(keys[0]) && others.length === 1;
      const taken = meets ? others[0] : keys[0];
      chosen.set(name, taken);
      settled.add(taken);
    }
    return chosen;
  }

  /** The exact key that each float goes to, where that is exactly one. */
  private _floatJoins(keys: ReadonlySet<number>): Map<number, number> {
    const joins = new Map<number, number>();
    for (const key of keys) {
      const fitting = this._keys[key].floatOf.filter(
        other => keys.has(other) && !this.hasFloat(other)
      );
      if (fitting.length === 1) {
        joins.set(key, fitting[0]);
      }
    }
    return joins;
  }

  private readonly _answers: readonly IViewAnswer[];
  private readonly _keys: IViewRevote['keys'];
  private readonly _settled: readonly boolean[];
  private readonly _floatOf: readonly ReadonlySet<number>[];
}

function byElements(one: readonly number[], other: readonly number[]): number {
  for (let place = 0; place < Math.min(one.length, other.length); place += 1) {
    if (one[place] !== other[place]) {
      return one[place] - other[place];
    }
  }
  return one.length - other.length;
}
