import { canonical } from './canonical.js';
import { eventLeafHash, leafEntry, sha256Hex } from './leaf.js';
import { leafHash } from './merkle.js';

const EVENT = {
  stream: 'job-job:0123',
  revision: 4,
  type: 'ROUTER_DECISION',
  data: { b: 2, a: { $enc: { ct: 'x' } } },
  metadata: { signature: 'ff', event_id: 'é', job_seed: 's' },
};
const PARTS = { ...EVENT, data: canonical(EVENT.data), metadata: canonical(EVENT.metadata) };

describe('the leaf of an event', () => {
  test('is the canonical object of data hash, metadata, stream, revision and type', () => {
    const entry = canonical({
      stream: EVENT.stream,
      stream_revision: EVENT.revision,
      type: EVENT.type,
      metadata: EVENT.metadata,
      data_hash: sha256Hex(canonical(EVENT.data)),
    });
    expect(leafEntry(PARTS)).toBe(entry);
    expect(eventLeafHash(PARTS)).toEqual(leafHash(entry));
  });

  test.each([
    ['stream', { stream: 'job-job:0124' }],
    ['revision', { revision: 5 }],
    ['type', { type: 'router_miss' }],
    ['data', { data: canonical({ ...EVENT.data, b: 3 }) }],
    ['signature', { metadata: canonical({ ...EVENT.metadata, signature: 'fe' }) }],
  ])('is another where the %s is another', (_, change) => {
    expect(eventLeafHash({ ...PARTS, ...change })).not.toEqual(eventLeafHash(PARTS));
  });
});
