import { generateKeyPairSync } from 'node:crypto';

import {
  type EventStore,
  type LogPlaces,
  placesAfter,
  RangePlaces,
  type RecordedEvent,
  RowSignatures,
} from '#lib/event-store';
import { KeyRing, type RingKey, sha256Hex, HmacKey } from '#lib/kernel';
import { Frontier } from '../tree/frontier.js';
import { leafOf } from '../leaf-of-event.js';
import { LogKeys } from '../log-keys.js';
import { MerkleLog, type MerkleLogOptions } from '../merkle-log.js';
import { ProofStore } from '../store/proof-store.js';

export const ORIGIN = 'mace.local/0123456789abcdef';

export function signingKey(kid = 'c1', change: Partial<RingKey> = {}): RingKey {
  const secret = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' });
  const notBefore = '2025-01-01T00:00:00.000Z';
  return { kid, purpose: 'checkpoint-signature', state: 'active', secret, notBefore, ...change };
}

/** Signs the events that `fill` makes. */
export const EVENT_KEY: RingKey = {
  kid: 'e1',
  purpose: 'event-hmac',
  state: 'active',
  secret: Buffer.alloc(32, 7),
  notBefore: '2025-01-01T00:00:00.000Z',
};
const EVENT_RING = new KeyRing([EVENT_KEY]);

/** Events as a codec would write them, as far as the log looks at them. */
export function textOf(stream: string, type: string, n: number): string {
  const before = `{"data":{"n":${n}},"metadata":{"event_id":"${idOf(n)}","kid":"${EVENT_KEY.kid}",`;
  const after = `"trace_id":"t"},"stream":"${stream}","type":"${type}"}`;
  const signature = new HmacKey(EVENT_RING.subkey(EVENT_KEY, stream)).hex(before, after);
  return `${before}"signature":"${signature}",${after}`;
}

export const idOf = (n: number): string => sha256Hex(`event ${n}`);

/** Appends `count` events after the `from` that were made before, over a few streams. */
export async function fill(store: EventStore, count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n++) {
    const stream = `test-${n % 3}`;
    const expected = await store.streamVersion(stream);
    const event = { id: idOf(n), type: 'NOTED', text: textOf(stream, 'NOTED', n) };
    await store.append(stream, expected === 0 ? 'none' : expected, [event]);
  }
}

export async function everything(store: EventStore): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let after = '0' as RecordedEvent['position']; ;) {
    const page = await store.readAll({ after, limit: 1000 });
    events.push(...page.events);
    after = page.scannedTo;
    if (page.atHead) return events;
  }
}

/** The root as the events say it, without any store. */
export function rootOf(events: readonly RecordedEvent[]): string {
  const frontier = new Frontier(0, () => Buffer.alloc(32));
  for (const event of events) frontier.add(leafOf(event));
  return frontier.root().toString('hex');
}

/** Which event stands where, as a walk by ranges of `every` events tells it. */
export function placesOf(events: readonly RecordedEvent[], every: number): LogPlaces {
  let digest = '';
  for (let from = 0; from < events.length; from += every) {
    const range = new RangePlaces();
    for (const { position, id } of events.slice(from, from + every)) range.add(position, id);
    digest = placesAfter(digest, range.digest());
  }
  return { digest, every };
}

export interface OpenLog {
  readonly log: MerkleLog;
  readonly store: ProofStore;
  readonly keys: LogKeys;
  /** Every note that was kept outside the store, the newest last. */
  readonly anchored: string[];
}

export async function openLog(
  path: string,
  events: EventStore,
  change: Partial<MerkleLogOptions> & { readonly ring?: KeyRing } = {},
): Promise<OpenLog> {
  const { ring = new KeyRing([signingKey()]), ...options } = change;
  const store = await ProofStore.open(path);
  const keys = new LogKeys(ring, ORIGIN, Date.now);
  const anchored: string[] = [];
  const anchor = { write: async (note: string): Promise<void> => void anchored.push(note) };
  const signatures = new RowSignatures(EVENT_RING);
  const log = new MerkleLog({ events, store, keys, signatures, anchor, now: Date.now, ...options });
  return { log, store, keys, anchored };
}
