import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { accessEvents, fixtureKeys, readKeyFile, recordRotations, rotateKey, writeKeyFile } from '#lib/access';
import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { EventRegistry, KeyRing, type RingKey, sha256Hex, traceId } from '#lib/kernel';

import { SignedEvents, type TamperedEvent } from './signed-events.js';

const SAID = { type: 'SAID', version: 1, plain: ['text'] } as const;
const store = new MemoryEventStore();
let folder: string;
let keys: readonly RingKey[];

function logOf(ring: KeyRing): EventLog {
  const registry = new EventRegistry([...accessEvents, SAID]);
  return new EventLog(store, new EventCodec(registry, ring, new SubjectCiphers({} as SubjectKeyStore, ring)));
}

/** As whoever holds these keys appends it. */
async function say(text: string, ring: KeyRing): Promise<void> {
  const { events, version } = await store.readStream('said');
  const lastHash = version === 0 ? '0'.repeat(64) : sha256Hex(events.at(-1)!.text);
  const actor = { id: 'system', role: 'system' };
  const provenance = { jobSeed: `test:${text}`, sequenceIndex: 0, actor, traceId: traceId(text) };
  await logOf(ring).append({ stream: 'said', version, lastHash }, [{ type: 'SAID', data: { text } }], provenance);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-signed-'));
  const file = join(folder, 'ring.json');
  writeKeyFile(file, fixtureKeys());
  await say('before', new KeyRing(readKeyFile(file)));
  rotateKey(file, 'event-hmac', Date.UTC(2026, 0, 1));
  keys = readKeyFile(file);
  await recordRotations(logOf(new KeyRing(keys)), new KeyRing(keys));
  await say('since', new KeyRing(keys));
  const old = keys.find(({ purpose, state }) => purpose === 'event-hmac' && state === 'verify-only')!;
  await say('forged', new KeyRing([{ ...old, state: 'active' }]));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('opens what a key signed before it was retired, and refuses what it signs after', async () => {
  const ring = new KeyRing(keys);
  const signed = new SignedEvents(logOf(ring), ring);
  const [before, since, forged] = (await store.readStream('said')).events;
  expect((await signed.open(before!)).data).toEqual({ text: 'before' });
  expect((await signed.open(since!)).data).toEqual({ text: 'since' });
  await expect(signed.open(forged!)).rejects.toThrow('was retired before');
});

it('tells of an event once, whichever reactors meet it, and whoever listens later too', async () => {
  const ring = new KeyRing(keys);
  const signed = new SignedEvents(logOf(ring), ring);
  const told: TamperedEvent[][] = [[], []];
  signed.onMet((event) => told[0]!.push(event));
  const forged = (await store.readStream('said')).events[2]!;
  const error = (await signed.open(forged).catch((reason: unknown) => reason)) as Parameters<SignedEvents['tell']>[0];
  signed.tell(error, forged);
  signed.tell(error, forged);
  signed.onMet((event) => told[1]!.push(event));
  expect(told[0]).toMatchObject([{ stream: 'said', revision: 2, position: forged.position }]);
  expect(told[1]).toEqual(told[0]);
});
