import { MongoClient } from 'mongodb';

import { MemoryReadStore, openMongoReadStore } from '#lib/read-store';

import { MongoWire } from '../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { realServer } from '../../mongodb/src/testing/real-server.js';
import { ProjectionRunner } from './projection-runner.js';
import { computedLog } from './testing/computed-log.js';
import { notesProjection, parse } from './testing/notes.js';

const EVENTS = 700;
const LIVE = { projection: 'notes', name: 'v1' };
/** Pages before which the primary steps down: in the middle, twice in short, and before the last. */
const STEPS_DOWN_AT = new Set(['210', '350', '357', '693']);
const NO_REPLICATION = 76;

/** The primary is none for a second, then is one again, where nobody else may be; false on a lone server. */
async function stepDown(url: string): Promise<boolean> {
  const client = new MongoClient(url);
  try {
    await client.db('admin').command({ replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true });
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === NO_REPLICATION) return false;
    throw error;
  } finally {
    await client.close();
  }
}

/** The documents of a projection that follows the log on the server, while its primary steps down. */
async function keptOn(url: string): Promise<{ readonly digest: string; readonly stepsDown: number }> {
  const documents = await openMongoReadStore({ url });
  let stepsDown = 0;
  const events = computedLog(EVENTS, async (at) => {
    if (STEPS_DOWN_AT.has(at) && (await stepDown(url))) stepsDown++;
  });
  const runner = new ProjectionRunner(notesProjection, { events, documents, decode: parse, maxBatchEvents: 7 });
  try {
    runner.start();
    await runner.waitFor(String(EVENTS), 60_000);
    const { digest, position } = await documents.digest(LIVE);
    expect(position).toBe(String(EVENTS));
    return { digest, stepsDown };
  } finally {
    await runner.stop();
    await documents.close();
  }
}

async function undisturbed(): Promise<string> {
  const fresh = new MemoryReadStore();
  const events = computedLog(EVENTS, () => undefined);
  const runner = new ProjectionRunner(notesProjection, { events, documents: fresh, decode: parse });
  runner.start();
  await runner.waitFor(String(EVENTS), 60_000);
  await runner.stop();
  return (await fresh.digest(LIVE)).digest;
}

describe('a projection in a MongoDB whose primary steps down again and again', () => {
  it('has, on the double, the documents of one that nothing happened to', async () => {
    const wire = await MongoWire.start();
    try {
      const { digest, stepsDown } = await keptOn(wire.url);
      expect(stepsDown).toBe(STEPS_DOWN_AT.size);
      expect(wire.refusedAsSecondary).toBeGreaterThan(0);
      expect(digest).toBe(await undisturbed());
    } finally {
      await wire.close();
    }
  }, 90_000);

  const real = realServer('a primary that steps down');
  if (real) {
    it('has them on the server of MONGODB_URL, which says where it is no replica set', async () => {
      const url = real.freshUrl();
      try {
        const { digest, stepsDown } = await keptOn(url);
        if (stepsDown === 0) process.stderr.write('MONGODB_URL names no replica set: no primary stepped down\n');
        expect(digest).toBe(await undisturbed());
      } finally {
        await real.drop(url);
      }
    }, 120_000);
  } else {
    it.skip('has them on a real replica set, for which MONGODB_URL must be set', () => undefined);
  }
});
