import { join } from 'node:path';

import { emptyHead, type EncodedEvent, EventCodec, type LoggedEvent, type StreamHead } from '#lib/event-store';
import {
  canonicalize,
  type DomainEvent,
  type JsonObject,
  type Provenance,
  sha256Hex,
  type StoredEnvelope,
  traceId,
  HmacKey,
} from '#lib/kernel';
import { openDatabase } from '#lib/sqlite';

import { EVENTS_FILE, ON_SERVER, rowsOfType } from './event-store-for-tests.js';
import type { JobApp } from './job-app.js';

/**
 * Changes an event of a stream of one seed where it is stored, and signs it and every later event of the stream again, as
 * somebody does who holds the file and the keys.
 */
export async function resign(app: JobApp, stream: string, type: string, change: JsonObject): Promise<void> {
  const { codec } = app.parts.platform.events;
  const events = await app.stream(stream);
  const { job_seed: jobSeed, job_id: jobId, actor, request_digest: requestDigest } = events[0]!.metadata;
  const changed = events.map((event): DomainEvent => {
    const data = codec.withoutSeal(event);
    return { type: event.type, data: event.type === type ? { ...data, ...change } : data };
  });
  const by = {
    jobSeed,
    actor,
    sequenceIndex: 0,
    traceId: traceId(jobSeed),
    ...(jobId === undefined ? {} : { jobId }),
    ...(requestDigest === undefined ? {} : { requestDigest }),
  };
  const again = await encodedAgain(app, emptyHead(stream), changed, by, timesOf(events));
  const texts = again.map(({ text }) => text);
  rewriteTexts(app.folder, stream, texts);
}

/** Encodes events one by one, each as recorded when it was: where only one is changed, those before it stay the bytes that they are. */
async function encodedAgain(
  app: JobApp,
  from: StreamHead,
  events: readonly DomainEvent[],
  provenance: Provenance,
  times: readonly number[],
): Promise<EncodedEvent[]> {
  const { registry, ring, ciphers } = app.parts.platform;
  const encoded: EncodedEvent[] = [];
  let by = provenance;
  let head = from;
  for (const [i, event] of events.entries()) {
    const codec = new EventCodec(registry, ring, ciphers, () => times[i]!);
    const [one] = codec.encode(head, [event], by, await codec.prepare([event]));
    encoded.push(one!);
    head = { ...head, version: head.version + 1, lastHash: one!.hash };
    const { requestDigest: _, ...rest } = by;
    by = { ...rest, sequenceIndex: by.sequenceIndex + 1, causationId: one!.id };
  }
  return encoded;
}

function timesOf(events: readonly LoggedEvent[]): number[] {
  return events.map(({ metadata }) => Date.parse(metadata.recorded_at!));
}

/**
 * Changes the envelopes of a stream as they are stored, one by one, and chains and signs all of them again: also what no
 * codec would write.
 * @param worded the text of an envelope without its signature, as it is to be stored
 * @param ring whose active key signs
 */
export async function resignStored(
  app: JobApp,
  stream: string,
  change: (envelope: StoredEnvelope) => object,
  worded: (canonical: string, type: string) => string = (canonical) => canonical,
  ring = app.parts.platform.ring,
): Promise<void> {
  const { eventStore, registry } = app.parts.platform;
  const key = ring.active('event-hmac');
  const hmac = new HmacKey(ring.subkey(key, stream));
  const { events } = await eventStore.readStream(stream);
  let prev = '0'.repeat(64);
  const texts = events.map(({ text, type }) => {
    const envelope = JSON.parse(text) as { data: JsonObject; metadata: Record<string, unknown> };
    delete envelope.metadata['signature'];
    Object.assign(envelope.metadata, { prev_hash: prev, kid: key.kid });
    const seal = registry.get(type)?.chainHashField;
    if (seal !== undefined) Object.assign(envelope.data, { [seal]: prev });
    const open = worded(canonicalize(change(envelope as unknown as StoredEnvelope)), type);
    const cut = open.lastIndexOf('"timestamp_seeded"');
    const [before, after] = [open.slice(0, cut), open.slice(cut)];
    const signed = `${before}"signature":"${hmac.hex(before, after)}",${after}`;
    prev = sha256Hex(signed);
    return signed;
  });
  rewriteTexts(app.folder, stream, texts);
}

