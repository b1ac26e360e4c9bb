/**
 * What a reader of a page sees, for pages that have no layout of their own.
 */
import { vi } from 'vitest';

export interface IFakeSight {
  /** What is watched. */
  readonly watched: ReadonlySet<Element>;
  /** Says that an element came into sight or left it. */
  tell(node: Element, isIntersecting: boolean): void;
}

/** Lets a test say what is in sight; `vi.unstubAllGlobals` ends it. */
export function fakeSight(): IFakeSight {
  const callbacks = new Map<Element, IntersectionObserverCallback>();
  const watched = new Set<Element>();
  class Observer {
    constructor(private readonly _callback: IntersectionObserverCallback) {}

    observe(node: Element): void {
      watched.add(node);
      callbacks.set(node, this._callback);
    }

    unobserve(node: Element): void {
      watched.delete(node);
    }

    disconnect(): void {
      for (const [node, callback] of callbacks) {
        if (callback === this._callback) {
          watched.delete(node);
        }
      }
    }
  }
  vi.stubGlobal('IntersectionObserver', Observer);
  return {
    watched,
    tell: (target, isIntersecting) => {
      const entry = { target, isIntersecting } as IntersectionObserverEntry;
      callbacks.get(target)?.([entry], {} as IntersectionObserver);
    }
  };
}
