/**
 * The extension's settings as typed values, and what they say about the server.
 *
 * Pure: knows neither JupyterLab nor the page. A stored value of the wrong kind is read as its
 * default, as a settings file can hold anything; a base URL is judged in words, never repaired.
 */

/** The settings of `schema/settings.json`. */
export interface IEngineSettings {
  /** Address of the server's API, `scripted:FILE`, `echo`, or empty for the embedded server. */
  readonly baseUrl: string;
  /** Model to ask; empty for the first that the server lists. */
  readonly model: string;
  /** Samples to plan, 1 to 1,024. */
  readonly samples: number;
  /** Seconds that a whole run may take, 1 to 86,400. */
  readonly deadline: number;
}

/** What holds where nothing is set; the schema's defaults. */
export const DEFAULT_SETTINGS: IEngineSettings = {
  baseUrl: '',
  model: '',
  samples: 8,
  deadline: 600
};

/** Which server a base URL names. */
export type ServerChoice =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'scripted'; readonly file: string }
  | { readonly kind: 'echo' }
  /** Holds a user name or password, and must be neither used nor shown. */
  | { readonly kind: 'secret' }
  | { readonly kind: 'unreadable'; readonly text: string };

/** The settings in a stored object, each value of the wrong kind or range replaced by its default. */
export function readSettings(
  stored: Readonly<Record<string, unknown>>
): IEngineSettings {
  return {
    baseUrl: text(stored.baseUrl, DEFAULT_SETTINGS.baseUrl),
    model: text(stored.model, DEFAULT_SETTINGS.model),
    samples: whole(stored.samples, 1, 1024, DEFAULT_SETTINGS.samples),
    deadline: whole(stored.deadline, 1, 86400, DEFAULT_SETTINGS.deadline)
  };
}

/** Which server `baseUrl` names; the same rules as the engine's `base_url`. */
export function serverChoice(baseUrl: string): ServerChoice {
  const named = baseUrl.trim();
  if (named === '') {
    return { kind: 'embedded' };
  }
  if (named === 'echo') {
    return { kind: 'echo' };
  }
  if (named.startsWith('scripted:') && named.length > 'scripted:'.length) {
    return { kind: 'scripted', file: named.slice('scripted:'.length) };
  }
  const isWeb = /^https?:\/\//i.test(named);
  const authority = isWeb ? named.split('/')[2] : named;
  if (authority.includes('@')) {
    return { kind: 'secret' };
  }
  if (!isWeb || /\s/.test(named) || !URL.canParse(named)) {
    return { kind: 'unreadable', text: named };
  }
  return { kind: 'address', address: named };
}

function text(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value.trim() : otherwise;
}

function whole(
  value: unknown,
  least: number,
  most: number,
  otherwise: number
): number {
  const fits =
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= least &&
    value <= most;
  return fits ? value : otherwise;
}
