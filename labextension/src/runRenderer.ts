/**
 * The renderer of runs for JupyterLab's output areas.
 *
 * A saved run needs no kernel and no trust: it is drawn from the output alone. One that goes on is
 * kept up to date by the kernel of the document that it stands in. What cannot be read is named in
 * one sentence and left to the output's `text/html` or `text/plain`, drawn by JupyterLab's own
 * renderers.
 */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { Panel, Widget } from '@lumino/widgets';

import { element } from './elements';
import { LiveRun, withoutKernel } from './live/liveRun';
import type { FindPlace, IRunPlace } from './live/places';
import type { IRunSink } from './live/runSource';
import type { IViewHost } from './view/host';
import type { Reading } from './view/reading';
import { readSnapshot } from './view/reading';
import { RunView } from './view/runView';
import type { ISnapshot } from './view/wire';
import { RUN_MIME_TYPE, VIEW_SCHEMA } from './view/wire';

/** Ahead of the widget manager's view, whose rank is -10, and of `text/html`. */
export const RUN_RANK = -20;

const FALLBACKS = ['text/html', 'text/markdown', 'text/plain'];

/** What the renderers need of their page. */
export interface IRunRendererContext {
  /** Draws what this renderer cannot read. */
  readonly registry: IRenderMimeRegistry;
  readonly findPlace: FindPlace;
  readonly trans: TranslationBundle;
}

/** The factory to add to a registry. */
export function runRendererFactory(
  context: IRunRendererContext
): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [RUN_MIME_TYPE],
    defaultRank: RUN_RANK,
    createRenderer: options => new RunRenderer(options, context)
  };
}

class RunRenderer extends Panel implements IRenderMime.IRenderer {
  constructor(
    private readonly _options: IRenderMime.IRendererOptions,
    private readonly _context: IRunRendererContext
  ) {
    super();
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const reading = readSnapshot(model.data[RUN_MIME_TYPE]);
    if (reading.kind === 'read') {
      this._show(reading.value);
    } else {
      this._clear();
      await this._renderOtherwise(reading, model);
    }
  }

  override dispose(): void {
    this._clear();
    super.dispose();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._connect();
  }

  protected override onBeforeDetach(message: Message): void {
    super.onBeforeDetach(message);
    this._disconnect();
  }

  private _show(snapshot: ISnapshot): void {
    const goesOn = snapshot.end === null;
    if (this._view !== null && this._runId === snapshot.head.runId) {
      // The end of a run that was drawn live: what the person has opened stays open.
      if (!goesOn) {
        this._disconnect();
        this._goesOn = false;
      }
      this._view.show(snapshot);
    } else {
      this._clear();
      this._runId = snapshot.head.runId;
      this._goesOn = goesOn;
      this._view = new RunView(this._host(), snapshot);
      this.addWidget(new Widget({ node: this._view.node }));
    }
    if (!goesOn) {
      this._view.setConnection('still');
    } else if (this.isAttached) {
      this._connect();
    }
  }

  /** What this page can do for the view; some of it only while the run goes on. */
  private _host(): IViewHost {
    const typesetter = this._options.latexTypesetter;
    const place = (): IRunPlace | null =>
      this._context.findPlace(this._options.resolver, this.node);
    const live = (): LiveRun | null => this._live;
    const goesOn = (): boolean => this._goesOn;
    const node = this.node;
    return {
      trans: this._context.trans,
      ...(typesetter && {
        typeset: (node: HTMLElement) => typesetter.typeset(node)
      }),
      get stop() {
        return goesOn() && live()?.canStop === true
          ? async () => (await live()?.stop()) ?? false
          : undefined;
      },
      get open() {
        return goesOn()
          ? (samples: readonly number[]) => live()?.open(samples)
          : undefined;
      },
      get insertCode() {
        const insert = place()?.insertCode;
        return insert && ((code: string) => insert(code, node));
      }
    };
  }

  private _connect(): void {
    if (this._view === null || !this._goesOn || this._live !== null) {
      return;
    }
    const { findPlace, trans } = this._context;
    const place = findPlace(this._options.resolver, this.node);
    if (place === null) {
      this._view.setConnection('still', withoutKernel(trans));
      return;
    }
    this._live = new LiveRun({
      session: place.session,
      runId: this._runId,
      sink: keepingEnd(this._view, ended =>
        place.keepEnd?.(this._runId, ended)
      ),
      trans
    });
  }

  private _disconnect(): void {
    this._live?.dispose();
    this._live = null;
  }

  private _clear(): void {
    this._disconnect();
    this._view?.dispose();
    this._view = null;
    for (const child of [...this.widgets]) {
      child.dispose();
    }
  }

  private async _renderOtherwise(
    reading: Exclude<Reading<ISnapshot>, { kind: 'read' }>,
    model: IRenderMime.IMimeModel
  ): Promise<void> {
    const { registry, trans } = this._context;
    const sentence =
      reading.kind === 'other-schema'
        ? trans.__(
            'This result has format %1 and this version of jupyterlab_tir draws format %2: its plain form follows; install the version that wrote it to see more.',
            reading.schema,
            VIEW_SCHEMA
          )
        : trans.__(
            'This result cannot be drawn, as its field %1 is missing or of the wrong kind: its plain form follows.',
            reading.field
          );
    this.addWidget(
      new Widget({ node: element('p', 'jp-TirRun-unread', sentence) })
    );
    const mimeType = FALLBACKS.find(candidate => candidate in model.data);
    if (mimeType !== undefined) {
      const renderer = registry.createRenderer(mimeType);
      this.addWidget(renderer);
      await renderer.renderModel(model);
    }
  }

  private _view: RunView | null = null;
  private _live: LiveRun | null = null;
  private _runId = '';
  private _goesOn = false;
}

/** A view, of whose run its document is told when the kernel turns out to have it, and at its end. */
function keepingEnd(
  view: RunView,
  keep: (ended?: ISnapshot) => void
): IRunSink {
  return {
    get openSamples() {
      return view.openSamples;
    },
    apply: batch => {
      const fits = view.apply(batch);
      if (fits && batch.end !== null) {
        keep(view.snapshot);
      }
      return fits;
    },
    show: snapshot => {
      view.show(snapshot);
      keep(snapshot.end === null ? undefined : snapshot);
    },
    setConnection: (how, words) => view.setConnection(how, words)
  };
}
