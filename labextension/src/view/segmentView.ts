/**
 * One piece of a transcript: what it is, its text, and what can be done with it.
 */
import { button, element, setText } from '../elements';
import { copyButton } from './copying';
import { highlighted } from './highlight';
import type { IViewHost } from './host';
import type { Maths } from './maths';
import { milliseconds, whole } from './numbers';
import { TextBody } from './textBody';
import type { IViewSegment } from './wire';
import { cellWords, segmentWords } from './words';

const PROSE = new Set<IViewSegment['kind']>(['text', 'reasoning']);

/** A piece of one kind; one of another kind takes another view. */
export class SegmentView {
  constructor(segment: IViewSegment, host: IViewHost, maths: Maths) {
    this._host = host;
    this._segment = segment;
    this.kind = segment.kind;
    const actions = element('span', 'jp-TirSegment-actions');
    this.node = element('div', `jp-TirSegment jp-mod-${segment.kind}`, [
      element('div', 'jp-TirSegment-head', [
        element(
          'span',
          'jp-TirSegment-kind',
          segmentWords(segment.kind, host.trans)
        ),
        this._facts,
        actions
      ])
    ]);
    if (segment.kind === 'code') {
      this._body = element('pre', 'jp-TirSegment-code');
    } else {
      this._text = new TextBody(
        'jp-TirSegment-text',
        host.trans,
        // What code printed is no mathematics.
        PROSE.has(segment.kind) ? maths : undefined
      );
      this._body = this._text.node;
    }
    this.node.append(this._body);
    if (segment.kind === 'code' && host.insertCode !== undefined) {
      actions.append(
        button('jp-TirRun-action', host.trans.__('Insert as cell'), () =>
          host.insertCode?.(this._segment.text)
        )
      );
    }
    actions.append(
      copyButton(host.trans, () => this._segment.text, this._body)
    );
    this._draw(true);
  }

  readonly kind: IViewSegment['kind'];
  readonly node: HTMLElement;

  /** Shows the same piece, grown or ended. */
  update(segment: IViewSegment): void {
    if (segment === this._segment) {
      return;
    }
    const other = segment.text !== this._segment.text;
    this._segment = segment;
    this._draw(other);
  }

  /** Makes ready for what comes next; call it after all writing, since it reads the layout. */
  settle(): void {
    this._text?.settle();
  }

  private _draw(other: boolean): void {
    const segment = this._segment;
    this.node.classList.toggle('jp-mod-streaming', segment.streaming);
    if (this._text !== undefined) {
      const nothing = segment.kind === 'result' && segment.text === '';
      this._text.update(
        nothing ? this._host.trans.__('(no output)') : segment.text,
        segment.streaming
      );
    } else if (other) {
      this._body.replaceChildren(...highlighted(segment.text));
    }
    setText(this._facts, this._factWords());
  }

  private _factWords(): string {
    const { ms, status, chars, streaming } = this._segment;
    const { trans } = this._host;
    return [
      cellWords(status, trans),
      ms === null ? '' : milliseconds(ms),
      chars > 0 ? trans.__('cut: %1 characters in all', whole(chars)) : '',
      streaming ? trans.__('writing…') : ''
    ]
      .filter(words => words !== '')
      .join(' · ');
  }

  private readonly _body: HTMLElement;
  private readonly _facts = element('span', 'jp-TirSegment-facts');
  private readonly _host: IViewHost;
  private _segment: IViewSegment;
  private readonly _text: TextBody | undefined;
}
