import type { JsonObject } from '#lib/kernel';
import type { RequestView } from '#lib/governance';

import { eventually, until } from '../support/eventually.js';
import { type Answer, type Caller, JobApp } from '../support/job-app.js';

/** Governance through HTTP on the whole application (seed 003 section 6; spec/decisions.md, "Governance"). */

const KEY = 'world/physics/ohms_law/short_form';
const PATH = `/sem/${KEY}`;
const WRITE = {
  kind: 'sem_put',
  payload: { action: 'sem_put', key: KEY, value: 'V = IR' },
  justification: 'seen twice',
};
const BLOCKED = 'I can’t store or repeat that kind of sensitive personal information.';
const DENIED = 'You don’t have permission to do that.';
const CONFLICT = 'Something else changed this first. Please look at it again before you retry.';

type Body = RequestView & { readonly [name: string]: unknown };

let app: JobApp;
let solver: Caller;
let council: Caller[];
let ada: Caller;
let bob: Caller;
let root: Caller;
let oscar: Caller;
let tuff: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  solver = await app.caller('solver', ['agent']);
  council = await Promise.all(['anna', 'ben', 'cara', 'dan'].map((name) => app.caller(name, ['council'], ['otp'])));
  ada = await app.caller('ada', ['admin'], ['otp']);
  bob = await app.caller('bob', ['admin'], ['otp']);
  root = await app.caller('root', ['superadmin'], ['otp']);
  oscar = await app.caller('oscar', ['operator']);
  tuff = await app.caller('tuff');
});
afterAll(() => app.dispose());

const create = (caller: Caller, body: unknown = WRITE, headers = {}) =>
  caller.send<Body>('POST', '/actionrequest/create', body, headers);
const vote = (caller: Caller, { request_id: id, proposal_digest }: RequestView, ballot: string, more = {}) =>
  caller.send<Body>('POST', `/actionrequest/${id}/vote`, { vote: ballot, proposal_digest, ...more });
const read = async (caller: Caller, id: string) => (await caller.get<Body>(`/actionrequest/${id}`)).body;
const types = async (id: string) => (await app.stream(`actionrequest-${id}`)).map(({ type }) => type);

/** Until the reactor has come by. */
function carriedOut(id: string): Promise<Body> {
  return eventually(async () => {
    const request = await read(ada, id);
    return request.execution === null ? null : request;
  }, `the execution of request ${id}`);
}

function refused({ status, body }: Answer<Body>): string {
  return `${status} ${String(body['error_code'])}: ${String(body['developer_message'])}`;
}

describe('Golden tests of BrainState (seed 003)', () => {
  it('T-BS-07 — ActionRequest gating', async () => {
    // What a BrainState has consolidated is what is asked for, and it stands in the request; nothing of it is stored by a tick.
    const { body: thinking } = await ada.send<JsonObject>('POST', '/brainstate/create_snapshot', {
      job_seed: 't-bs-07',
      goals: [{ type: 'save', priority: 0.9 }],
    });
    const { brainstate_snapshot_id } = thinking as { brainstate_snapshot_id: string };
    const seen = { brainstate_snapshot_id, type: 'fact', value: WRITE.payload.value };
    const event_ids: string[] = [];
    for (let i = 0; i < 2; i++) {
      const inserted = await ada.send<{ event_id: string }>('POST', '/brainstate/insert', seen);
      event_ids.push(inserted.body.event_id);
    }
    const ticked = await ada.send<{ CWM: { items: readonly JsonObject[] } }>('POST', '/brainstate/tick', {
      brainstate_snapshot_id,
      event_ids,
    });
    expect(ticked.status).toBe(200);
    const [consolidated] = ticked.body.CWM.items;
    expect((await tuff.get<Body>(PATH)).body['error_code']).toBe('SEM_NOT_FOUND');
    const wish = { ...WRITE, payload: { ...WRITE.payload, value: consolidated!['value'] } };
    const evidence = [brainstate_snapshot_id, ...event_ids];
    const { status, body: request, headers } = await create(solver, { ...wish, evidence });
    expect(status).toBe(200);
    expect(request.evidence).toEqual(evidence);
    expect(headers['etag']).toBe('"0"');
    expect(request).toMatchObject({
      kind: 'sem_put',
      status: 'pending',
      risk_class: 'high',
      required_approval_type: 'council_quorum',
      origin: 'agent:user_solver',
      payload: WRITE.payload,
      justification: WRITE.justification,
    });
    const { request_id: id } = request;
    const [asked, ...more] = await app.stream(`actionrequest-${id}`);
    expect(more).toEqual([]);
    expect(asked).toMatchObject({ type: 'ACTION_REQUESTED', data: { request_id: id, action: 'sem_put' } });
    expect(asked!.metadata.timestamp_seeded).toBe(request.timestamp_seeded);

    for (const [member, ballot] of [
      ['anna', 'approve'],
      ['ben', 'reject'],
    ] as const) {
      await vote(council[['anna', 'ben'].indexOf(member)]!, request, ballot);
      expect((await tuff.get<Body>(PATH)).body['error_code']).toBe('SEM_NOT_FOUND');
    }
    expect(await vote(council[2]!, request, 'approve')).toMatchObject({ status: 200, body: { status: 'approved' } });
    const done = await carriedOut(id);
    expect(done.status).toBe('executed');
    expect((await tuff.get<Body>(PATH)).body).toMatchObject({ exists: true, value: 'V = IR', source: 'system' });
    expect(await types(id)).toEqual([
      'ACTION_REQUESTED',
      'ACTION_VOTE',
      'ACTION_VOTE',
      'ACTION_VOTE',
      'ACTION_APPROVED',
      'ACTION_EXECUTED',
    ]);
    const [approval] = (await app.stream(`actionrequest-${id}`)).slice(4);
    const [put, ...others] = await app.stream(`sem-${KEY}`);
    expect(others).toEqual([]);
    // The write stands after the approval in the log, and is caused by it.
    expect(put!.metadata.$causationId).toBe(approval!.metadata.event_id);
    expect(put!.metadata.job_seed).toBe(`after:action-executor:${approval!.metadata.event_id}`);
    expect(BigInt(put!.position)).toBeGreaterThan(BigInt(approval!.position));
  });
});

