import { createHash, createHmac, hkdfSync } from 'node:crypto';

import {
  EventRegistry,
  KeyRing,
  traceId,
  type EventDefinition,
  type KeyPurpose,
  type Provenance,
  type RingKey,
} from '#lib/kernel';

import { emptyHead, EventCodec, type EncodedEvent, type StreamHead } from '../codec/codec.js';
import { SubjectCiphers } from '../codec/subject-ciphers.js';
import { EventLog } from '../event-log.js';
import { MemoryEventStore } from '../memory/memory-event-store.js';
import { MemorySubjectKeys } from '../memory/memory-subject-keys.js';
import type { EventStore, Position, RecordedEvent } from '../port.js';

export const DEFINITIONS: readonly EventDefinition[] = [
  { type: 'NOTED', version: 1, plain: ['what', 'more'] },
  {
    type: 'SAID',
    version: 1,
    plain: ['who'],
    personal: ['text', 'more'],
    subject: (data) => (data['who'] ?? null) as string | null,
  },
  { type: 'SEALED', version: 1, plain: ['count', 'last_hash'], chainHashField: 'last_hash' },
];

export const FIRST_KEY = key('event-hmac', 'k1', 1);

export function key(purpose: KeyPurpose, kid: string, byte: number, state: RingKey['state'] = 'active'): RingKey {
  return { kid, purpose, state, secret: Buffer.alloc(32, byte), notBefore: '2025-01-01T00:00:00.000Z' };
}

/** What the clock shows, where a test does not say. */
export const NOON = Date.UTC(2026, 10, 24, 12);

export interface SetUp {
  readonly store?: EventStore;
  readonly keys?: MemorySubjectKeys;
  readonly definitions?: readonly EventDefinition[];
  readonly ring?: readonly RingKey[];
  readonly now?: () => number;
}

/** One process's codec and log, over a store of its own or one that several share. */
export function setUp(options: SetUp = {}) {
  const { store = new MemoryEventStore(), keys = new MemorySubjectKeys(), definitions = DEFINITIONS } = options;
  const ring = new KeyRing([...(options.ring ?? [FIRST_KEY]), key('data-key-wrapping', 'w1', 9)]);
  const ciphers = new SubjectCiphers(keys, ring, options.now);
  const codec = new EventCodec(new EventRegistry(definitions), ring, ciphers, options.now ?? (() => NOON));
  return { store, keys, ring, ciphers, codec, log: new EventLog(store, codec) };
}

export function provenance(jobSeed = 'seed-1', more: Partial<Provenance> = {}): Provenance {
  const actor = { id: 'user_tuff', role: 'user' };
  return { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed), ...more };
}

/** Encoded events as a store gives them back. */
export function recorded(head: StreamHead, events: readonly EncodedEvent[]): RecordedEvent[] {
  return events.map(({ id, type, text }, i) => ({
    stream: head.stream,
    revision: head.version + i,
    position: String(i + 1) as Position,
    id,
    type,
    text,
    recordedAt: 0,
  }));
}

export const HEAD = emptyHead('test-1');

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The signature as spec/kernel.md says it, computed by node:crypto alone. */
export function signatureOf(secret: Buffer, stream: string, canonicalText: string): string {
  const subkey = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), stream, 32));
  return createHmac('sha256', subkey).update(canonicalText, 'utf8').digest('hex');
}
