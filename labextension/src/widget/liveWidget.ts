/**
 * The view of a run as an anywidget, for pages without our JupyterLab extension.
 *
 * The trait `snapshot` holds the run as it was at first and, once it is over, as it ended; what
 * comes between is asked of the kernel.
 */
import { element } from '../elements';
import { RunSource } from '../live/runSource';
import type { IWidgetModel } from '../live/widgetChannel';
import { channelOf } from '../live/widgetChannel';
import type { IViewHost } from '../view/host';
import { readSnapshot } from '../view/reading';
import { RunView } from '../view/runView';
import type { ISnapshot } from '../view/wire';
import { plainTranslation as trans } from './plainTranslation';

interface IRenderProps {
  readonly model: IWidgetModel;
  readonly el: HTMLElement;
}

/** Draws the run of a model into an element; what it returns takes it away again. */
function render({ model, el }: IRenderProps): () => void {
  const reading = readSnapshot(model.get('snapshot'));
  if (reading.kind !== 'read') {
    el.append(
      element(
        'p',
        'jp-TirRun-unread',
        trans.__(
          'This run cannot be drawn here: the kernel and the page have different versions of jupyterlab_tir.'
        )
      )
    );
    return () => undefined;
  }
  const drawn = new LiveWidget(model, reading.value);
  el.append(drawn.view.node);
  return () => drawn.dispose();
}

class LiveWidget {
  constructor(
    private readonly _model: IWidgetModel,
    snapshot: ISnapshot
  ) {
    this.view = new RunView(this._host(), snapshot);
    if (snapshot.end === null) {
      this._source = new RunSource({
        channel: channelOf(_model),
        runId: snapshot.head.runId,
        sink: this.view,
        trans
      });
    } else {
      this.view.setConnection('still');
    }
    _model.on('change:snapshot', this._onSnapshot);
  }

  readonly view: RunView;

  dispose(): void {
    this._model.off('change:snapshot', this._onSnapshot);
    this._source?.dispose();
    this._source = null;
    this.view.dispose();
  }

  private _host(): IViewHost {
    const source = (): RunSource | null => this._source;
    return {
      trans,
      get stop() {
        return source()?.canStop === true
          ? async () => (await source()?.stop()) ?? false
          : undefined;
      },
      get open() {
        return source() === null
          ? undefined
          : (samples: readonly number[]) => source()?.open(samples);
      }
    };
  }

  private readonly _onSnapshot = (): void => {
    const reading = readSnapshot(this._model.get('snapshot'));
    if (reading.kind === 'read' && reading.value.end !== null) {
      this._source?.dispose();
      this._source = null;
      this.view.show(reading.value);
      this.view.setConnection('still');
    }
  };

  private _source: RunSource | null = null;
}

export default { render };
