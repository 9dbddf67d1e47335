import { StorageFullError, StoreUnavailableError } from '#lib/event-store';
import { eventId, MaceError, writeRetryDelayMs } from '#lib/kernel';

import { MemoryEventStore } from '#lib/event-store';

import { SEM_FOLD } from './sem-fold.js';
import { FaultyStore } from './testing/faulty-store.js';
import {
  ADMIN,
  ctxOf,
  memoryProcess,
  NOON,
  principal,
  stored,
  TUFF,
  type MemoryProcess,
} from './testing/memory-harness.js';
import type { PutRequest } from './write-request.js';

const KEY = 'user/profile/user_tuff/favorite_color';
const STREAM = `sem-${KEY}`;
const HOUR = 60 * 60 * 1000;

let faulty: FaultyStore;
let memory: MemoryProcess;
beforeEach(() => {
  faulty = new FaultyStore(new MemoryEventStore());
  memory = memoryProcess({ store: faulty });
});

it('a write that is stored is answered as written where the state after it cannot be made', async () => {
  jest.spyOn(SEM_FOLD, 'evolve').mockImplementationOnce(() => {
    throw new Error('no state');
  });
  const answer = await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue' });
  expect(answer).toMatchObject({ success: true, revision: 0, applied: true });
  expect(await memory.store.streamVersion(STREAM)).toBe(1);
  expect((await memory.memory.get(KEY)).value).toBe('blue');
});

describe('a repeated Idempotency-Key', () => {
  it('gives the first answer, whatever was written since', async () => {
    const first = await memory.writes.put(ctxOf(TUFF, { key: 'k' }), { key: KEY, value: 'blue' });
    await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'red' });
    expect(await memory.writes.put(ctxOf(TUFF, { key: 'k', now: NOON + HOUR }), { key: KEY, value: 'blue' })).toEqual(
      first,
    );
    expect(await memory.store.streamVersion(STREAM)).toBe(2);
    expect((await memory.memory.get(KEY)).value).toBe('red');
  });

  it('gives the first answer through another process', async () => {
    const first = await memory.writes.put(ctxOf(TUFF, { key: 'k' }), { key: KEY, value: 'blue' });
    const other = memoryProcess({ store: faulty, keys: memory.keys });
    expect(await other.writes.put(ctxOf(TUFF, { key: 'k' }), { key: KEY, value: 'blue' })).toEqual(first);
  });

  it('gives the first answer whatever the clocks say', async () => {
    const put = (now: number, body: unknown) =>
      memory.writes.put(ctxOf(TUFF, { key: 'k', now, body }), { key: KEY, value: 'blue' });
    const first = await put(NOON, 1);
    for (const now of [NOON + 100_000 * HOUR, NOON - 100_000 * HOUR, 2 * Date.now()]) {
      expect(await put(now, 1)).toEqual(first);
      expect(await codeOf(put(now, 2))).toBe('IDEMPOTENCY_KEY_REUSED');
    }
    expect(await memory.store.streamVersion(STREAM)).toBe(1);
  });

  it('with another body is refused', async () => {
    await memory.writes.put(ctxOf(TUFF, { key: 'k', body: 1 }), { key: KEY, value: 'blue' });
    expect(await codeOf(memory.writes.put(ctxOf(TUFF, { key: 'k', body: 2 }), { key: KEY, value: 'red' }))).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
  });

  it('sent many times at once through two processes is written once', async () => {
    const other = memoryProcess({ store: faulty, keys: memory.keys });
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        (i % 2 ? memory : other).writes.put(ctxOf(TUFF, { key: 'k' }), { key: KEY, value: 'blue' }),
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await memory.store.streamVersion(STREAM)).toBe(1);
  });

  it('of two people, or without a key, never meets', async () => {
    await memory.writes.put(ctxOf(TUFF, { key: 'k' }), { key: KEY, value: 'blue' });
    await memory.writes.put(ctxOf(ADMIN, { key: 'k' }), { key: KEY, value: 'green' });
    await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'green' });
    expect(await memory.store.streamVersion(STREAM)).toBe(3);
  });

  it('after a refusal is decided anew, leaves one event, and stays bound to its body', async () => {
    let consented = false;
    const consents = {
      covering: async () => (consented ? 'c1' : null),
      use: async () => consented,
      areInForce: async () => consented,
    };
    memory = memoryProcess({ store: faulty, consents });
    const tryIt = (body: unknown) =>
      memory.writes.put(ctxOf(TUFF, { key: 'k', body }), { key: KEY, value: 'tuff@mail.net' });
    expect(await codeOf(tryIt(1))).toBe('PRIVACY_BLOCKED');
    expect(await codeOf(tryIt(1))).toBe('PRIVACY_BLOCKED');
    expect(await memory.store.streamVersion('access-user_tuff')).toBe(1);
    expect(await codeOf(tryIt(2))).toBe('IDEMPOTENCY_KEY_REUSED');
    consented = true;
    expect(await tryIt(1)).toMatchObject({ success: true, applied: true });
  });

  it('of a delete gives the first answer', async () => {
    await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue' });
    const first = await memory.writes.delete(ctxOf(ADMIN, { key: 'd' }), { key: KEY });
    expect(await memory.writes.delete(ctxOf(ADMIN, { key: 'd' }), { key: KEY })).toEqual(first);
    expect(await codeOf(memory.writes.delete(ctxOf(ADMIN), { key: KEY }))).toBe('SEM_NOT_FOUND');
  });
});

