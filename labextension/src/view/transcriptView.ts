/**
 * What a sample wrote and what its code gave, in order, growing while it goes on.
 */
import { element, setAttributes } from '../elements';
import { keepKeys } from '../ownKeys';
import type { IViewHost } from './host';
import type { Maths } from './maths';
import { SegmentView } from './segmentView';
import type { IViewSegment, IViewTranscript } from './wire';

/** Pixels from the end that still count as being there. */
const NEAR_END = 24;

/** One sample's transcript, in a box that scrolls. */
export class TranscriptView {
  constructor(
    sample: number,
    host: IViewHost,
    private readonly _maths: Maths
  ) {
    this._host = host;
    this.node = keepKeys(element('div', 'jp-TirTranscript'));
    setAttributes(this.node, {
      role: 'region',
      'aria-label': host.trans.__(
        'Transcript of sample %1',
        String(sample + 1)
      ),
      tabindex: 0
    });
    this.node.addEventListener('scroll', () => this._onScroll());
  }

  readonly node: HTMLElement;

  /** Shows more of it, which `writes` says may come; what is drawn already stays. */
  update(transcript: IViewTranscript, writes: boolean): void {
    // A box of one height: what is written into it has nothing around it laid out again.
    this.node.classList.toggle('jp-mod-writing', writes);
    this._writes = writes;
    if (transcript === this._shown) {
      return;
    }
    this._shown = transcript;
    const { segments } = transcript;
    segments.forEach((segment, index) => this._updateAt(index, segment));
    for (const gone of this._views.splice(segments.length)) {
      gone.node.remove();
    }
    this._grown = true;
  }

  /** Goes to the end where the reader was there; after all writing, since it reads the layout. */
  settle(): void {
    if (this._grown && this._atEnd && this._writes) {
      this.node.scrollTop = this.node.scrollHeight;
    }
    if (this._grown) {
      this._views.at(-1)?.settle();
    }
    this._grown = false;
  }

  private _updateAt(index: number, segment: IViewSegment): void {
    const view = this._views.at(index);
    if (view?.kind === segment.kind) {
      view.update(segment);
    } else {
      const made = new SegmentView(segment, this._host, this._maths);
      if (view === undefined) {
        this.node.append(made.node);
      } else {
        view.node.replaceWith(made.node);
      }
      this._views[index] = made;
    }
    const before = this._shown?.segments[index - 1];
    this._views[index].node.classList.toggle(
      'jp-mod-nextTurn',
      before !== undefined && before.turn !== segment.turn
    );
  }

  private _onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.node;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END) {
      this._atEnd = true;
    } else if (scrollTop < this._lastTop) {
      this._atEnd = false;
    }
    this._lastTop = scrollTop;
  }

  private _atEnd = true;
  private _grown = false;
  private readonly _host: IViewHost;
  private _lastTop = 0;
  private _shown: IViewTranscript | undefined;
  private readonly _views: SegmentView[] = [];
  private _writes = false;
}
