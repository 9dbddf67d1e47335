/** Examples of the documentation. */

const JOB = 'job:bfb1808141396b618258ab032021660b';
const NODE = '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7';
const SNAPSHOT = 'fde2c99061068db99e78045c9e968034ee6804f2a7d8df9192e863deb5c734ca';
const VKEY = 'mace.local/0123456789abcdef+0a1b2c3d+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';

export const BUNDLE = {
  about: {
    checkpointed_at: '2026-01-05T10:00:01.000Z',
    job_id: JOB,
    made_at: '2026-01-05T11:00:00.000Z',
    said_later: { held: 0, stored: 0 },
    versions: {
      bundled_by: 'mace-0.1.0',
      detector: '3',
      engine: 1,
      policies: { router: SNAPSHOT },
      system: 'mace-0.1.0',
    },
  },
  checkpoint:
    'mace.local/0123456789abcdef\n2\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n\n— mace.local/0123456789abcdef Chs8PQ...\n',
  format: 'mace-bundle/1',
  keys: {
    events: [{ kid: 'event-hmac.1', not_after: null, not_before: '2026-01-01T00:00:00.000Z', state: 'active' }],
    signers: [{ vkey: VKEY, not_after: null, not_before: '2026-01-01T00:00:00.000Z' }],
  },
  manifest: `mace-bundle/1\n${JOB}\nabout ${NODE}\n...\n\n— mace.local/0123456789abcdef Chs8PQ...\n`,
  nodes: [NODE],
  records: [
    {
      leaf_index: 0,
      path: [0],
      revision: 0,
      stream: `job-${JOB}`,
      text: `{"data":{"blocked":false},"metadata":{"event_id":"..."},"stream":"job-${JOB}","type":"JOB_ACCEPTED"}`,
    },
  ],
  replay: {
    error_code: null,
    steps: [{ step: 'seal', verdict: 'ok', checked: 1, detail: 'the seal counts the 12 events before it' }],
    verdict: 'MATCH',
  },
};

const MOMENT = { type: ['string', 'null'], format: 'date-time' };
export const BUNDLE_FORMS = {
  'about.versions.policies': { type: 'object', additionalProperties: { type: 'string' } },
  'keys.events.not_after': MOMENT,
  'keys.signers.not_after': MOMENT,
  'keys.signers.not_before': MOMENT,
  'replay.error_code': { type: ['string', 'null'] },
  'replay.verdict': { type: ['string', 'null'], enum: ['MATCH', 'MATCH_WITH_ERASED_INPUTS', 'MISMATCH', null] },
};
