import { MemoryEventStore, START } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';
import { ProjectionHost, ReadModel } from '#lib/projections';
import { MemoryReadStore } from '#lib/read-store';

import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { type RequestedAction } from './proposals.js';
import { datedRequests, keepWindows } from './kept-windows.js';
import { PolicyWatch } from './policy-watch.js';
import { actionRequestsProjection } from './read-models/actionrequests.projection.js';
import { RequestList } from './request-list.js';
import { WindowKeeping } from './window-keeping.js';
import { governanceProcess, type GovernanceProcess, HOUR, NOON, SOLVER } from './testing/governance-harness.js';

const WANTED: RequestedAction = {
  payload: { action: 'sem_put', key: 'world/physics/ohms_law/short_form', value: 'V = IR' },
  justification: 'seen twice',
};

describe('governance in several processes on one log', () => {
  let store: MemoryEventStore;
  let keys: MemorySubjectKeys;
  let one: GovernanceProcess;
  let other: GovernanceProcess;
  beforeEach(async () => {
    store = new MemoryEventStore();
    keys = new MemorySubjectKeys();
    one = await governanceProcess({ store, keys });
    other = await governanceProcess({ store, keys });
  });

  describe('a policy that one puts in force', () => {
    it('is told in the others, once each time, also where it changed before they began to follow', async () => {
      const told: unknown[] = [];
      other.policies.onChange((name, { body }) => void told.push([name, body]));
      await adopt(one, { min_score: 0.3 });
      const watch = new PolicyWatch(store, other.policies, (fault) => void told.push(fault));
      watch.start();
      const standing = () => told.filter((one) => (one as [string])[0] === 'router');
      await until(() => standing().length === 1);
      await adopt(one, { min_score: 0.4 });
      await until(() => standing().length === 2);
      await watch.stop();
      expect(standing()).toEqual([
        ['router', { min_score: 0.3 }],
        ['router', { min_score: 0.4 }],
      ]);
      expect(told.filter((one) => (one as [string])[0] !== 'router')).toEqual([['governance', { council_quorum: 3 }]]);
    });

    it('is not told twice in the process that made it', async () => {
      const told: unknown[] = [];
      await one.policies.lookAgain();
      one.policies.onChange((name) => void told.push(name));
      await adopt(one, { min_score: 0.3 });
      await one.policies.lookAgain();
      expect(told).toEqual(['router']);
    });
  });

  it('a policy that was replaced here while it was looked at is not told after the one that replaced it', async () => {
    const told: unknown[] = [];
    other.policies.onChange((name, { body }) => void (name === 'router' && told.push(body)));
    await adopt(one, { min_score: 0.3 });
    const snapshots = other.snapshots;
    const load = snapshots.loadProven.bind(snapshots);
    // As late as it can be: the other change is in force and told by the time this look has its snapshot.
    jest.spyOn(snapshots, 'loadProven').mockImplementationOnce(async (...asked) => {
      const found = await load(...asked);
      await adopt(other, { min_score: 0.5 });
      return found;
    });
    await other.policies.lookAgain();
    expect(told).toEqual([{ min_score: 0.5 }]);
    await other.policies.lookAgain();
    expect(told).toEqual([{ min_score: 0.5 }]);
  });

  describe('due times', () => {
    it('are kept by one process for all, those that are open by then and those that are asked for later', async () => {
      one.windows.stop().catch(() => undefined);
      await other.windows.stop();
      const before = await one.propose(SOLVER, WANTED);
      const keeper = keeping(other);
      await until(() => other.windows.size === 1);
      const after = await one.propose(SOLVER, WANTED);
      await until(() => other.windows.size === 2);
      expect(one.windows.size).toBe(0);

      other.clock.now = NOON + 1000 * HOUR;
      other.windows.add('a look at what is due', new Date(NOON).toISOString());
      for (const { request_id } of [before, after]) {
        await until(async () => (await one.types(request_id)).includes('ACTION_REJECTED'));
      }
      await keeper.stop();
      expect(other.windows.size).toBe(0);
    });

    it('that were open at the start are looked for again where their list could not be waited for, in a process alone too', async () => {
      const { log, windows } = other;
      const faults: unknown[] = [];
      const waitFor = () => (faults.length === 0 ? Promise.reject(new Error('not there in time')) : Promise.resolve());
      const open = async function* () {
        yield Promise.resolve({ id: 'ar-1', closesAt: new Date(NOON + HOUR).toISOString() });
      };
      const dated = { projection: 'dated', opening: [], dueOf: () => ({ id: '', dueAt: '' }), open };
      const onFault = (fault: unknown): void => void faults.push(fault);
      const documents = new MemoryReadStore();
      const alone = { name: 'alone', isHere: true, lease: undefined, documents, onFault };
      const keeping = new WindowKeeping({ log, windows, dated, host: { waitFor } }, alone);
      keeping.start();
      await until(() => windows.size === 1);
      expect(faults).toEqual([expect.any(Error), null]);
      await keeping.stop();
    });

    it('are closed once where two keep them at the same time, as after a pause of the first', async () => {
      const { request_id } = await one.propose(SOLVER, WANTED);
      const later = NOON + 1000 * HOUR;
      await Promise.all([one.requests.close(request_id, later), other.requests.close(request_id, later)]);
      expect(await one.types(request_id)).toEqual(['ACTION_REQUESTED', 'ACTION_REJECTED']);
    });

    it('that somebody wrote into the store without a key open nothing, and hold nothing up', async () => {
      await other.windows.stop();
      const keeper = keeping(other);
      const { request_id } = await governanceProcess().then((elsewhere) => elsewhere.propose(SOLVER, WANTED));
      await one.propose(SOLVER, WANTED);
      const { events } = await store.readAll({ after: START, limit: 1000, types: ['ACTION_REQUESTED'] });
      const text = events[0]!.text.replace(/ar-[0-9a-f]{32}/g, request_id);
      await store.append('actionrequest-forged', 'none', [{ id: 'f'.repeat(64), type: 'ACTION_REQUESTED', text }]);
      await one.propose(SOLVER, WANTED);
      await until(() => other.windows.size === 2);
      await keeper.stop();
    });
  });

  function keeping(process: GovernanceProcess) {
    const documents = new MemoryReadStore();
    const { codec } = process.log;
    const host = new ProjectionHost({
      projections: [actionRequestsProjection],
      events: store,
      documents,
      decode: (recorded) => codec.decode(recorded),
    });
    host.start();
    const requests = new RequestList(new ReadModel(documents, actionRequestsProjection));
    const stopping = new AbortController();
    const { log, windows } = process;
    const kept = keepWindows({ log, windows, dated: datedRequests(requests), host }, stopping.signal);
    return {
      stop: async () => {
        stopping.abort();
        await kept;
        await host.stop();
      },
    };
  }
});

function adopt({ policies }: GovernanceProcess, body: JsonObject) {
  return policies.adopt('router', body, NOON);
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 1));
}