describe('If-Match', () => {
  const put = (ifMatch: number | 'any') => memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'red', ifMatch });

  it('lets a write through at the revision it names', async () => {
    const { revision } = stored(await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue' }));
    expect(stored(await put(revision)).revision).toBe(revision + 1);
    expect(stored(await put('any')).revision).toBe(revision + 2);
  });

  it('stops a write at any other, and where nothing is stored', async () => {
    expect(await codeOf(put('any'))).toBe('PRECONDITION_FAILED');
    expect(await codeOf(put(0))).toBe('PRECONDITION_FAILED');
    await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue' });
    await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue' });
    expect(await codeOf(put(0))).toBe('PRECONDITION_FAILED');
    await memory.writes.delete(ctxOf(ADMIN), { key: KEY });
    expect(await codeOf(put('any'))).toBe('PRECONDITION_FAILED');
  });

  it('lets exactly one of many through', async () => {
    await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue' });
    const other = memoryProcess({ store: faulty, keys: memory.keys });
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) =>
        (i % 2 ? memory : other).writes.put(ctxOf(TUFF), { key: KEY, value: i, ifMatch: 0 }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('a fault of the store', () => {
  it('is met by one retry, after the delay of the seed, and leaves RETRY_ATTEMPT', async () => {
    faultOn(STREAM, 'before', [1, 2]);
    const ctx = ctxOf(TUFF);
    expect(await memory.writes.put(ctx, { key: KEY, value: 'blue' })).toMatchObject({ success: true, revision: 0 });
    expect(memory.slept).toEqual([writeRetryDelayMs(ctx.seed)]);
    const trail = await memory.events('access-user_tuff');
    expect(trail.map(({ type, data }) => [type, data])).toEqual([['RETRY_ATTEMPT', { attempt_index: 1, key: KEY }]]);
  });

  it('that lost every answer is found out, and the write is stored once', async () => {
    faultOn(STREAM, 'after', [1, 2, 3, 4]);
    expect(await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue' })).toMatchObject({
      success: true,
      revision: 0,
    });
    expect(await memory.store.streamVersion(STREAM)).toBe(1);
  });

  it('of another kind than the port names is a fault all the same', async () => {
    faulty.fault = (stream) => (stream === STREAM ? { error: new Error('SQLITE_IOERR'), when: 'before' } : undefined);
    expect(await codeOf(memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue' }))).toBe('SEM_WRITE_FAIL');
    expect(faulty.attempts.filter((stream) => stream === STREAM)).toHaveLength(2);
  });

  it('that takes the log too leaves its events in the spool, without a value', async () => {
    faulty.fault = () => ({ error: new StoreUnavailableError('gone'), when: 'before' });
    expect(await codeOf(memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'secret blue' }))).toBe('SEM_WRITE_FAIL');
    expect(memory.spool.waiting.map(({ stream, event }) => [stream, event.type])).toEqual([
      ['access-user_tuff', 'RETRY_ATTEMPT'],
      ['access-user_tuff', 'MEMORY_WRITE_FAIL'],
    ]);
    expect(JSON.stringify(memory.spool.waiting)).not.toContain('secret');
  });

  it('leaves its events to the next write that succeeds, and to the end of the process', async () => {
    for (const end of [() => memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'up' }), () => memory.trail.recover()]) {
      const before = await memory.store.streamVersion('access-user_tuff');
      faulty.fault = () => ({ error: new StoreUnavailableError('gone'), when: 'before' });
      await codeOf(memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'lost' }));
      const waiting = memory.spool.waiting.map(({ event }) => event.type);
      expect(waiting).toEqual(['RETRY_ATTEMPT', 'MEMORY_WRITE_FAIL']);
      await memory.trail.recover();
      expect(memory.spool.waiting).toHaveLength(2);
      faulty.fault = () => undefined;
      await end();
      await memory.trail.recover();
      expect(memory.spool.waiting).toEqual([]);
      expect((await memory.events('access-user_tuff')).slice(before).map(({ type }) => type)).toEqual(waiting);
    }
  });

  it('is never a mistake of ours', async () => {
    faulty.fault = () => ({ error: new TypeError('undefined is not a function'), when: 'before' });
    await expect(memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue' })).rejects.toThrow(TypeError);
  });

  it('a full disk is said at once, nothing is written, and there is room again later', async () => {
    faulty.fault = (stream) =>
      stream === STREAM ? { error: new StorageFullError('no space left'), when: 'before' } : undefined;
    expect(await codeOf(memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue' }))).toBe('STORAGE_FULL');
    expect(faulty.attempts.filter((stream) => stream === STREAM)).toHaveLength(1);
    const [failed] = await memory.events('access-user_tuff');
    expect(failed).toMatchObject({
      type: 'MEMORY_WRITE_FAIL',
      data: { error_code: 'STORAGE_FULL', attempts: 1, key: KEY },
    });
    faulty.fault = () => undefined;
    expect(await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue' })).toMatchObject({ success: true });
  });
});

describe('a job', () => {
  const SEED = 'job-seed-1';
  const request = (fromRevision: number): PutRequest => ({
    key: KEY,
    value: 'blue',
    timestamp: '2025-12-31T00:00:00Z',
    principal: TUFF,
    provenance: { jobSeed: SEED, sequenceIndex: 7, jobId: 'job:1', traceId: 'trace-1' },
    now: NOON,
    repeats: { fromRevision },
  });

  it('writes under its own seed and sequence_index', async () => {
    const outcome = await memory.memory.put(request(0));
    expect(outcome).toMatchObject({
      outcome: 'written',
      write: { event_id: eventId(SEED, 7, 'SEM_PUT'), revision: 0, applied: true },
    });
    const [event] = await memory.events(STREAM);
    expect(event!.metadata).toMatchObject({
      job_id: 'job:1',
      sequence_index: 7,
      actor: { id: 'user_tuff', role: 'user' },
    });
  });

  it('that runs again after a crash takes its own event, though others wrote since', async () => {
    await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'green', timestamp: '2025-12-30T00:00:00Z' });
    const { version } = await memory.memory.get(KEY);
    const first = await memory.memory.put(request(version));
    await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'red' });
    const restarted = memoryProcess({ store: faulty, keys: memory.keys });
    expect(await restarted.memory.put(request(version))).toEqual(first);
    expect(await memory.store.streamVersion(STREAM)).toBe(3);
    expect(await memory.memory.findOwnPut(KEY, SEED, 7, version)).toMatchObject({ revision: 1 });
    expect(await memory.memory.findOwnPut(KEY, SEED, 8, version)).toBeNull();
  });

  it('learns what a failed or blocked write leaves in its own stream', async () => {
    expect(await memory.memory.put({ ...request(0), value: '123-45-6789' })).toMatchObject({
      outcome: 'blocked',
      flagged: { pii_type: 'us_ssn', redaction_reason: 'PII_DETECTED' },
    });
    faulty.fault = () => ({ error: new StoreUnavailableError('gone'), when: 'before' });
    expect(await memory.memory.put(request(0))).toEqual({
      outcome: 'failed',
      error_code: 'SEM_WRITE_FAIL',
      attempts: 2,
      fault: 'StoreUnavailableError',
    });
    expect(memory.spool.waiting).toEqual([]);
  });

  it('may write no more than its principal', async () => {
    const stranger = { ...request(0), principal: principal('user_eve', ['user']) };
    expect(await codeOf(memory.memory.put(stranger))).toBe('PERMISSION_DENIED');
  });
});

