import type { Principal } from '#lib/access';
import { canonicalize, MaceError, sha256Hex } from '#lib/kernel';

import { type MemorySubjectKeys } from '../../memory/src/testing/memory-harness.js';
import type { Ballot } from './domain/action-requests.events.js';
import { GetActionRequestHandler, GetActionRequest } from './queries/get-action-request.js';
import type { RequestView } from './request-view.js';
import {
  ADA,
  ANNA,
  BEN,
  BOB,
  CARA,
  ctxOf,
  type CtxOptions,
  DAN,
  governanceProcess,
  type GovernanceProcess,
  HOUR,
  NOON,
  OSCAR,
  person,
  ROOT,
  SOLVER,
} from './testing/governance-harness.js';

const WORLD = { action: 'sem_put', key: 'world/physics/ohms_law/definition', value: 'V = IR' };
const BLUE = { action: 'sem_put', key: 'user/profile/user_tuff/favorite_color', value: 'blue' };

let governance: GovernanceProcess;
beforeEach(async () => {
  governance = await governanceProcess();
});

const ask = (payload: Record<string, unknown> = WORLD, who: Principal = SOLVER, options: CtxOptions = {}) =>
  governance.propose(who, { payload: payload as never, justification: 'seen twice', evidence: ['e1'] }, options);

function vote(who: Principal, request: RequestView, ballot: Ballot, options: CtxOptions & { reason?: string } = {}) {
  const { proposal_digest, request_id } = request;
  const { reason } = options;
  const ctx = ctxOf(who, { now: governance.clock.now, path: `/actionrequest/${request_id}/vote`, ...options });
  return governance.requests.vote(ctx, request_id, ballot, {
    proposal_digest,
    ...(reason === undefined ? {} : { reason }),
  });
}

