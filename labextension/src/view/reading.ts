/**
 * Reads what a kernel sent or a notebook holds into the types of the wire.
 *
 * Nobody vouches for either: a value of the wrong kind makes the whole unreadable, with the name of
 * its field. Fields with a default may be missing; fields that are not known are not read.
 */
import type { IBatch, ISnapshot } from './wire';
import { BATCH_SCHEMA, RUN_MIME_TYPE, SHAPES, VIEW_SCHEMA } from './wire';

/** What came of reading. */
export type Reading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'other-schema'; readonly schema: string }
  | { readonly kind: 'unreadable'; readonly field: string };

/**
 * More than any list of a run has: Python bounds them all. What a notebook holds may be anything, and
 * must not keep a page busy.
 */
const MOST_ITEMS = 10_000;

/** Samples of a run at most; see the setting `samples`. */
const MOST_SAMPLES = 1024;

const MOST_LEVELS = 4;
const MOST_SETTINGS = 200;

/** Reads a whole run. */
export function readSnapshot(data: unknown): Reading<ISnapshot> {
  const reading = read<ISnapshot>('Snapshot', data, VIEW_SCHEMA);
  if (reading.kind !== 'read') {
    return reading;
  }
  const field = beyond(reading.value);
  return field === undefined ? reading : { kind: 'unreadable', field };
}

/** The first field whose number no run can have. */
function beyond({ planned, samples, tally }: ISnapshot): string | undefined {
  const isCount = (value: number): boolean =>
    Number.isInteger(value) && value >= 0 && value <= MOST_SAMPLES;
  if (!isCount(planned)) {
    return 'planned';
  }
  if (!isCount(tally.planned)) {
    return 'tally.planned';
  }
  const wrong = samples.findIndex(({ sample }) => !isCount(sample));
  return wrong < 0 ? undefined : `samples[${wrong}].sample`;
}

/** Reads the changes of a run. */
export function readBatch(data: unknown): Reading<IBatch> {
  return read<IBatch>('Batch', data, BATCH_SCHEMA);
}

function read<T>(name: string, data: unknown, schema: number): Reading<T> {
  if (!isObject(data)) {
    return { kind: 'unreadable', field: RUN_MIME_TYPE };
  }
  if (data.schema !== schema) {
    const named =
      typeof data.schema === 'number' || typeof data.schema === 'string';
    return named
      ? { kind: 'other-schema', schema: String(data.schema) }
      : { kind: 'unreadable', field: 'schema' };
  }
  try {
    return { kind: 'read', value: valueOf(['struct', name], data, '') as T };
  } catch (reason) {
    if (reason instanceof FieldError) {
      return { kind: 'unreadable', field: reason.field };
    }
    throw reason;
  }
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

function valueOf(shape: unknown, value: unknown, path: string): unknown {
  if (typeof shape === 'string') {
    return simpleOf(shape, value, path);
  }
  const [kind, ...parts] = shape as readonly [string, ...unknown[]];
  switch (kind) {
    case 'nullable':
      return value === null ? null : valueOf(parts[0], value, path);
    case 'list':
      return arrayOf(value, path).map((each, index) =>
        valueOf(parts[0], each, `${path}[${index}]`)
      );
    case 'tuple':
      return tupleOf(parts, arrayOf(value, path), path);
    case 'record':
      return recordOf(parts[0], value, path);
    case 'literal':
      return parts.includes(value) ? value : refuse(path);
    case 'struct':
      return structOf(parts[0] as string, value, path);
    default:
      throw new Error(`A shape of the kind ${kind} is not known.`);
  }
}

function simpleOf(shape: string, value: unknown, path: string): unknown {
  if (shape === 'unknown') {
    return isShallow(value, MOST_LEVELS) ? value : refuse(path);
  }
  const fits =
    typeof value === shape &&
    (typeof value !== 'number' || Number.isFinite(value));
  return fits ? value : refuse(path);
}

/** Whether lists and objects are nested so many times at most, with no more than that in each. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) {
    return true;
  }
  const inner = Object.values(value);
  return (
    levels > 0 &&
    inner.length <= MOST_SETTINGS &&
    inner.every(each => isShallow(each, levels - 1))
  );
}

function arrayOf(value: unknown, path: string): readonly unknown[] {
  return Array.isArray(value) && value.length <= MOST_ITEMS
    ? value
    : refuse(path);
}

function tupleOf(
  shapes: readonly unknown[],
  values: readonly unknown[],
  path: string
): readonly unknown[] {
  if (values.length !== shapes.length) {
    refuse(path);
  }
  return values.map((each, index) =>
    valueOf(shapes[index], each, `${path}[${index}]`)
  );
}

function recordOf(
  shape: unknown,
  value: unknown,
  path: string
): Readonly<Record<string, unknown>> {
  if (!isObject(value)) {
    return refuse(path);
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      valueOf(shape, each, `${path}.${name}`)
    ])
  );
}

function structOf(name: string, value: unknown, path: string): Fields {
  if (!isObject(value)) {
    return refuse(path === '' ? name : path);
  }
  const made: Record<string, unknown> = {};
  for (const [field, [shape, ...rest]] of Object.entries(SHAPES[name])) {
    const inner = path === '' ? field : `${path}.${field}`;
    const given = Object.hasOwn(value, field) ? value[field] : undefined;
    if (given === undefined && rest.length === 0) {
      refuse(inner);
    }
    made[field] = valueOf(shape, given === undefined ? rest[0] : given, inner);
  }
  return made;
}

function refuse(path: string): never {
  throw new FieldError(path);
}