/** Puts other texts in place of a stream's events, from its first on. */
export function rewriteTexts(folder: string, stream: string, texts: readonly string[]): void {
  rewrite(folder, (database) => {
    const update = database.prepare(
      'UPDATE events SET text = ? WHERE revision = ? AND stream = (SELECT id FROM streams WHERE name = ?)',
    );
    for (const [revision, text] of texts.entries()) update.run(text, revision, stream);
  });
}

/**
 * Signs a stream of one seed again from an event on, under another provenance: other people, other causes, another place
 * among the events of its seed.
 */
export async function resignAs(app: JobApp, stream: string, change: Partial<Provenance>, from = 0): Promise<void> {
  const { codec } = app.parts.platform.events;
  const events = await app.stream(stream);
  const { job_seed: jobSeed, job_id: jobId, actor, request_digest: requestDigest } = events[0]!.metadata;
  const plain = events.map((event): DomainEvent => ({ type: event.type, data: codec.withoutSeal(event) }));
  const by: Provenance = {
    jobSeed,
    actor,
    sequenceIndex: 0,
    traceId: traceId(jobSeed),
    ...(jobId === undefined ? {} : { jobId }),
    ...(requestDigest === undefined ? {} : { requestDigest }),
  };
  const times = timesOf(events);
  const first = await encodedAgain(app, emptyHead(stream), plain.slice(0, from), by, times);
  const head = { stream, version: from, lastHash: first.at(-1)?.hash ?? emptyHead(stream).lastHash };
  const cause = first.at(-1)?.id;
  const later = { ...by, sequenceIndex: from, ...(cause === undefined ? {} : { causationId: cause }) };
  if (from > 0) delete (later as { requestDigest?: string }).requestDigest;
  const rest = await encodedAgain(app, head, plain.slice(from), { ...later, ...change }, times.slice(from));
  rewrite(app.folder, (database) => {
    const update = database.prepare(
      `UPDATE events SET text = ?, ${ON_SERVER ? 'type = replace(type, ?, ?)' : 'id = ?'}
       WHERE revision = ? AND stream = (SELECT id FROM streams WHERE name = ?)`,
    );
    for (const [revision, { text, id }] of [...first, ...rest].entries()) {
      const ids = ON_SERVER ? [events[revision]!.metadata.event_id, id] : [Buffer.from(id, 'hex')];
      update.run(text, ...ids, revision, stream);
    }
  });
}

/**
 * Takes events of one type out of a stream, all of them where none is named, as somebody does who holds the file.
 * @returns what puts them back
 */
export function remove(folder: string, stream: string, type?: string): () => void {
  const of = `stream = (SELECT id FROM streams WHERE name = ?)${type === undefined ? '' : ` AND ${rowsOfType(type)}`}`;
  const kept: Record<string, unknown>[] = [];
  rewrite(folder, (database) => {
    kept.push(...database.prepare<Record<string, unknown>>(`SELECT * FROM events WHERE ${of}`).all(stream));
    database.prepare(`DELETE FROM events WHERE ${of}`).run(stream);
  });
  return () =>
    rewrite(folder, (database) => {
      for (const row of kept) {
        const names = Object.keys(row);
        const insert = `INSERT INTO events (${names.join()}) VALUES (${names.map(() => '?').join()})`;
        database.prepare(insert).run(...(Object.values(row) as string[]));
      }
    });
}

/** The file's own rules are dropped for as long. */
function rewrite(folder: string, change: (database: ReturnType<typeof openDatabase>) => void): void {
  const database = openDatabase(join(folder, EVENTS_FILE));
  try {
    const rules = database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all() as {
      name: string;
      sql: string;
    }[];
    for (const { name } of rules) database.exec(`DROP TRIGGER ${name}`);
    change(database);
    for (const { sql } of rules) database.exec(sql);
  } finally {
    database.close();
  }
}
