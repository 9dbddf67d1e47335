import { readFileSync } from 'node:fs';

import { ERROR_CATALOGUE, errorEnvelope } from '#lib/kernel';

import { ApiError, isEnvelope, REMEDIES } from './errors.js';
import { growingPause, maySendAgain, pauseAfter } from './tries.js';
import type { Envelope } from './types.js';

const META = { query_id: 'q-1', timestamp: '2026-01-01T00:00:00.000Z', trace_id: 'trace-1' };
const envelope = (code: keyof typeof ERROR_CATALOGUE): Envelope =>
  errorEnvelope(code, 'why', META) as unknown as Envelope;

describe('the guide to errors', () => {
  const rows = [
    ...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (\w+) \| (.+) \| (.+) \|$/gm),
  ];

  it('lists every code of the catalogue, in its order, with its status and severity', () => {
    expect(rows.map(([, code, status, severity]) => [code, Number(status), severity])).toEqual(
      Object.entries(ERROR_CATALOGUE).map(([code, { status, severity }]) => [code, status, severity]),
    );
  });

  it('says of each what the client does, and what each word of that means', () => {
    expect(Object.fromEntries(rows.map(([, code, , , , remedy]) => [code, remedy]))).toEqual(REMEDIES);
    const guide = readFileSync('docs/errors.md', 'utf8');
    for (const remedy of new Set(Object.values(REMEDIES))) expect(guide).toContain(`- *${remedy}*: `);
  });
});

describe('an error', () => {
  it('is told from an answer by its envelope', () => {
    expect(isEnvelope(envelope('NOT_FOUND'))).toBe(true);
    for (const other of [null, 'NOT_FOUND', [], {}, { error_code: null, key: 'k' }, { error_code: 'NOT_FOUND' }])
      expect(isEnvelope(other)).toBe(false);
  });

  it('that is thrown names its code and what was wrong', () => {
    expect(new ApiError(envelope('CONFLICT')).message).toBe('CONFLICT: why');
  });
});

describe('another try', () => {
  it('follows Retry-After, whatever the code', () => {
    expect(pauseAfter(envelope('RATE_LIMITED'), '7', 1)).toBe(7_000);
    expect(pauseAfter(envelope('CONFLICT'), '1', 3)).toBe(1_000);
  });

  it('follows the table where there is none, and nothing else', () => {
    expect(pauseAfter(envelope('DATA_UNAVAILABLE'), undefined, 1)).toBeGreaterThan(0);
    expect(pauseAfter(envelope('DATA_UNAVAILABLE'), 'Wed, 21 Oct 2026 07:28:00 GMT', 1)).toBeGreaterThan(0);
    for (const code of ['CONFLICT', 'AGENT_ERROR', 'INVALID_INPUT', 'STORAGE_FULL'] as const)
      expect(pauseAfter(envelope(code), undefined, 1)).toBeUndefined();
  });

  it('comes later each time, up to five seconds', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 20].map(growingPause);
    for (const [i, ms] of pauses.entries()) expect(ms).toBeLessThanOrEqual(Math.min(5_000, 100 * 2 ** i));
    for (const ms of pauses.slice(-2)) expect(ms).toBeGreaterThanOrEqual(2_500);
  });

  it('is never made of what holds a code of one use, nor of a PATCH', () => {
    expect(['POST /auth/step-up', 'POST /dsr/request', 'PATCH /x'].map(maySendAgain)).toEqual([false, false, false]);
    expect(['POST /jobs', 'GET /jobs', 'PUT /sem/a/b/c/d'].map(maySendAgain)).toEqual([true, true, true]);
  });
});
