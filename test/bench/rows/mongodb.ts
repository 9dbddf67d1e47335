import { MongoClient } from 'mongodb';

import { canonicalize, type JsonObject, sha256Hex } from '#lib/kernel';
import { type Change, type Checkpoint, type Generation, openMongoReadStore } from '#lib/read-store';

import { timed } from '../harness/callers.js';
import { message, start, stop } from '../harness/process.js';
import { atLeast, type Line, type Row, type RowContext } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import type { MongoWireReady } from './mongodb-process.js';

const DOCUMENTS = 20_000;
/** As a projection on a server writes them. */
const BATCH = 512;
const INDEXES = ['user_id', 'status', 'created_at'];
const COLLECTION = 'rows';

/**
 * Batches of a projection through the adapter beside the bare driver's `bulkWrite` of the same documents, on one server:
 * the double, which is a replica set, or the one that MONGODB_URL names. The adapter's are whole or not at all, with
 * their checkpoint, and guarded against another owner.
 */
export const mongodb: Row = {
  name: 'mongodb',
  async run(context) {
    const given = process.env['MONGODB_URL'];
    if (given !== undefined && given !== '') return [await measure(context, given, 'a real server')];
    const child = start(new URL('./mongodb-process.js', import.meta.url));
    try {
      const { url } = await message<MongoWireReady>(child, 'ready');
      return [await measure(context, url, 'the double on the wire')];
    } finally {
      await stop(child);
    }
  },
};

async function measure({ rounds, scale, say }: RowContext, url: string, server: string): Promise<Line> {
  const count = Math.ceil((DOCUMENTS * scale) / BATCH) * BATCH;
  const store = await openMongoReadStore({ url });
  const client = await new MongoClient(url).connect();
  const name = `bench${Date.now().toString(36)}`;
  let round = 0;
  try {
    const measured = async (): Promise<number> => {
      const generation: Generation = { projection: 'bench', name: `${name}_${round++}` };
      await store.prepare(generation, [{ name: COLLECTION, indexes: INDEXES }]);
      let from: Checkpoint = await store.claim(generation);
      const perSecond = await timed(count, async () => {
        for (let n = 0; n < count; n += BATCH) {
          const to = String(n + BATCH);
          const changes = Array.from({ length: BATCH }, (_, i) => put(n + i));
          if ((await store.apply(generation, { changes, from, to })) === 'fenced') throw new Error('another owner');
          from = { position: to, epoch: from.epoch };
        }
      });
      const there = await store.count(generation, COLLECTION);
      if (there !== count) throw new Error(`${there} documents of ${count} were written`);
      await store.drop(generation);
      return perSecond;
    };
    const baseline = async (): Promise<number> => {
      const collection = client.db().collection<Bare>(`${name}_bare_${round++}`);
      for (const field of INDEXES) await collection.createIndex({ [`fields.${field}`]: 1, _id: 1 });
      const perSecond = await timed(count, async () => {
        for (let n = 0; n < count; n += BATCH) {
          const operations = Array.from({ length: BATCH }, (_, i) => bareWrite(n + i));
          await collection.bulkWrite(operations, { ordered: true });
        }
      });
      await collection.drop();
      return perSecond;
    };
    const figures = await interleave(
      { baseline, measured },
      { rounds, onTask: (task, nth) => say(`round ${nth}, ${task}`) },
    );
    const ratio = pairedRatio(figures.measured, figures.baseline);
    return {
      name: `MongoDB bulk apply, ${server}`,
      unit: 'documents/s',
      figure: median(figures.measured),
      baseline: median(figures.baseline),
      baselineName: 'the bare driver’s bulkWrite of the same documents',
      ratio,
      aims: [atLeast('ratio', ratio, 0.6)],
      details: { 'documents a round': count, 'documents a batch': BATCH },
    };
  } finally {
    await client.close();
    await store.close();
  }
}

/** What the bare driver writes: a body and what it is found by. */
interface Bare {
  readonly _id: string;
  readonly body: string;
  readonly fields: JsonObject;
}

function put(nth: number): Change {
  return { op: 'put', collection: COLLECTION, id: idOf(nth), body: bodyOf(nth) };
}

function bareWrite(nth: number) {
  const body = bodyOf(nth);
  const fields = Object.fromEntries(INDEXES.map((field) => [field, body[field]!]));
  const replacement = { body: canonicalize(body), fields };
  return { replaceOne: { filter: { _id: idOf(nth) }, replacement, upsert: true } };
}

function idOf(nth: number): string {
  return sha256Hex(`row ${nth}`).slice(0, 32);
}

/** Some 500 bytes, as a row of a list of jobs has. */
function bodyOf(nth: number): JsonObject {
  return {
    agent_id: 'profile_agent',
    created_at: new Date(Date.UTC(2026, 0, 1) + nth * 1000).toISOString(),
    final_answer: {
      $enc: { ct: 'c'.repeat(160), kid: `user_${nth % 500}.1.${'k'.repeat(16)}`, nonce: 'n'.repeat(16) },
    },
    final_confidence: 0.9,
    job_id: `job:${idOf(nth)}`,
    position: nth,
    route_reason: 'profile_lookup',
    sealed: true,
    status: 'completed',
    user_id: `user_${nth % 500}`,
  };
}
