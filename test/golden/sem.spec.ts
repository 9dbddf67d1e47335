import type { Principal } from '#lib/access';
import { MemoryEventStore, StorageFullError, StoreUnavailableError } from '#lib/event-store';
import { eventId, hmacSha256Hex, sha1Hex, type Json } from '#lib/kernel';
import { GetValue, type SemAnswer, type SemValue } from '#lib/memory';

import { FaultyStore, type Fault } from '../../libs/memory/src/testing/faulty-store.js';
import {
  ADMIN,
  ctxOf,
  EVE,
  memoryProcess,
  stored,
  TUFF,
  type MemoryProcess,
  type RequestOptions,
} from '../../libs/memory/src/testing/memory-harness.js';
import { goldenErrorOf } from '../support/golden-error.js';

const COLOR = 'user/profile/user_tuff/favorite_color';
const SSN = '123-45-6789';
const MISS = 'I don’t have that information stored yet. If you want, tell me and I’ll remember it.';
const WRITE_FAIL = 'I tried to save that but my memory failed. I might not remember this next time.';

let memory: MemoryProcess;
beforeEach(() => {
  memory = memoryProcess();
});

describe('Golden tests of SEM (seed 001, Group B)', () => {
  it('T7_SEM_FAV_COLOR', async () => {
    await put(COLOR, 'blue', { timestamp: '2025-11-29T12:00:00Z' });
    expect(await get(COLOR)).toEqual({
      exists: true,
      value: 'blue',
      source: 'user',
      last_updated: '2025-11-29T12:00:00Z',
      meta: {},
    });
  });

  it('T8_SEM_MISS', async () => {
    const error = await goldenErrorOf(get(COLOR));
    expect(error).toMatchObject({ error_code: 'SEM_NOT_FOUND', status: 400, severity: 'info', user_message: MISS });
    expect(error.developer_message).toBe(`SEM lookup for key ${COLOR} returned empty.`);
    expect(await memory.store.head()).toBe('0');
  });

  it('T9_SEM_OVERWRITE', async () => {
    await put(COLOR, 'green', { timestamp: '2025-12-01T00:00:00Z' });
    await put(COLOR, 'red', { timestamp: '2025-12-02T00:00:00Z' });
    expect(await get(COLOR)).toMatchObject({ value: 'red', last_updated: '2025-12-02T00:00:00Z' });
  });

  it('T10_SEM_WRITE_FAIL', async () => {
    const faulty = withFault({ error: new StoreUnavailableError('disk I/O error'), when: 'before' });
    const ctx = ctxOf(TUFF, { key: 'k1' });
    const error = await goldenErrorOf(memory.writes.put(ctx, { key: COLOR, value: 'blue' }));
    expect(error).toMatchObject({
      error_code: 'SEM_WRITE_FAIL',
      status: 500,
      severity: 'warning',
      user_message: WRITE_FAIL,
    });
    expect(error.developer_message).toBe(`SEM write for key ${COLOR} failed after 2 attempt(s).`);

    faulty.fault = () => undefined;
    const [retry, fail, ...more] = await memory.events('access-user_tuff');
    expect(retry).toMatchObject({ type: 'RETRY_ATTEMPT', data: { attempt_index: 1, key: COLOR } });
    expect(fail).toMatchObject({
      type: 'MEMORY_WRITE_FAIL',
      data: { key: COLOR, error_code: 'SEM_WRITE_FAIL', attempts: 2, fault: 'StoreUnavailableError' },
    });
    expect(retry!.metadata).toMatchObject({
      event_id: eventId(ctx.seed, 1, 'RETRY_ATTEMPT'),
      actor: { id: 'user_tuff', role: 'user' },
    });
    expect(fail!.metadata.event_id).toBe(eventId(ctx.seed, 2, 'MEMORY_WRITE_FAIL'));
    expect(more).toEqual([]);
    expect(memory.slept).toHaveLength(1);
    expect(await goldenErrorOf(get(COLOR))).toMatchObject({ error_code: 'SEM_NOT_FOUND' });
  });

  it('T11_SEM_EXACT_READ', async () => {
    await put(COLOR, 'blue');
    expect(await memory.reader.get('user/profile/user_tuff/favourite_colour')).toMatchObject({
      exists: false,
      value: null,
    });
    expect(await goldenErrorOf(get('user/profile/user_tuff/favourite_colour'))).toMatchObject({
      error_code: 'SEM_NOT_FOUND',
    });
  });
});