describe('what is refused before anything is written', () => {
  it.each<[string, Partial<PutRequest>, string]>([
    ['a malformed key', { key: 'user/profile/user_tuff' }, 'INVALID_INPUT'],
    ['a key in upper case', { key: 'user/profile/user_tuff/Color' }, 'INVALID_INPUT'],
    ['another source', { source: 'system' }, 'INVALID_INPUT'],
    [
      'another person’s key, before its source is looked at',
      { key: 'user/profile/user_eve/a', source: 'nonsense' },
      'PERMISSION_DENIED',
    ],
    ['a timestamp of tomorrow', { timestamp: '2026-01-02T00:00:00Z' }, 'INVALID_INPUT'],
    ['null', { value: null }, 'INVALID_INPUT'],
    [
      'a telephone number in the notes',
      { key: 'user/profile/user_tuff/a', value: 'x', notes: 'call +49 30 901820' },
      'PRIVACY_BLOCKED',
    ],
  ])('%s', async (_, fields, code) => {
    expect(await codeOf(memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue', ...fields }))).toBe(code);
    expect(await memory.store.streamVersion(`sem-${fields.key ?? KEY}`)).toBe(0);
  });

  it('personal data in a path, which is recorded nowhere', async () => {
    const key = 'world/person/123-45-6789/note';
    expect(await codeOf(memory.writes.put(ctxOf(ADMIN), { key, value: 'x' }))).toBe('PRIVACY_BLOCKED');
    expect(await memory.store.head()).toBe('0');
  });

  it('says whether a second factor is missing', async () => {
    const admin = principal('user_ada', ['admin']);
    expect(await codeOf(memory.writes.put(ctxOf(admin), { key: KEY, value: 'x' }))).toBe('UNAUTHENTICATED');
  });

  it('says the pointer of what is wrong only where nothing personal was found', async () => {
    const value = { '123-45-6789': 0.1234567890123 };
    expect(await codeOf(memory.writes.put(ctxOf(TUFF), { key: KEY, value }))).toBe('PRIVACY_BLOCKED');
    await expect(memory.writes.put(ctxOf(TUFF), { key: KEY, value: { pi: 0.1234567890123 } })).rejects.toThrow(
      'value/pi',
    );
  });
});

function faultOn(stream: string, when: 'before' | 'after', attempts: readonly number[]): void {
  faulty.fault = (to, attempt) =>
    to === stream && attempts.includes(attempt) ? { error: new StoreUnavailableError('down'), when } : undefined;
}

async function codeOf(doing: Promise<unknown>): Promise<string> {
  return doing.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof MaceError) return error.code;
      throw error;
    },
  );
}
