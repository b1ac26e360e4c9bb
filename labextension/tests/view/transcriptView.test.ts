import { describe, expect, it } from 'vitest';

import { Maths } from '../../src/view/maths';
import { TranscriptView } from '../../src/view/transcriptView';
import type { IViewSegment } from '../../src/view/wire';
import { plainTranslation } from '../plainTranslation';

function segment(
  kind: IViewSegment['kind'],
  text: string,
  streaming = false
): IViewSegment {
  return {
    kind,
    turn: 0,
    text,
    chars: 0,
    ms: null,
    status: '',
    streaming,
    copied: null
  };
}

describe('a transcript that goes on', () => {
  it.each([
    ['text', true, 1_000],
    ['code', true, 1_000],
    ['result', true, 1_000],
    ['result', false, 0]
  ] as const)(
    'with %s at its end, and writing: %s, is scrolled to %d',
    (kind, writes, top) => {
      const trans = plainTranslation;
      const view = new TranscriptView(0, { trans }, new Maths());
      // No layout here.
      Object.defineProperty(view.node, 'scrollHeight', { value: 1_000 });
      const segments = [
        segment('text', 'Let us compute.'),
        segment(kind, '42', kind === 'text')
      ];
      view.update({ sample: 0, segments, start: 0 }, writes);
      view.settle();
      expect(view.node.scrollTop).toBe(top);
    }
  );
});