describe('Golden tests of failures in memory (seed 001, Groups A, F and G)', () => {
  it('T6_COLLISION_DET', async () => {
    const register = (raw: string) =>
      memory.keyRegistration.register(ctxOf(TUFF), {
        scope: 'world',
        entityType: 'article',
        entityIdRaw: raw,
        attributeRaw: 'summary',
      });
    expect(await register('How blockchain works')).toBe('world/article/how_blockchain_works/summary');
    const second = `world/article/how_blockchain_works-${sha1Hex('How blockchain works?').slice(0, 6)}/summary`;
    expect(await register('How blockchain works?')).toBe(second);
    expect(await register('How blockchain works?')).toBe(second);
    expect(await register('how BLOCKCHAIN works')).toBe('world/article/how_blockchain_works/summary');

    const events = await memory.events('identity-world/article/how_blockchain_works');
    expect(events.map(({ type }) => type)).toEqual(['IDENTITY_REGISTERED', 'collision_event']);
    expect(events[1]!.data).toMatchObject({
      base_entity_id: 'how_blockchain_works',
      entity_id: `how_blockchain_works-${sha1Hex('How blockchain works?').slice(0, 6)}`,
    });
    expect(JSON.stringify(events)).not.toContain('works?');
  });

  it('T24_ERR_SEM_NOT_FOUND_MSG', async () => {
    const error = await goldenErrorOf(get('world/fact/ohms_law/definition'));
    expect(error.error_code).toBe('SEM_NOT_FOUND');
    expect(error.user_message).toBe(
      'I don’t have that information stored yet. If you want, tell me and I’ll remember it.',
    );
  });

  it('T29_ERR_PRIVACY_BLOCKED', async () => {
    const error = await goldenErrorOf(put(COLOR, `my ssn is ${SSN}`));
    expect(error).toMatchObject({
      error_code: 'PRIVACY_BLOCKED',
      status: 403,
      severity: 'warning',
      user_message: 'I can’t store or repeat that kind of sensitive personal information.',
      developer_message: 'the content holds us_ssn (high), and no consent covers it',
    });
    expect(await memory.store.streamVersion(`sem-${COLOR}`)).toBe(0);
  });

  it('T31_STORAGE_FULL', async () => {
    withFault({ error: new StorageFullError('quota of 1 MB reached'), when: 'before' });
    const error = await goldenErrorOf(put(COLOR, 'blue'));
    expect(error).toMatchObject({
      error_code: 'STORAGE_FULL',
      status: 507,
      severity: 'critical',
      user_message: 'My memory is full right now; I can’t store new information.',
      developer_message: `SEM write for key ${COLOR} failed after 1 attempt(s). Nothing was written: quota of 1 MB reached.`,
    });
    expect(memory.slept).toEqual([]);
    expect(await memory.store.streamVersion(`sem-${COLOR}`)).toBe(0);
  });

  it('T32_PERMISSION_DENIED', async () => {
    const denied = {
      error_code: 'PERMISSION_DENIED',
      status: 403,
      severity: 'warning',
      user_message: 'You don’t have permission to do that.',
    };
    expect(await goldenErrorOf(put('mace/config/router/default_depth', 3))).toMatchObject({
      ...denied,
      developer_message: 'this key is not yours to write',
    });
    expect(await goldenErrorOf(put(COLOR, 'red', {}, EVE))).toMatchObject(denied);
    expect(await goldenErrorOf(memory.writes.delete(ctxOf(TUFF), { key: COLOR }))).toMatchObject({
      ...denied,
      developer_message: 'only an elevated admin deletes from memory',
    });
    expect(await memory.store.head()).toBe('0');
  });

  it('F-PRIV-01', async () => {
    const ctx = ctxOf(TUFF, { key: 'ssn' });
    const error = await goldenErrorOf(memory.writes.put(ctx, { key: 'user/profile/user_tuff/ssn', value: SSN }));
    expect(error).toMatchObject({
      error_code: 'PRIVACY_BLOCKED',
      user_message: 'I can’t store or repeat that kind of sensitive personal information.',
    });
    const [flagged, ...more] = await memory.events('access-user_tuff');
    expect(more).toEqual([]);
    expect(flagged).toMatchObject({
      type: 'PII_FLAGGED',
      data: {
        pii_type: 'us_ssn',
        category: 'high',
        pii_hash: hmacSha256Hex(memory.ring.active('pii-hmac').secret, SSN, ctx.seed),
        redaction_reason: 'PII_DETECTED',
      },
    });
    expect(flagged!.metadata.event_id).toBe(eventId(ctx.seed, 0, 'PII_FLAGGED'));
    const { events } = await memory.store.readAll({ after: '0' as never, limit: 100 });
    expect(events.map(({ stream }) => stream)).toEqual(['access-user_tuff']);
    expect(JSON.stringify([events, error])).not.toContain(SSN);
  });
});

