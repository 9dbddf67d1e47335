import { StoreUnavailableError } from '#lib/event-store';
import { canonicalize, MaceError, sha256Hex } from '#lib/kernel';

import { MemoryEventStore } from '#lib/event-store';
import { GetHistory } from './queries/get-history.js';
import { GetValue } from './queries/get-value.js';
import { snapshotHash } from './sem-memory.js';
import { ADMIN, ctxOf, EVE, memoryProcess, NOON, stored, TUFF, type MemoryProcess } from './testing/memory-harness.js';

const KEY = 'user/profile/user_tuff/favorite_color';
const OHM = 'world/fact/ohms_law/definition';

let memory: MemoryProcess;
beforeEach(() => {
  memory = memoryProcess();
});

describe('reading a value', () => {
  it('gives the newest revision of the stream as the ETag, an unapplied write’s included', async () => {
    await put('blue', '2025-12-02T00:00:00Z');
    await put('red', '2025-12-01T00:00:00Z');
    expect(await memory.getValue.execute(new GetValue(TUFF, KEY))).toMatchObject({ body: { value: 'blue' }, etag: 1 });
  });

  it('lets an admin and nobody else read what is a person’s, whether it exists or not', async () => {
    await put('blue');
    expect(await codeOf(memory.getValue.execute(new GetValue(EVE, KEY)))).toBe('PERMISSION_DENIED');
    expect(await codeOf(memory.getValue.execute(new GetValue(EVE, `${KEY}_none`)))).toBe('PERMISSION_DENIED');
    expect((await memory.getValue.execute(new GetValue(ADMIN, KEY))).body.value).toBe('blue');
    expect(await codeOf(memory.getHistory.execute(new GetHistory(EVE, KEY, {})))).toBe('PERMISSION_DENIED');
  });

  it('keeps a person’s value encrypted in the log, and the world’s plain', async () => {
    await memory.writes.put(ctxOf(TUFF), { key: KEY, value: 'blue', notes: 'since 1999', meta: { sure: true } });
    await memory.writes.put(ctxOf(ADMIN), { key: OHM, value: 'V = I R' });
    const [own] = (await memory.store.readStream(`sem-${KEY}`)).events;
    const [world] = (await memory.store.readStream(`sem-${OHM}`)).events;
    const { data } = JSON.parse(own!.text) as { data: Record<string, unknown> };
    for (const field of ['value', 'notes', 'meta', 'value_hash']) expect(data[field]).toHaveProperty('$enc');
    expect(own!.text).not.toMatch(/blue|1999/);
    expect(JSON.parse(world!.text)).toMatchObject({ data: { value: 'V = I R', source: 'system' } });
  });

  it('answers [erased] once the person’s key is destroyed, and still knows when it was written', async () => {
    await put('blue', '2025-12-01T00:00:00Z');
    for (const record of await memory.keys.listFor('user_tuff'))
      await memory.keys.destroy(record.state === 'present' ? record.key.kid : record.kid);
    const later = memoryProcess({ store: memory.store, keys: memory.keys });
    expect(await later.memory.get(KEY)).toMatchObject({
      exists: true,
      erased: true,
      value: '[erased]',
      timestamp: '2025-12-01T00:00:00Z',
    });
    expect((await later.reader.history(KEY, {})).items[0]).toMatchObject({ value: '[erased]', revision: 0 });
  });

  it('does not repeat a path that is somebody’s number, and says DATA_UNAVAILABLE where the store is gone', async () => {
    expect(await codeOf(memory.getValue.execute(new GetValue(EVE, 'world/person/123-45-6789/note')))).toBe(
      'PRIVACY_BLOCKED',
    );
    const gone = memoryProcess({ store: new GoneStore() });
    expect(await codeOf(gone.memory.get(KEY))).toBe('DATA_UNAVAILABLE');
  });
});

