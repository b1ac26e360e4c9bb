import { describe, expect, it } from 'vitest';

import schema from '../schema/settings.json';
import {
  DEFAULT_SETTINGS,
  readSettings,
  serverChoice
} from '../src/engineSettings';

describe('readSettings', () => {
  it('takes what is stored', () => {
    expect(
      readSettings({ baseUrl: ' echo ', model: 'm', samples: 3, deadline: 9 })
    ).toEqual({ baseUrl: 'echo', model: 'm', samples: 3, deadline: 9 });
  });

  it('reads values of the wrong kind or range as the default', () => {
    expect(
      readSettings({ baseUrl: 5, model: null, samples: 0, deadline: 1.5 })
    ).toEqual(DEFAULT_SETTINGS);
    expect(readSettings({ samples: 1025 }).samples).toBe(8);
    expect(readSettings({ samples: '8' }).samples).toBe(8);
  });

  it('has the defaults and ranges of the schema', () => {
    const { baseUrl, model, samples, deadline } = schema.properties;
    expect({
      baseUrl: baseUrl.default,
      model: model.default,
      samples: samples.default,
      deadline: deadline.default
    }).toEqual(DEFAULT_SETTINGS);
    for (const samplesTried of [samples.minimum, samples.maximum]) {
      expect(readSettings({ samples: samplesTried }).samples).toBe(
        samplesTried
      );
    }
    for (const deadlineTried of [deadline.minimum, deadline.maximum]) {
      expect(readSettings({ deadline: deadlineTried }).deadline).toBe(
        deadlineTried
      );
    }
  });

  it('has no setting that could hold a secret', () => {
    expect(Object.keys(schema.properties).join(' ')).not.toMatch(
      /key|token|password|secret/i
    );
  });
});

describe('serverChoice', () => {
  it.each(['', '   '])('reads %j as the embedded server', baseUrl => {
    expect(serverChoice(baseUrl)).toEqual({ kind: 'embedded' });
  });

  it('reads addresses, scripts and echo', () => {
    expect(serverChoice('http://127.0.0.1:8000/v1')).toEqual({
      kind: 'address',
      address: 'http://127.0.0.1:8000/v1'
    });
    expect(serverChoice('HTTPS://example.org/a@b/v1').kind).toBe('address');
    expect(serverChoice('scripted:examples/a b.json')).toEqual({
      kind: 'scripted',
      file: 'examples/a b.json'
    });
    expect(serverChoice('echo')).toEqual({ kind: 'echo' });
  });

  it.each([
    'http://me:pw@example.org/v1',
    'https://key@example.org',
    'me@host'
  ])('neither uses nor repeats %j', baseUrl => {
    expect(serverChoice(baseUrl)).toEqual({ kind: 'secret' });
  });

  it.each([
    '127.0.0.1:8000',
    'ftp://a/b',
    'http://',
    'http://a b/',
    'scripted:'
  ])('does not guess what %j means', baseUrl => {
    expect(serverChoice(baseUrl).kind).toBe('unreadable');
  });
});