describe('who may do what', () => {
  it('is asked of the role first, then of the second factor', async () => {
    expect(await create(tuff)).toMatchObject({ status: 403, body: { user_message: DENIED } });
    const plainAda = await app.caller('ada', ['admin']);
    const plain = await create(plainAda);
    expect(plain.status).toBe(401);
    expect(plain.headers['www-authenticate']).toBe('Bearer error="insufficient_user_authentication", max_age=300');
    expect((await create(oscar)).status).toBe(200);
    const { body: request } = await create(solver);
    const plainAnna = await app.caller('anna', ['council']);
    expect((await vote(plainAnna, request, 'approve')).status).toBe(401);
    expect(refused(await vote(oscar, request, 'approve'))).toBe(
      '403 PERMISSION_DENIED: actionrequest.vote is for council, admin',
    );
    expect(refused(await vote(ada, request, 'approve'))).toBe(
      '403 PERMISSION_DENIED: this is decided by members of the council',
    );
    expect((await ada.send('POST', '/superadmin/override', {})).status).toBe(400);
    expect((await council[0]!.send('POST', '/superadmin/override', {})).status).toBe(403);
    expect((await oscar.send('POST', '/governance/policy/propose', {})).status).toBe(403);
  });

  it('nobody votes on their own request, twice, or for another proposal', async () => {
    const { body: own } = await create(council[0]!);
    expect(refused(await vote(council[0]!, own, 'approve'))).toBe(
      '403 PERMISSION_DENIED: nobody votes on their own request',
    );
    await vote(council[1]!, own, 'abstain');
    const second = await vote(council[1]!, own, 'approve');
    expect(second.body).toMatchObject({ error_code: 'CONFLICT', user_message: CONFLICT });
    const other = await vote(council[2]!, { ...own, proposal_digest: 'f'.repeat(64) }, 'approve');
    expect(refused(other)).toMatch(/^409 CONFLICT: proposal_digest/);
    expect(refused(await vote(council[2]!, own, 'perhaps'))).toMatch(/^400 INVALID_INPUT: body.vote: one of/);
    expect((await vote(council[2]!, { ...own, request_id: 'ar-none' }, 'approve')).status).toBe(404);
  });

  it('a request is another’s secret, and redacted for who operates', async () => {
    const { body: request } = await create(solver);
    const other = await app.caller('other', ['agent']);
    expect((await other.get(`/actionrequest/${request.request_id}`)).status).toBe(404);
    expect(await read(oscar, request.request_id)).toMatchObject({ justification: '[redacted]', proposal: null });
    expect((await read(council[0]!, request.request_id)).proposal).not.toBeNull();
    const events = await oscar.get<{ items: JsonObject[] }>(`/governance/events/${request.request_id}`);
    expect(events.body.items[0]).toMatchObject({ type: 'ACTION_REQUESTED', data: { justification: '[redacted]' } });
    const listed = await other.get<{ items: JsonObject[] }>('/actionrequest');
    expect(listed.body.items).toEqual([]);
  });
});

