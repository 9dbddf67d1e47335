import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { EventRegistry, KeyRing } from '#lib/kernel';

import { fixtureKeys } from './fixture-keys.js';
import { readKeyFile, rotateKey, writeKeyFile } from './key-file.js';
import { keyEvents, recordRotations } from './key-history.js';

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
    const ciphers = new SubjectCiphers({} as SubjectKeyStore, ring);
    return recordRotations(new EventLog(store, new EventCodec(new EventRegistry(keyEvents), ring, ciphers)), ring);
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
});
