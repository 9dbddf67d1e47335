import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fixtureKeys } from '#lib/access';
import { Snapshots } from '#lib/governance';
import { systemSeed } from '#lib/kernel';

import { EFFECTIVE_SNAPSHOTS } from '../../apps/api/src/jobs/snapshots.js';
import { writeKeyFile } from '../../libs/access/src/key-file.js';
import { EventStoreWire } from '../fixtures/eventstore-wire/eventstore-wire.js';
import { type Answer, type Caller, JobApp } from '../support/job-app.js';

const KEY = '/sem/user/profile/user_tuff/favorite_color';
/** What a job leaves to be done behind its answer is done by then. */
const SETTLED_MS = 300;

/** What a request costs on EventStoreDB, in calls as its double counts them. */
describe('on EventStoreDB', () => {
  let wire: EventStoreWire;
  let app: JobApp;
  let other: JobApp;
  let tuff: Caller;
  let started: EventStoreWire['calls'];

  beforeAll(async () => {
    wire = await EventStoreWire.start();
    app = await opened();
    started = { ...wire.calls };
    other = await opened();
    tuff = await app.caller('user_tuff');
    // Who asks first is registered, and what is looked at once is known.
    await tuff.ask('what is 1 + 1');
    await tuff.send('PUT', KEY, { value: 'blue' });
  });
  afterAll(async () => {
    await other.close();
    await app.dispose();
    await wire.close();
  });

  /** Two processes have a data folder each, the keys, and one log. */
  async function opened(): Promise<JobApp> {
    const folder = mkdtempSync(join(tmpdir(), 'mace-calls-'));
    writeKeyFile(join(folder, 'keys', 'ring.json'), fixtureKeys());
    return JobApp.on(folder, {}, { MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: wire.url });
  }

  /** The least that it cost in several tries: what the process does by itself, at its own times, is not the request's. */
  async function cost(
    ask: (nth: number) => Promise<Answer<unknown>>,
    status = 200,
  ): Promise<{ appends: number; reads: number }> {
    let [appends, reads] = [Infinity, Infinity];
    for (let nth = 0; nth < 5; nth++) {
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
      const before = { ...wire.calls };
      expect((await ask(nth)).status).toBe(status);
      appends = Math.min(appends, wire.calls.append - before.append);
      reads = Math.min(reads, wire.calls.read - before.read);
    }
    return { appends, reads };
  }

  it('the first start appends little more than each fact of the world and each of their identities once, and reads little', () => {
    expect(started.append).toBeLessThan(930);
    expect(started.read).toBeLessThan(350);
  });

  it('a job is one append and at most three reads, also under a seed of the caller’s', async () => {
    const plain = await cost((nth) => tuff.ask(`what is ${nth} + 40`));
    expect(plain).toEqual({ appends: 1, reads: 1 });
    const seeded = await cost((nth) => tuff.ask(`what is ${nth} + 50`, { job_seed: `calls-${nth}` }));
    expect(seeded.appends).toBe(1);
    expect(seeded.reads).toBeLessThanOrEqual(3);
  });

  it('a write to memory is one append and one read, and a reading at most one read', async () => {
    const written = await cost((nth) => tuff.send('PUT', KEY, { value: `blue ${nth}` }));
    expect(written).toEqual({ appends: 1, reads: 1 });
    const read = await cost(() => tuff.get(KEY));
    expect(read.appends).toBe(0);
    expect(read.reads).toBeLessThanOrEqual(1);
    const missing = await cost(() => tuff.get('/sem/world/planet/mars/moons'), 400);
    expect(missing.reads).toBeLessThanOrEqual(1);
  });

  it('a halt that another process puts on a snapshot holds for the very next job here, and its clearing too', async () => {
    const { router } = app.parts.app.nest.get<{ router: { snapshot_id: string } }>(EFFECTIVE_SNAPSHOTS);
    const { snapshot_id } = router;
    const { halts } = other.parts.app.nest.get(Snapshots);
    for (let nth = 0; nth < 5; nth++) {
      expect((await tuff.ask(`what is ${nth} + 60`)).status).toBe(200);
      const by = { sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: 'trace-0123456789abcdef' };
      const cause = {
        cause_event_id: `e${nth}`,
        cause_type: 'SECURITY_INCIDENT',
        cause_stream: 'system-test',
      } as const;
      await halts.haltBecause({ snapshot_id, ...cause }, { jobSeed: systemSeed('test', `halt ${nth}`), ...by });
      expect((await tuff.ask(`what is ${nth} + 70`)).body).toMatchObject({ error_code: 'INTEGRITY_FAILURE' });
      const { halt_event_id } = (await halts.of(snapshot_id))!;
      const agreed = { snapshot_id, halt_event_id, action_request_id: 'ar-1', verified_by: 'user_ada', approvals: [] };
      await halts.clear(agreed, { jobSeed: systemSeed('test', `clear ${nth}`), ...by });
    }
    expect((await tuff.ask('what is 80 + 80')).status).toBe(200);
  });
});
