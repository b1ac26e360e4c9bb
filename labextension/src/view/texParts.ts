/**
 * A formula's parts, one after the other: commands, characters, runs of space.
 */
const PARTS = /\\[A-Za-z]+\*?|\\[\s\S]|\s+|[\s\S]/gu;

/** The formula is not well formed, or nested too deep. */
export class AsWritten extends Error {}

/** The parts, and how far they are read. */
export class TexParts {
  constructor(formula: string) {
    this._parts = formula.match(PARTS) ?? [];
  }

  /** The next part, or one further on; empty behind the end. */
  peek(ahead = 0): string {
    return this._parts.at(this._at + ahead) ?? '';
  }

  take(): string {
    const part = this.peek();
    if (part === '') {
      throw new AsWritten();
    }
    this._at += 1;
    return part;
  }

  expect(part: string): void {
    if (this.take() !== part) {
      throw new AsWritten();
    }
  }

  skip(): void {
    this._at += 1;
  }

  back(): void {
    this._at -= 1;
  }

  skipSpace(): void {
    if (isSpace(this.peek())) {
      this._at += 1;
    }
  }

  /** The rest of a number. */
  digits(): string {
    const found: string[] = [];
    while (
      isDigit(this.peek()) ||
      (this.peek() === '.' && isDigit(this.peek(1)))
    ) {
      found.push(this.take());
    }
    return found.join('');
  }

  /** The text in the braces that follow, without what stands in it for drawing only. */
  raw(): string {
    this.skipSpace();
    this.expect('{');
    const found: string[] = [];
    for (let levels = 1; ;) {
      const part = this.take();
      levels += part === '{' ? 1 : part === '}' ? -1 : 0;
      if (levels === 0) {
        return found.join('');
      }
      if (part !== '{' && part !== '}') {
        const escaped = /^\\[^\p{L}]$/u.test(part);
        found.push(escaped ? part.slice(1) : part === '~' ? ' ' : part);
      }
    }
  }

  private _at = 0;
  private readonly _parts: readonly string[];
}

export function isSpace(part: string): boolean {
  return part !== '' && part.trim() === '';
}

export function isDigit(part: string): boolean {
  return part.length === 1 && part >= '0' && part <= '9';
}
