import { MemoryEventStore, StoreUnavailableError } from '#lib/event-store';

import { FaultyStore } from '../../memory/src/testing/faulty-store.js';
import { MemorySubjectKeys } from '../../memory/src/testing/memory-harness.js';
import type { RequestView } from './request-view.js';
import {
  ANNA,
  BEN,
  CARA,
  ctxOf,
  governanceProcess,
  type GovernanceProcess,
  NOON,
  SOLVER,
} from './testing/governance-harness.js';

const KEY = 'user/profile/user_tuff/favorite_color';
const BLUE = { action: 'sem_put', key: KEY, value: 'blue' };

async function approved(governance: GovernanceProcess, payload: Record<string, unknown>): Promise<RequestView> {
  const request = await governance.propose(SOLVER, { payload: payload as never, justification: 'seen twice' });
  const { request_id, proposal_digest } = request;
  for (const who of [ANNA, BEN, CARA]) {
    await governance.requests.vote(ctxOf(who), request_id, 'approve', { proposal_digest });
  }
  return request;
}

/** Every append from the n-th on fails: what a process that was killed there leaves. */
class Killed extends FaultyStore {
  constructor(inner: MemoryEventStore, at: number, when: 'before' | 'after') {
    super(inner);
    this.fault = () => {
      const n = this.attempts.length;
      return n < at ? undefined : { error: new StoreUnavailableError('killed'), when: n === at ? when : 'before' };
    };
  }
}

describe('an approved action', () => {
  it('is carried out once however often the approval is delivered, by however many processes', async () => {
    const governance = await governanceProcess();
    const twin = await governanceProcess({ store: governance.store, keys: governance.keys });
    const { request_id } = await approved(governance, BLUE);
    await Promise.all([governance, twin, governance, twin].map((process) => process.reactToAll()));
    const { events } = await governance.log.load(`sem-${KEY}`, { personal: 'plain' });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: 'SEM_PUT', data: { value: 'blue', source: 'system', applied: true } });
    const types = await governance.types(request_id);
    expect(types.filter((type) => type === 'ACTION_EXECUTED')).toHaveLength(1);
    const view = await governance.requests.view(request_id);
    expect(view).toMatchObject({ status: 'executed', execution: { result: { key: KEY, revision: 0 } } });
    const stream = await governance.log.load(`actionrequest-${request_id}`);
    const approval = stream.events.find(({ type }) => type === 'ACTION_APPROVED')!.metadata.event_id;
    expect(events[0]!.metadata).toMatchObject({
      job_seed: `after:action-executor:${approval}`,
      $causationId: approval,
      actor: { id: 'system', role: 'system' },
    });
  });

  describe.each(['before', 'after'] as const)('killed %s it stored', (when) => {
    it.each([1, 2, 3, 4])(
      'its append number %i is finished by the next process, and nothing is done twice',
      async (at) => {
        const inner = new MemoryEventStore();
        const keys = new MemorySubjectKeys();
        const first = await governanceProcess({ store: inner, keys });
        const { request_id } = await approved(first, BLUE);
        const dying = await governanceProcess({ store: new Killed(inner, at, when), keys });
        await dying.reactToAll().catch(() => undefined);
        const next = await governanceProcess({ store: inner, keys });
        next.clock.now = NOON + 1000;
        await next.reactToAll();
        await next.reactToAll();
        expect((await next.log.load(`sem-${KEY}`)).events).toHaveLength(1);
        const types = await next.types(request_id);
        expect(types.slice(-1)).toEqual(['ACTION_EXECUTED']);
        expect(types.filter((type) => type === 'ACTION_EXECUTED')).toHaveLength(1);
      },
    );
  });

  it('that cannot be done is recorded as failed, and holds up nobody', async () => {
    const governance = await governanceProcess();
    const gone = await approved(governance, { action: 'sem_delete', key: KEY });
    const fine = await approved(governance, BLUE);
    await governance.reactToAll();
    await governance.reactToAll();
    expect(await governance.requests.view(gone.request_id)).toMatchObject({
      status: 'approved',
      execution: { error_code: 'SEM_NOT_FOUND' },
    });
    expect((await governance.requests.view(fine.request_id)).status).toBe('executed');
    expect((await governance.types(gone.request_id)).at(-1)).toBe('ACTION_FAILED');
  });

  it('that a store’s fault keeps from being done is tried again', async () => {
    const inner = new MemoryEventStore();
    const keys = new MemorySubjectKeys();
    const { request_id } = await approved(await governanceProcess({ store: inner, keys }), BLUE);
    const store = new FaultyStore(inner);
    const governance = await governanceProcess({ store, keys });
    store.fault = () => ({ error: new StoreUnavailableError('disk'), when: 'before' });
    await expect(governance.reactToAll()).rejects.toThrow('SEM_WRITE_FAIL');
    store.fault = () => undefined;
    await governance.reactToAll();
    expect((await governance.requests.view(request_id)).status).toBe('executed');
  });

  it('whose person was erased meanwhile is not done', async () => {
    const governance = await governanceProcess();
    const { request_id } = await approved(governance, BLUE);
    const keys = governance.keys as MemorySubjectKeys;
    for (const record of await keys.listFor('user_tuff'))
      await keys.destroy(record.state === 'present' ? record.key.kid : record.kid);
    const next = await governanceProcess({ store: governance.store, keys: governance.keys });
    await next.reactToAll();
    expect((await next.requests.view(request_id)).execution).toMatchObject({ error_code: 'CONFLICT' });
    expect((await next.log.load(`sem-${KEY}`)).events).toEqual([]);
  });

  it('of another library is carried out by the executor it plugged in', async () => {
    const governance = await governanceProcess();
    const seen: unknown[] = [];
    governance.executors.plug({
      action: 'module_quarantine',
      execute: async ({ payload, requestId, provenance }) => {
        seen.push([payload['node_id'], requestId, provenance(0).sequenceIndex]);
        return { events: 1, result: { node_id: payload['node_id']! } };
      },
    });
    const { request_id } = await approved(governance, { action: 'module_quarantine', node_id: 'agent:math_v1' });
    await governance.reactToAll();
    await governance.reactToAll();
    expect(seen).toEqual([['agent:math_v1', request_id, 0]]);
  });
});