describe('requests', () => {
  it('are refused by form, by unknown action, and where they hold personal data', async () => {
    expect(refused(await create(solver, { ...WRITE, kind: 'sem_delete' }))).toBe(
      '400 INVALID_INPUT: kind: the same as payload.action',
    );
    expect(refused(await create(solver, { ...WRITE, kind: 'launch', payload: {} }))).toMatch(
      /^400 INVALID_INPUT: payload.action: one of /,
    );
    expect(refused(await create(solver, { ...WRITE, risk_class: 'low' }))).toMatch(
      /^400 INVALID_INPUT: body: unknown field risk_class/,
    );
    const blocked = await create(solver, { ...WRITE, payload: { ...WRITE.payload, value: '123-45-6789' } });
    expect(blocked).toMatchObject({ status: 403, body: { error_code: 'PRIVACY_BLOCKED', user_message: BLOCKED } });
    expect((await app.texts()).some((text) => text.includes('123-45-6789'))).toBe(false);
  });

  it('are the same request under the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'req-1' };
    const [first, again] = [await create(solver, WRITE, headers), await create(solver, WRITE, headers)];
    expect(again.body).toEqual(first.body);
    const other = await create(solver, { ...WRITE, justification: 'else' }, headers);
    expect(refused(other)).toMatch(/^422 IDEMPOTENCY_KEY_REUSED/);
  });

  it('of the low class are approved by one admin, who is not the one that asked', async () => {
    const body = { kind: 'maintenance', payload: { what: 'vacuum' }, justification: 'it is full' };
    const { body: request } = await create(ada, body);
    const approve = (caller: Caller) =>
      caller.send<Body>('POST', `/actionrequest/${request.request_id}/approve`, {
        proposal_digest: request.proposal_digest,
      });
    expect(refused(await approve(ada))).toBe('403 PERMISSION_DENIED: nobody votes on their own request');
    expect((await approve(bob)).body).toMatchObject({ status: 'approved' });
    expect((await carriedOut(request.request_id)).status).toBe('executed');
    expect(refused(await approve(root))).toMatch(/^409 CONFLICT: the request is (approved|executed)/);
  });

  it('that are open over a restart are closed by their due times', async () => {
    const { body: request } = await create(solver);
    await app.whileClosed(() => setForward(25 * 3_600_000));
    try {
      await until(async () => (await types(request.request_id)).length > 1);
      const [, closing] = await app.stream(`actionrequest-${request.request_id}`);
      expect(closing).toMatchObject({ type: 'ACTION_REJECTED', data: { reason: 'no_quorum' } });
    } finally {
      await app.whileClosed(() => void jest.useRealTimers());
    }
  });
});

describe('a policy', () => {
  it('that would lock everybody out is refused with the reason; another one changes by vote', async () => {
    const propose = (change: JsonObject) =>
      ada.send<Body>('POST', '/governance/policy/propose', { policy: 'governance', change, justification: 'needed' });
    expect(refused(await propose({ council_members: ['user_anna'] }))).toBe(
      '400 INVALID_INPUT: change: refused, it would lock everybody out: council_quorum 3 could never be met by 1 council_members: nobody could decide anything',
    );
    expect(refused(await propose({ council_quorum: 0 }))).toMatch(
      /^400 INVALID_INPUT: change: \/council_quorum: a whole number from 1 to 25/,
    );
    const { body: request } = await propose({ max_query_length: 5000 });
    for (const member of council.slice(0, 3)) await vote(member, request, 'approve');
    const { execution } = await carriedOut(request.request_id);
    expect(execution).toMatchObject({
      result: { policy: 'governance', changed: [{ pointer: '/max_query_length', from: 8000, to: 5000 }] },
    });
    const { items } = (await oscar.get<{ items: { data: JsonObject }[] }>('/governance/events/governance')).body;
    expect(items.at(-1)!.data).toMatchObject({ cause: 'request', changed: [{ pointer: '/max_query_length' }] });
    const asked = await tuff.ask('x'.repeat(5001));
    expect(asked.status).toBe(400);
  });
});

describe('an emergency', () => {
  it('takes a superadmin and an admin, and is reviewed afterwards', async () => {
    const body = { ...WRITE, payload: { ...WRITE.payload, value: 'U = RI' }, reason: 'the lights are off' };
    const headers = { 'idempotency-key': 'sos-1' };
    const { body: begun } = await root.send<Body>('POST', '/superadmin/override', body, headers);
    expect(begun).toMatchObject({
      status: 'pending',
      emergency: { signatures: [{ signer: 'user_root', role: 'superadmin' }] },
    });
    const again = await root.send<Body>('POST', '/superadmin/override', body, headers);
    expect(again.body).toEqual(begun);
    const { request_id, proposal_digest } = begun;
    const sign = (caller: Caller) => caller.send<Body>('POST', '/superadmin/override', { request_id, proposal_digest });
    expect(refused(await sign(root))).toBe('409 CONFLICT: you have signed already; an emergency takes two people');
    expect((await sign(ada)).body).toMatchObject({ status: 'approved', decision: { approval_type: 'emergency' } });
    await carriedOut(request_id);
    expect((await tuff.get<Body>(PATH)).body).toMatchObject({ value: 'U = RI' });
    for (const member of council.slice(0, 3)) await vote(member, begun, 'approve');
    expect(await read(ada, request_id)).toMatchObject({ emergency: { review: { outcome: 'upheld' } } });
    expect(await types(request_id)).toContain('EMERGENCY_OVERRIDE');
  });
});

/** Only the clock is set forward: timers run as they do. */
function setForward(ms: number): void {
  jest.useFakeTimers({
    now: Date.now() + ms,
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  });
}
