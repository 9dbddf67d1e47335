import { brainstateEvents } from '#lib/brainstate';
import { mkdirSync } from 'node:fs';

import { EventCodec, EventLog, openSqliteEventStore, SubjectCiphers } from '#lib/event-store';
import { EventRegistry, KeyRing, type KeyPurpose, type RingKey } from '#lib/kernel';
import { projectionEvents } from '#lib/projections';
import { DataFolder } from '#lib/sqlite';

import { MemorySubjectKeys } from '../../../libs/event-store/src/memory/memory-subject-keys.js';
import { jobEvents } from '../../../libs/jobs/src/domain/jobs.events.js';
import { memoryEvents } from '../../../libs/memory/src/domain/sem.events.js';

/** The event store with its codec, and nothing above it. */
export interface EventSide {
  readonly log: EventLog;
  close(): Promise<void>;
}

export async function openEventSide(path: string): Promise<EventSide> {
  mkdirSync(path, { recursive: true });
  const folder = DataFolder.take(path);
  const store = await openSqliteEventStore({ folder });
  const log = new EventLog(store, benchCodec());
  const close = async (): Promise<void> => {
    await store.close();
    folder.release();
  };
  return { log, close };
}

export function benchRing(): KeyRing {
  return new KeyRing((['event-hmac', 'data-key-wrapping', 'pii-hmac'] as const).map(key));
}

/** Data keys of people lie in memory: one is asked for once in many thousand events. */
export function benchCodec(ring = benchRing()): EventCodec {
  return new EventCodec(
    new EventRegistry([...brainstateEvents, ...jobEvents, ...memoryEvents, ...projectionEvents]),
    ring,
    new SubjectCiphers(new MemorySubjectKeys(), ring),
  );
}

function key(purpose: KeyPurpose, i: number): RingKey {
  return {
    kid: `bench-${i}`,
    purpose,
    state: 'active',
    secret: Buffer.alloc(32, i + 1),
    notBefore: '2025-01-01T00:00:00.000Z',
  };
}