async function refusal(doing: Promise<unknown>): Promise<string> {
  try {
    await doing;
  } catch (error) {
    if (error instanceof MaceError) return `${error.code}: ${error.developerMessage}`;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('asking for an action', () => {
  it('makes a request whose class follows from the action, and does nothing yet', async () => {
    const request = await ask();
    expect(request).toMatchObject({
      kind: 'sem_put',
      status: 'pending',
      risk_class: 'high',
      required_approval_type: 'council_quorum',
      origin: 'agent:user_solver',
      due_at: new Date(NOON + 24 * HOUR).toISOString(),
      council_quorum: 3,
    });
    expect(await ask({ action: 'maintenance', what: 'vacuum' }, OSCAR)).toMatchObject({
      risk_class: 'low',
      required_approval_type: 'admin_single',
      due_at: new Date(NOON + 72 * HOUR).toISOString(),
    });
    await governance.reactToAll();
    expect(await governance.reader.get(WORLD.key)).toMatchObject({ exists: false });
  });

  it('is signed by the digest of the canonical proposal, which everybody who may read it can make again', async () => {
    const { proposal, proposal_digest } = await ask();
    expect(proposal).toMatchObject({ payload: WORLD, justification: 'seen twice', evidence: ['e1'] });
    expect(proposal_digest).toBe(sha256Hex(canonicalize(proposal)));
  });

  it('refuses what nothing carries out, what is missing and what is unknown', async () => {
    expect(await refusal(ask({ action: 'launch' }))).toBe(
      'INVALID_INPUT: payload.action: one of force_halt_clear, hitl, human_review, maintenance, memory_promote, policy_change, sem_delete, sem_put',
    );
    expect(await refusal(ask({ action: 'sem_put', key: WORLD.key }))).toBe(
      'INVALID_INPUT: payload.value: any JSON but null',
    );
    expect(await refusal(ask({ ...WORLD, source: 'user' }))).toBe(
      'INVALID_INPUT: payload: unknown member source; sem_put takes key, value, notes, meta',
    );
    expect(await refusal(ask({ ...WORLD, key: 'nonsense' }))).toMatch(/^INVALID_INPUT: The key is malformed/);
    expect(await refusal(ask({ ...WORLD, value: 0.12345678912 }))).toMatch(/^INVALID_INPUT: .*decimals/);
  });

  it('refuses a review of nothing, of no job, and of a job that there is not', async () => {
    const review = (more: Record<string, unknown>) =>
      refusal(ask({ action: 'human_review', reason_type: 'doubt', ...more }));
    expect(await review({})).toBe('INVALID_INPUT: payload: job_id or artifact_id, which says what is to be reviewed');
    expect(await review({ job_id: 'job:1' })).toBe('INVALID_INPUT: payload.job_id: ^job:[0-9a-f]{32}$');
    const unknown = `job:${'0'.repeat(32)}`;
    expect(await review({ job_id: unknown })).toBe(`NOT_FOUND: payload.job_id: no job ${unknown}`);
  });

  it('again under the same key is the same request; with another body it is refused', async () => {
    const first = await ask(WORLD, SOLVER, { key: 'k', body: 1 });
    expect(await ask(WORLD, SOLVER, { key: 'k', body: 1 })).toEqual(first);
    expect(await refusal(ask(BLUE, SOLVER, { key: 'k', body: 2 }))).toMatch(/^IDEMPOTENCY_KEY_REUSED/);
    const many = await Promise.all(Array.from({ length: 8 }, () => ask(WORLD, SOLVER, { key: 'l', body: 1 })));
    expect(new Set(many.map(({ event_id }) => event_id)).size).toBe(1);
  });

  it('stores no personal data: a payload with some is refused and flagged, a text is redacted', async () => {
    const ssn = '123-45-6789';
    expect(await refusal(ask({ ...WORLD, value: `my ssn is ${ssn}` }))).toMatch(/^PRIVACY_BLOCKED/);
    const request = await governance.propose(SOLVER, { payload: WORLD, justification: `asked by ${ssn}` });
    expect(request.justification).toBe('asked by [redacted:us_ssn]');
    await vote(ANNA, request, 'approve', { reason: `call ${ssn}` });
    const { events } = await governance.store.readAll({ after: '0' as never, limit: 4096 });
    expect(events.map(({ text }) => text).filter((text) => text.includes(ssn))).toEqual([]);
    expect(events.map(({ type }) => type)).toContain('PII_FLAGGED');
  });

  it('is refused, and flagged, where what its executor completes has personal data in it', async () => {
    const ssn = '123-45-6789';
    const endpoint = { kind: 'a2a', url: 'https://agents.example/' };
    const card = { url: `https://agents.example/${ssn}` };
    governance.executors.plug({
      action: 'agent_endpoint',
      check: (payload) => ({ ...payload, endpoint: { ...endpoint, card } }),
      execute: () => Promise.resolve({ events: 0, result: {} }),
    });
    const refused = ask({ action: 'agent_endpoint', node_id: 'agent:poet_v1', endpoint });
    expect(await refusal(refused)).toMatch(/^PRIVACY_BLOCKED/);
    const { events } = await governance.store.readAll({ after: '0' as never, limit: 4096 });
    expect(events.filter(({ type }) => /ACTION_REQUESTED|PII_FLAGGED/.test(type))).toMatchObject([
      { type: 'PII_FLAGGED', text: expect.not.stringContaining(ssn) },
    ]);
  });

  it('keeps what is a person’s encrypted under that person’s key, and readable until it is erased', async () => {
    const request = await ask(BLUE);
    const { events } = await governance.store.readAll({ after: '0' as never, limit: 4096 });
    const text = events.find(({ type }) => type === 'ACTION_REQUESTED')!.text;
    expect(text).not.toContain('blue');
    expect(text).not.toContain('seen twice');
    expect(text).toContain(BLUE.key);
    expect((await governance.requests.view(request.request_id)).payload).toEqual(BLUE);

    const keys = governance.keys as MemorySubjectKeys;
    const later = await governanceProcess({ store: governance.store, keys });
    for (const record of await keys.listFor('user_tuff'))
      await keys.destroy(record.state === 'present' ? record.key.kid : record.kid);
    expect(await later.requests.view(request.request_id)).toMatchObject({
      payload: { action: 'sem_put', key: BLUE.key },
      justification: '[erased]',
      proposal: null,
      proposal_digest: request.proposal_digest,
    });
  });
});

describe('reading a request', () => {
  const read = async (who: Principal, id: string) =>
    new GetActionRequestHandler(governance.requests, governance.log, { of: () => Promise.resolve(null) }).execute(
      new GetActionRequest(ctxOf(who, { now: governance.clock.now, path: `/actionrequest/${id}` }), id),
    );

  it('is plain for who asked and who decides, redacted for who operates, nothing for others', async () => {
    const { request_id: id } = await ask(BLUE);
    for (const who of [SOLVER, ANNA, ADA]) expect((await read(who, id)).payload).toEqual(BLUE);
    const looks = (await governance.log.load(`access-${ADA.id}`)).events;
    expect(looks).toMatchObject([{ type: 'admin_access_event', data: { resource: `actionrequest/${id}` } }]);
    expect((await governance.log.load(`access-${ANNA.id}`)).events).toEqual([]);
    const redacted = await read(OSCAR, id);
    expect(redacted).toMatchObject({ payload: { action: 'sem_put' }, justification: '[redacted]', proposal: null });
    expect(await refusal(read(person('user_eve', 'user'), id))).toMatch(/^NOT_FOUND/);
    expect(await refusal(read(ADA, 'ar-unknown'))).toMatch(/^NOT_FOUND/);
  });
});

describe('voting', () => {
  it('decides with the third counted vote and answers how it stands', async () => {
    const request = await ask();
    expect(await vote(ANNA, request, 'approve')).toMatchObject({ status: 'pending' });
    await vote(BEN, request, 'abstain');
    await vote(CARA, request, 'reject', { reason: 'not sure' });
    const decided = await vote(DAN, request, 'approve');
    expect(decided).toMatchObject({
      status: 'approved',
      tally: { approve: 2, reject: 1, abstain: 1 },
      decision: { approval_type: 'council_quorum', approved_by: ['user_anna', 'user_dan'] },
    });
    expect(decided.votes[2]).toMatchObject({ voter: 'user_cara', reason: 'not sure' });
  });

  it('knows the same vote again by what is recorded, whatever the clock of the store or of the edge says', async () => {
    const request = await ask();
    const first = await vote(ANNA, request, 'approve', { key: 'a-vote-twice' });
    governance.clock.now = NOON + 100 * 24 * HOUR;
    expect(await vote(ANNA, request, 'approve', { key: 'a-vote-twice' })).toEqual(first);
    expect(await refusal(vote(ANNA, request, 'approve', { key: 'another-vote' }))).toMatch(/^CONFLICT/);
  });

  it('answers the same vote again as it did at first, whatever happened since', async () => {
    const request = await ask();
    const first = await vote(ANNA, request, 'approve', { key: 'k' });
    await vote(BEN, request, 'approve');
    await vote(CARA, request, 'approve');
    expect(await vote(ANNA, request, 'approve', { key: 'k' })).toEqual(first);
    expect(await refusal(vote(ANNA, request, 'reject', { key: 'k', body: 2 }))).toMatch(/^IDEMPOTENCY_KEY_REUSED/);
    expect(await refusal(vote(ANNA, request, 'approve'))).toMatch(/^CONFLICT: you have voted already/);
  });

  it('of twenty at once decides exactly once, over two processes', async () => {
    const other = await governanceProcess({ store: governance.store, keys: governance.keys });
    const request = await ask();
    const { request_id: id, proposal_digest } = request;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => {
        const { requests } = i % 2 === 0 ? governance : other;
        const who = person(`user_member${i}`, 'council');
        return requests.vote(ctxOf(who), id, i % 3 === 0 ? 'reject' : 'approve', { proposal_digest });
      }),
    );
    const types = await governance.types(id);
    expect(types.filter((type) => type === 'ACTION_VOTE')).toHaveLength(3);
    expect(types.filter((type) => type === 'ACTION_APPROVED' || type === 'ACTION_REJECTED')).toHaveLength(1);
    const refused = outcomes.filter((one): one is PromiseRejectedResult => one.status === 'rejected');
    expect(refused).toHaveLength(17);
    expect(refused.every(({ reason }) => (reason as MaceError).code === 'CONFLICT')).toBe(true);
  });

  it('after the due time closes the window first, and is then late', async () => {
    const request = await ask();
    await vote(ANNA, request, 'approve');
    governance.clock.now = NOON + 24 * HOUR;
    expect(await refusal(vote(BEN, request, 'approve'))).toBe(
      'CONFLICT: the request is rejected; it takes no votes any more',
    );
    expect(await governance.types(request.request_id)).toEqual(['ACTION_REQUESTED', 'ACTION_VOTE', 'ACTION_REJECTED']);
  });

  it('on a low request is one admin’s approval, never of the one who asked', async () => {
    const request = await ask({ action: 'maintenance', what: 'vacuum' }, ADA);
    const say = { proposal_digest: request.proposal_digest };
    expect(await refusal(governance.requests.approve(ctxOf(ADA), request.request_id, say))).toMatch(/own request$/);
    const done = await governance.requests.approve(ctxOf(BOB), request.request_id, say);
    expect(done).toMatchObject({ status: 'approved', decision: { approval_type: 'admin_single' } });
    await governance.reactToAll();
    expect((await governance.requests.view(request.request_id)).status).toBe('executed');
  });

  it('keeps the terms it was asked under, whatever the constants become', async () => {
    const request = await ask();
    const { snapshot_id } = await governance.policies.current('governance');
    await governance.policies.adopt('governance', { council_quorum: 1 }, NOON);
    expect((await governance.policies.current('governance')).snapshot_id).not.toBe(snapshot_id);
    expect(await vote(ANNA, request, 'approve')).toMatchObject({ status: 'pending', council_quorum: 3 });
    expect(await ask(BLUE)).toMatchObject({ council_quorum: 1 });
  });
});

