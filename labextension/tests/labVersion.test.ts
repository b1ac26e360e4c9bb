import { describe, expect, it } from 'vitest';

import packageJson from '../../package.json';
import { LEAST_LAB, labVersionFault } from '../src/labVersion';
import { plainTranslation } from './plainTranslation';

function faultOf(version: string, name = 'JupyterLab'): string {
  return labVersionFault(name, version, plainTranslation);
}

describe('labVersionFault', () => {
  it('names the version and the mend where JupyterLab is too old', () => {
    expect(faultOf('3.6.8')).toBe(
      "TIR's panel and result view need JupyterLab 4.0 or newer, and this is 3.6.8: update it with pip install -U jupyterlab; %%tir works all the same."
    );
    expect(faultOf('2.10.0')).toContain('this is 2.10.0');
  });

  it.each(['4.0.0', '4.0.0rc1', '4.6.6', '4.10.0', '5.0.0a1', '10.0.0'])(
    'says nothing about %s',
    version => {
      expect(faultOf(version)).toBe('');
    }
  );

  it('says nothing about what it cannot read', () => {
    expect(faultOf('unknown')).toBe('');
    expect(faultOf('')).toBe('');
  });

  it('says nothing about applications that count their versions otherwise', () => {
    expect(faultOf('0.6.0', 'JupyterLite')).toBe('');
    expect(faultOf('3.0.0', 'Jupyter Notebook')).toBe('');
  });

  it('agrees with the range that jupyter labextension list checks', () => {
    expect(packageJson.dependencies['@jupyterlab/application']).toBe(
      `^${LEAST_LAB.join('.')}.0`
    );
  });
});