describe('SEM assertions (seed 001, SEM section 13)', () => {
  it('SEM-T1', async () => {
    const value = { text: 'naïve \u0000 “quoted” \u{1f600}', n: [0.1, -3, 1e15], nested: { yes: true } };
    await put(COLOR, value, { meta: { locale: 'en' } });
    expect(await get(COLOR)).toMatchObject({ exists: true, value, meta: { locale: 'en' } });
  });

  it('SEM-T2', async () => {
    await put(COLOR, 'red', { timestamp: '2025-12-02T00:00:00Z' });
    const older = await put(COLOR, 'green', { timestamp: '2025-12-01T00:00:00Z' });
    expect(older).toMatchObject({ success: true, error_code: null, applied: false, revision: 1 });
    expect(await get(COLOR)).toMatchObject({ value: 'red' });
  });

  it('SEM-T3', async () => {
    await put(COLOR, 'blue');
    await put('user/profile/user_eve/favorite_color', 'teal', {}, EVE);
    expect(await goldenErrorOf(put(COLOR, 'red', {}, EVE))).toMatchObject({ error_code: 'PERMISSION_DENIED' });
    expect(await goldenErrorOf(get(COLOR, EVE))).toMatchObject({ error_code: 'PERMISSION_DENIED' });
    const answer = await memory.writes.delete(ctxOf(ADMIN), { key: COLOR });
    expect(answer).toMatchObject({ success: true, error_code: null, key: COLOR, revision: 1, applied: true });
    expect(await goldenErrorOf(get(COLOR))).toMatchObject({ error_code: 'SEM_NOT_FOUND' });
    expect((await memory.events(`sem-${COLOR}`))[1]).toMatchObject({
      type: 'sem_delete',
      data: { key: COLOR, source: 'system' },
      metadata: { actor: { id: 'user_ada', role: 'admin' } },
    });
  });

  it('SEM-T4', async () => {
    expect((await goldenErrorOf(get(COLOR))).user_message).toBe(MISS);
    await put(COLOR, 'blue');
    await memory.writes.delete(ctxOf(ADMIN), { key: COLOR });
    expect((await goldenErrorOf(get(COLOR))).user_message).toBe(MISS);
  });

  it('SEM-T5', async () => {
    for (const field of [
      { value: SSN },
      { value: 'x', notes: SSN },
      { value: 'x', meta: { a: [SSN] } },
      { value: { [SSN]: 1 } },
    ]) {
      const error = await goldenErrorOf(memory.writes.put(ctxOf(TUFF), { key: COLOR, ...field }));
      expect(error.error_code).toBe('PRIVACY_BLOCKED');
    }
    expect(await memory.store.streamVersion(`sem-${COLOR}`)).toBe(0);
  });

  it('SEM-T6', async () => {
    const other = memoryProcess({ store: memory.store, keys: memory.keys });
    await put(COLOR, 'blue');
    expect((await other.memory.get(COLOR)).value).toBe('blue');
    await put(COLOR, 'green', { now: 2e12 });
    expect((await other.memory.get(COLOR)).value).toBe('green');
  });
});

interface Fields {
  readonly timestamp?: string;
  readonly meta?: { readonly [key: string]: Json };
  readonly now?: number;
}

async function put(key: string, value: Json, { now, ...fields }: Fields = {}, who = TUFF): Promise<SemAnswer> {
  const options: RequestOptions = now === undefined ? {} : { now };
  return stored(await memory.writes.put(ctxOf(who, options), { key, value, ...fields }));
}

async function get(key: string, who: Principal = TUFF): Promise<SemValue> {
  return (await memory.getValue.execute(new GetValue(who, key))).body;
}

/** A process whose every append to a key of memory fails. */
function withFault(fault: Fault): FaultyStore {
  const faulty = new FaultyStore(new MemoryEventStore());
  faulty.fault = (stream) => (stream.startsWith('sem-') ? fault : undefined);
  memory = memoryProcess({ store: faulty });
  return faulty;
}