describe('an emergency', () => {
  it('is carried out with both signatures, reviewed by the council, and never by one person', async () => {
    const request = await ask(WORLD, OSCAR);
    const say = { proposal_digest: request.proposal_digest, reason: 'the lights are off' };
    expect(await governance.requests.sign(ctxOf(ROOT), request.request_id, say)).toMatchObject({ status: 'pending' });
    await governance.reactToAll();
    expect(await governance.reader.get(WORLD.key)).toMatchObject({ exists: false });
    expect(await refusal(governance.requests.sign(ctxOf(ROOT), request.request_id, say))).toMatch(/^CONFLICT/);
    const done = await governance.requests.approve(ctxOf(ADA), request.request_id, say);
    expect(done).toMatchObject({ status: 'approved', decision: { approval_type: 'emergency' } });
    await governance.reactToAll();
    expect(await governance.reader.get(WORLD.key)).toMatchObject({ value: 'V = IR', source: 'system' });
    for (const who of [ANNA, BEN, CARA]) await vote(who, request, 'approve');
    expect(await governance.requests.view(request.request_id)).toMatchObject({
      status: 'executed',
      emergency: { review: { outcome: 'upheld' } },
    });
  });

  it('whose review is not held in time is overdue', async () => {
    const request = await ask(WORLD, OSCAR);
    const say = { proposal_digest: request.proposal_digest };
    await governance.requests.sign(ctxOf(ROOT), request.request_id, say);
    await governance.requests.approve(ctxOf(ADA), request.request_id, say);
    await governance.requests.close(request.request_id, NOON + 24 * HOUR);
    await governance.requests.close(request.request_id, NOON + 25 * HOUR);
    const types = await governance.types(request.request_id);
    expect(types.filter((type) => type === 'EMERGENCY_REVIEWED')).toHaveLength(1);
  });
});

describe('two processes that close one window', () => {
  it('make one event', async () => {
    const { request_id: id } = await ask();
    const twin = await governanceProcess({ store: governance.store, keys: governance.keys });
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? twin : governance).requests.close(id, NOON + 24 * HOUR + i)),
    );
    expect(await governance.types(id)).toEqual(['ACTION_REQUESTED', 'ACTION_REJECTED']);
  });
});
