import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { EventRegistry, KeyRing, sha256Hex, traceId } from '#lib/kernel';

import { fixtureKeys } from './fixture-keys.js';
import { readKeyFile, rotateKey, writeKeyFile } from './key-file.js';
import { keyEvents, recordRotations, retiredKeys } from './key-history.js';

describe('the history of keys', () => {
  let folder: string;
  let file: string;
  const store = new MemoryEventStore();

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mace-keys-'));
    file = join(folder, 'ring.json');
    writeKeyFile(file, fixtureKeys());
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = (): Promise<number> => {
    const ring = new KeyRing(readKeyFile(file));
    return recordRotations(logOf(ring), ring);
  };

  it('holds nothing of a ring that was never rotated', async () => {
    expect(await start()).toBe(0);
  });

  it('holds each rotation once, however often the process starts, and still verifies what the old key signed', async () => {
    const first = rotateKey(file, 'event-hmac', Date.UTC(2026, 0, 1));
    expect(await start()).toBe(1);
    expect(await start()).toBe(0);
    const second = rotateKey(file, 'event-hmac', Date.UTC(2026, 0, 2));
    const other = rotateKey(file, 'pii-hmac', Date.UTC(2026, 0, 2));
    expect(await start()).toBe(2);
    expect(await start()).toBe(0);
    const { events } = await store.readStream('system-keys');
    const told = events.map(({ text }) => (JSON.parse(text) as { data: Record<string, unknown> }).data);
    expect(told.map(({ kid, previous_kid }) => ({ kid, previous_kid }))).toEqual(
      [first, second, other].map(({ kid, previousKid }) => ({ kid, previous_kid: previousKid })),
    );
  });

  it('holds every one of several rotations between two starts, and those of a key that is revoked since', async () => {
    const before = await retired();
    const made = [3, 3, 4].map((day) => rotateKey(file, 'event-hmac', Date.UTC(2026, 0, day)));
    const revoked = made[1]!.kid;
    const keys = readKeyFile(file).map((key) => (key.kid === revoked ? { ...key, state: 'revoked' as const } : key));
    writeKeyFile(file, keys);
    expect(await start()).toBe(3);
    expect(await start()).toBe(0);
    const known = Object.keys(before);
    const since = Object.keys(await retired()).filter((kid) => !known.includes(kid));
    expect(since.sort()).toEqual(made.map(({ previousKid }) => previousKid).sort());
  });

  it('is written by keys that sign, of keys that do not any more: a retired key neither renews itself nor retires another', async () => {
    const ring = readKeyFile(file);
    const active = ring.find(({ purpose, state }) => purpose === 'event-hmac' && state === 'active')!;
    const old = ring.find(({ purpose, state }) => purpose === 'event-hmac' && state === 'verify-only')!;
    const before = await retired();
    expect(Object.keys(before)).toContain(old.kid);
    const stolen = new KeyRing([{ ...old, state: 'active' as const }]);
    for (const previous_kid of [old.kid, active.kid]) await append(stolen, previous_kid);
    // Neither does the key that signs say that it was put in its own place.
    await append(new KeyRing(ring), active.kid);
    expect(await retired()).toEqual(before);
  });

  it('is told by the first word on a key, and by none that is not what was signed', async () => {
    const before = await retired();
    const [first] = Object.keys(before);
    await append(new KeyRing(readKeyFile(file)), first!);
    expect(await retired()).toEqual(before);
    const { events } = await store.readStream('system-keys');
    const forged = events.map(({ id, type, text }) => ({ id, type, text: text.replace(first!, 'event-hmac.9.zzz') }));
    const other = new MemoryEventStore();
    await other.append('system-keys', 'none', forged as [(typeof forged)[0]]);
    expect(Object.keys(await retired(other))).not.toContain('event-hmac.9.zzz');
  });

  function logOf(ring: KeyRing, events = store): EventLog {
    return new EventLog(
      events,
      new EventCodec(new EventRegistry(keyEvents), ring, new SubjectCiphers({} as SubjectKeyStore, ring)),
    );
  }

  function retired(events = store) {
    return retiredKeys(logOf(new KeyRing(readKeyFile(file)), events), 'event-hmac');
  }

  /** At the end of the stream, as somebody does who holds the keys of this ring. */
  async function append(ring: KeyRing, previous_kid: string): Promise<void> {
    const { events, version } = await store.readStream('system-keys');
    const head = { stream: 'system-keys', version, lastHash: sha256Hex(events.at(-1)!.text) };
    const data = {
      purpose: 'event-hmac',
      kid: 'event-hmac.9.zzz',
      previous_kid,
      not_before: '2026-02-01T00:00:00.000Z',
    };
    await logOf(ring).append(head, [{ type: 'KEY_ROTATED', data }], {
      jobSeed: `forged:${version}`,
      sequenceIndex: 0,
      actor: { id: 'system', role: 'system' },
      traceId: traceId('forged'),
    });
  }
});
