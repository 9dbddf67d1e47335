import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { accessEvents, fixtureKeys, readKeyFile, recordRotations, rotateKey, writeKeyFile } from '#lib/access';
import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { EventRegistry, KeyRing, type RingKey, sha256Hex, traceId } from '#lib/kernel';

import { refuseUnsigned } from './refuse-unsigned.js';

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
  folder = mkdtempSync(join(tmpdir(), 'mace-proven-'));
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

it('proves what a key signed before it was retired, and nothing that it signs after', async () => {
  const log = logOf(new KeyRing(keys));
  const refused: unknown[] = [];
  for (const { id: event_id, stream, revision } of (await store.readStream('said')).events)
    await refuseUnsigned(log, { event_id, stream, revision }).catch((error: unknown) => refused.push(error));
  expect(refused).toMatchObject([
    { code: 'INTEGRITY_FAILURE', message: expect.stringContaining('was retired before') },
  ]);
  expect(refused).toMatchObject([{ meta: { stream: 'said', revision: 2 } }]);
});
