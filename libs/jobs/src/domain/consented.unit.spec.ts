import type { JsonObject } from '#lib/kernel';

import { consentsIn } from './consented.js';

const event = (type: string, data: JsonObject) => ({ type, data });

describe('the consents of a job', () => {
  it('are those of its query and those of what it read, each once', () => {
    const events = [
      event('JOB_ACCEPTED', { consent_ids: ['c2'] }),
      event('AGENT_OUTPUT', { evidence: [{ key: 'k', consents: ['c1', 'c2'] }, { key: 'other' }] }),
    ];
    expect(consentsIn(events)).toEqual(['c1', 'c2']);
  });

  it('are none where nothing personal was asked or read, or where it was erased', () => {
    const erased = event('AGENT_OUTPUT', { evidence: { $erased: true } });
    expect(consentsIn([event('JOB_ACCEPTED', {}), erased])).toEqual([]);
  });
});
