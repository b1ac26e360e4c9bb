/**
 * The renderer of saved runs, for JupyterLab's output areas.
 *
 * Needs no kernel and no trust: it draws text. What it cannot read it names in one sentence and
 * leaves to the output's `text/html` or `text/plain`, drawn by JupyterLab's own renderers.
 */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Panel, Widget } from '@lumino/widgets';

import { element } from './elements';
import type { BundleReading } from './runBundle';
import { RUN_MIME_TYPE, RUN_SCHEMA, readRunBundle } from './runBundle';
import { PROBLEM_CLASS, drawRun } from './runView';

/** Ahead of `text/html`, whose rank is 50. */
export const RUN_RANK = 40;

const FALLBACKS = ['text/html', 'text/markdown', 'text/plain'];

/** The factory to add to a registry; `registry` draws what this one cannot read. */
export function runRendererFactory(
  registry: IRenderMimeRegistry,
  trans: TranslationBundle
): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [RUN_MIME_TYPE],
    defaultRank: RUN_RANK,
    createRenderer: options => new RunRenderer(options, registry, trans)
  };
}

class RunRenderer extends Panel implements IRenderMime.IRenderer {
  constructor(
    options: IRenderMime.IRendererOptions,
    registry: IRenderMimeRegistry,
    trans: TranslationBundle
  ) {
    super();
    this.addClass('jp-TirRun');
    this._typesetter = options.latexTypesetter;
    this._registry = registry;
    this._trans = trans;
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    for (const child of [...this.widgets]) {
      child.dispose();
    }
    const reading = readRunBundle(model.data[RUN_MIME_TYPE]);
    if (reading.kind !== 'bundle') {
      await this._renderOtherwise(reading, model);
      return;
    }
    const drawn = drawRun(reading.bundle, this._trans);
    this.addWidget(new Widget({ node: drawn }));
    const problem = drawn.querySelector<HTMLElement>(`.${PROBLEM_CLASS}`);
    if (this._typesetter && problem) {
      await this._typesetter.typeset(problem);
    }
  }

  private async _renderOtherwise(
    reading: Exclude<BundleReading, { kind: 'bundle' }>,
    model: IRenderMime.IMimeModel
  ): Promise<void> {
    const sentence =
      reading.kind === 'other-schema'
        ? this._trans.__(
            'This result has format %1 and this version of jupyterlab_tir draws format %2: its plain form follows; install the version that wrote it to see more.',
            reading.schema,
            RUN_SCHEMA
          )
        : this._trans.__(
            'This result cannot be drawn, as its field %1 is missing or of the wrong kind: its plain form follows.',
            reading.field
          );
    this.addWidget(
      new Widget({ node: element('p', 'jp-TirRun-unread', sentence) })
    );
    const mimeType = FALLBACKS.find(candidate => candidate in model.data);
    if (mimeType !== undefined) {
      const renderer = this._registry.createRenderer(mimeType);
      this.addWidget(renderer);
      await renderer.renderModel(model);
    }
  }

  private _typesetter: IRenderMime.ILatexTypesetter | null;
  private _registry: IRenderMimeRegistry;
  private _trans: TranslationBundle;
}
