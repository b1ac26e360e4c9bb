/**
 * The extension's icon: a tally of five, in the theme's icon colour.
 */
import { LabIcon } from '@jupyterlab/ui-components';

export const tirIcon = new LabIcon({
  name: 'jupyterlab-tir:tally',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">' +
    '<path class="jp-icon3 jp-icon-selectable" fill="none" stroke="#616161" ' +
    'stroke-width="1.5" stroke-linecap="round" ' +
    'd="M3.5 3v10M6.5 3v10M9.5 3v10M12.5 3v10M1.5 11.5l13-7"/></svg>'
});