describe('history', () => {
  it('holds every write, oldest first, with who wrote it', async () => {
    const first = await put('blue', '2025-12-02T00:00:00Z');
    await put('red', '2025-12-01T00:00:00Z');
    await memory.writes.delete(ctxOf(ADMIN), { key: KEY });
    const { items, next_cursor } = await memory.getHistory.execute(new GetHistory(TUFF, KEY, {}));
    expect(next_cursor).toBeNull();
    expect(items[0]).toEqual({
      revision: 0,
      position: first.position,
      value: 'blue',
      source: 'user',
      timestamp: '2025-12-02T00:00:00Z',
      applied: true,
      event_id: first.event_id,
      actor: { id: 'user_tuff', role: 'user' },
    });
    expect(items.map(({ value, applied, source }) => [value, applied, source])).toEqual([
      ['blue', true, 'user'],
      ['red', false, 'user'],
      [null, true, 'system'],
    ]);
  });

  it('comes in pages that neither miss nor repeat, and takes no other list’s cursor', async () => {
    for (let i = 0; i < 7; i++) await put(String(i));
    const values: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await memory.reader.history(KEY, { limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      values.push(...page.items.map(({ value }) => value));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(values).toEqual(['0', '1', '2', '3', '4', '5', '6']);
    const { next_cursor } = await memory.reader.history(KEY, { limit: 3 });
    expect(await codeOf(memory.reader.history(OHM, { cursor: next_cursor! }))).toBe('INVALID_INPUT');
    expect(await codeOf(memory.reader.history(KEY, { cursor: 'nonsense' }))).toBe('INVALID_INPUT');
  });

  it('of a key that never was is a miss', async () => {
    expect(await codeOf(memory.getHistory.execute(new GetHistory(TUFF, KEY, {})))).toBe('SEM_NOT_FOUND');
  });
});

describe('time travel', () => {
  it('answers what stood after the event at a position', async () => {
    const blue = await put('blue', '2025-12-01T00:00:00Z');
    const other = stored(await memory.writes.put(ctxOf(ADMIN), { key: OHM, value: 'x' }));
    const red = await put('red', '2025-12-02T00:00:00Z');
    const gone = await memory.writes.delete(ctxOf(ADMIN), { key: KEY });
    const at = async (position: string) => (await memory.reader.getAsOf(KEY, position, TUFF.id)).value;
    expect([
      await at('0'),
      await at(blue.position),
      await at(other.position),
      await at(red.position),
      await at(gone.position),
    ]).toEqual([null, 'blue', 'blue', 'red', null]);
    expect(await codeOf(at(String(Number(gone.position) + 1)))).toBe('INVALID_INPUT');
    expect(await codeOf(at('01'))).toBe('INVALID_INPUT');
  });

  it('waits its turn as of a position with the same principal’s others, which are bounded, and nobody else’s do', async () => {
    const { position } = await put('blue', '2025-12-01T00:00:00Z');
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const others = Array.from({ length: 2 + 256 }, () => memory.log.histories.run(TUFF.id, () => held));
    const refused = await memory.getValue.execute(new GetValue(TUFF, KEY, position)).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    expect((await memory.getValue.execute(new GetValue(ADMIN, KEY, position))).body.value).toBe('blue');
    expect((await memory.getValue.execute(new GetValue(TUFF, KEY))).body.value).toBe('blue');
    end();
    await Promise.all(others);
    expect((await memory.getValue.execute(new GetValue(TUFF, KEY, position))).body.value).toBe('blue');
  });
});

describe('the snapshot hash', () => {
  it('is the sha256 of the canonical rows in key order, whatever order they were read in', () => {
    const a = { key: 'a', value: 1, timestamp: '2025-01-01T00:00:00Z' };
    const b = { key: 'b', value: { y: 2, x: 1 }, timestamp: null };
    const expected = sha256Hex(
      canonicalize([
        ['a', 1, '2025-01-01T00:00:00Z'],
        ['b', { x: 1, y: 2 }, null],
      ]),
    );
    expect(snapshotHash([b, a])).toBe(expected);
    expect(snapshotHash([a, b])).toBe(expected);
  });
});

class GoneStore extends MemoryEventStore {
  override async streamVersion(): Promise<number> {
    throw new StoreUnavailableError('gone');
  }
}

async function put(value: string, timestamp?: string) {
  const content = { key: KEY, value, ...(timestamp === undefined ? {} : { timestamp }) };
  return stored(await memory.writes.put(ctxOf(TUFF, { now: NOON }), content));
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
