/**
 * The static result of a run, as a saved notebook holds it, and how it is read.
 *
 * Pure, and the one place that knows the format's fields, which are those of the Python struct
 * `StaticRun`. What a notebook holds is untrusted: a value of the wrong kind makes the whole bundle
 * unreadable, with the name of the field. Fields that nothing draws are not read.
 */

/** The MIME type under which a notebook holds the result. */
export const RUN_MIME_TYPE = 'application/vnd.jupyterlab-tir.run+json';

/** The format that this code reads: the struct's `schema`. */
export const RUN_SCHEMA = 1;

/** What the run says of a claimed answer. */
export interface IVerdict {
  /** `agrees`, `disagrees` or `undecided`. */
  readonly verdict: string;
  readonly words: string;
}

/** One class of equivalent answers and its votes. */
export interface ICandidate {
  readonly shown: string;
  /** Samples that gave it. */
  readonly count: number;
  /** How many of these were verified by replayed code. */
  readonly codeVerified: number;
  readonly weight: number;
  /** Its part of all weight, 0 to 1. */
  readonly share: number;
  /** In nats a token; null without log-probabilities. */
  readonly meanEntropy: number | null;
}

/** Samples that cast no vote, by how they ended. */
export interface IWithoutBallot {
  readonly status: string;
  readonly count: number;
}

/** What stopping early was worth. */
export interface ISaved {
  readonly notStarted: number;
  readonly cancelled: number;
  readonly wastedTokens: number;
}

/** A finished run. */
export interface IRunBundle {
  readonly runId: string;
  readonly problem: string;
  /** How it ended: `answered`, `no-answer`, `stopped`, … */
  readonly status: string;
  /** The same in words. */
  readonly reason: string;
  /** The leader's shown form; null where no sample answered. */
  readonly answer: string | null;
  readonly verdict: IVerdict | null;
  readonly planned: number;
  readonly finished: number;
  readonly candidates: readonly ICandidate[];
  /** Candidates that the bundle leaves out. */
  readonly candidatesLeftOut: number;
  readonly withoutBallot: readonly IWithoutBallot[];
  /** What a reader of the numbers must know, and what the run noticed. */
  readonly remarks: readonly string[];
  readonly saved: ISaved;
  readonly server: {
    readonly model: string;
    readonly product: string;
    readonly version: string;
    readonly baseUrl: string;
  };
  /** How the samples' code was kept apart from the machine. */
  readonly isolation: string;
  readonly seed: number;
  readonly seconds: number;
  readonly tokens: number;
}

/** What came of reading a bundle. */
export type BundleReading =
  | { readonly kind: 'bundle'; readonly bundle: IRunBundle }
  | { readonly kind: 'other-schema'; readonly schema: string }
  | { readonly kind: 'unreadable'; readonly field: string };

/** Reads what a notebook holds under `RUN_MIME_TYPE`. */
export function readRunBundle(data: unknown): BundleReading {
  if (!isObject(data)) {
    return { kind: 'unreadable', field: RUN_MIME_TYPE };
  }
  if (data.schema !== RUN_SCHEMA) {
    const named =
      typeof data.schema === 'number' || typeof data.schema === 'string';
    return named
      ? { kind: 'other-schema', schema: String(data.schema) }
      : { kind: 'unreadable', field: 'schema' };
  }
  try {
    return { kind: 'bundle', bundle: bundleOf(new Reader(data, '')) };
  } catch (reason) {
    if (reason instanceof FieldError) {
      return { kind: 'unreadable', field: reason.field };
    }
    throw reason;
  }
}

function bundleOf(run: Reader): IRunBundle {
  const verdict = run.objectOrNull('verdict');
  const tally = run.object('tally');
  const saved = run.object('saved');
  const server = run.object('server');
  return {
    runId: run.text('run_id'),
    problem: run.object('problem').text('text'),
    status: run.text('status'),
    reason: run.text('reason'),
    answer: run.textOrNull('answer'),
    verdict: verdict && {
      verdict: verdict.text('verdict'),
      words: verdict.text('words')
    },
    planned: tally.number('planned'),
    finished: tally.number('finished'),
    candidates: tally.objects('candidates').map(candidate => ({
      shown: candidate.text('shown'),
      count: candidate.number('count'),
      codeVerified: candidate.number('code_verified'),
      weight: candidate.number('weight'),
      share: candidate.number('share'),
      meanEntropy: candidate.numberOrNull('mean_entropy')
    })),
    candidatesLeftOut: run.number('candidates_left_out'),
    withoutBallot: tally.objects('without_ballot').map(row => ({
      status: row.text('status'),
      count: row.numbers('samples').length
    })),
    remarks: [...run.texts('remarks'), ...run.texts('notices')],
    saved: {
      notStarted: saved.number('not_started'),
      cancelled: saved.number('cancelled'),
      wastedTokens: saved.number('wasted_tokens')
    },
    server: {
      model: server.text('model'),
      product: server.text('product'),
      version: server.text('version'),
      baseUrl: server.text('base_url')
    },
    isolation: run.text('isolation'),
    seed: run.number('seed'),
    seconds: run.number('seconds'),
    tokens: run.number('tokens')
  };
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

class FieldError extends Error {
  constructor(readonly field: string) {
    super(`The field ${field} is missing or of the wrong kind.`);
  }
}

/** Typed access to the fields of one object; throws `FieldError`. */
class Reader {
  constructor(
    private readonly _fields: Fields,
    private readonly _path: string
  ) {}

  text(name: string): string {
    const value = this._fields[name];
    return typeof value === 'string' ? value : this._refuse(name);
  }

  textOrNull(name: string): string | null {
    return this._fields[name] === null ? null : this.text(name);
  }

  texts(name: string): string[] {
    return this._array(name).map((value, index) =>
      typeof value === 'string' ? value : this._refuse(`${name}[${index}]`)
    );
  }

  numbers(name: string): number[] {
    return this._array(name).map((value, index) =>
      typeof value === 'number' ? value : this._refuse(`${name}[${index}]`)
    );
  }

  number(name: string): number {
    const value = this._fields[name];
    return typeof value === 'number' && Number.isFinite(value)
      ? value
      : this._refuse(name);
  }

  numberOrNull(name: string): number | null {
    return this._fields[name] === null ? null : this.number(name);
  }

  object(name: string): Reader {
    const value = this._fields[name];
    return isObject(value)
      ? new Reader(value, `${this._path}${name}.`)
      : this._refuse(name);
  }

  objectOrNull(name: string): Reader | null {
    return this._fields[name] === null ? null : this.object(name);
  }

  objects(name: string): Reader[] {
    return this._array(name).map((value, index) =>
      isObject(value)
        ? new Reader(value, `${this._path}${name}[${index}].`)
        : this._refuse(`${name}[${index}]`)
    );
  }

  private _array(name: string): readonly unknown[] {
    const value = this._fields[name];
    return Array.isArray(value) ? value : this._refuse(name);
  }

  private _refuse(name: string): never {
    throw new FieldError(this._path + name);
  }
}
