import { createHash } from 'node:crypto';
import fc from 'fast-check';
import * as ids from './ids.js';

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');
const SEED = 'demo-1';

describe('ids are the formulas of the specification', () => {
  test.each([
    ['event_id', ids.eventId(SEED, 3, 'JOB_ACCEPTED'), sha256('demo-1:3:JOB_ACCEPTED')],
    ['snapshot_id', ids.snapshotId('c0ffee', 1, 'router'), sha256('c0ffee:1:router')],
    ['wm_id', ids.workingMemoryId(SEED, 0), `wm:${sha256('demo-1:0')}`],
    ['episodic_id', ids.episodicId(SEED, 7), `ep:${sha256('demo-1:7')}`],
    ['consent_id', ids.consentId('user_tuff', SEED, 'yes, ü'), sha256('user_tuffdemo-1yes, ü')],
    ['job_id', ids.jobId(SEED), `job:${sha256('demo-1:job').slice(0, 32)}`],
    ['query_id', ids.queryId(SEED), `q-${sha256('demo-1:query').slice(0, 32)}`],
    ['trace_id', ids.traceId(SEED), `trace-${sha256('demo-1:trace').slice(0, 16)}`],
    ['log_id', ids.logId('q-1', '2025-01-01T00:00:00.000Z', SEED), sha256('q-12025-01-01T00:00:00.000Zdemo-1')],
    ['brainstate_id', ids.brainstateId(SEED, '2025-01-01T00:00:00.000Z'), 'bs:demo-1:2025-01-01T00:00:00.000Z'],
  ])('%s', (_name, id, expected) => {
    expect(id).toBe(expected);
  });

  test('an event id never changes between releases', () => {
    expect(ids.eventId('a', 0, 'B')).toBe('d5dbb332eec9543ab7cf7b2a178b19b06e93ed04a3a5d38ef5d30ebadfd3a494');
    expect(ids.jobId('a')).toBe('job:e2eb45298c8b7034916d85546f204389');
  });
});

describe('store id of an event', () => {
  test('is the first 16 bytes with version nibble 5 and the RFC 9562 variant', () => {
    expect(ids.storeUuid('f'.repeat(64))).toBe('ffffffff-ffff-5fff-bfff-ffffffffffff');
    expect(ids.storeUuid('0'.repeat(64))).toBe('00000000-0000-5000-8000-000000000000');
    expect(ids.storeUuid('0123456789abcdef4123456789abcdef' + '0'.repeat(32))).toBe(
      '01234567-89ab-5def-8123-456789abcdef',
    );
  });

  test('equals the same computed on bytes', () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const bytes = createHash('sha256').update(seed).digest().subarray(0, 16);
        bytes[6] = (bytes[6]! & 0x0f) | 0x50;
        bytes[8] = (bytes[8]! & 0x3f) | 0x80;
        expect(ids.storeUuid(sha256(seed)).replaceAll('-', '')).toBe(bytes.toString('hex'));
      }),
    );
  });
});
