import type { RequestPage } from '#lib/governance';
import {
  type CriticPage,
  type NegotiationPage,
  ProposedArtifacts,
  type ShownNegotiation,
  Waiters,
} from '#lib/negotiation';

import { eventually, until } from '../../../test/support/eventually.js';
import type { Caller, JobApp } from '../../../test/support/job-app.js';
import { lastVoteRaces } from '../../../test/support/last-vote-races.js';
import { RoomApp } from '../../../test/support/room-app.js';
import { proposalBy, refusalOf, voteBy } from '../../../test/support/room-client.js';
import type { WireDecision, WireVote } from './proto/messages.js';

/** Real gRPC between a client and the served room, on real files. */

let room: RoomApp;
let app: JobApp;
beforeAll(async () => {
  room = await RoomApp.open({ tuff: 'user' });
  ({ app } = room);
});
afterAll(() => room.dispose());

const call: RoomApp['call'] = (who, method, message, said) => room.call(who, method, message, said);
const proposed: RoomApp['proposed'] = (critics, more) => room.proposed(critics, more);

describe('a negotiation over gRPC', () => {
  it('ends with the last vote: the decision holds every vote, its numbers and the policy', async () => {
    const id = await proposed(['ann', 'ben']);
    await call('ann', 'SubmitVote', voteBy('ann', id, { score: 8 }));
    const before = await call<{ decision: WireDecision | null }>('maker', 'GetDecision', { artifact_id: id });
    expect(before.response.decision).toBeNull();
    await call('ben', 'SubmitVote', voteBy('ben', id, { score: 6, confidence: 0.7 }));
    const { response } = await call<{ decision: WireDecision }>('ann', 'GetDecision', { artifact_id: id });
    expect(response.decision).toMatchObject({
      artifact_id: id,
      outcome: 1,
      policy_version: 'mace-negotiation-1',
      aggregated_score: { weighted_mean: 7.125, std_dev: 1, vote_count: 2 },
      quorum_met: true,
      votes_received: 2,
      votes_expected: 2,
      collection_timeout_reached: false,
      unavailable_critics: [],
      late_votes: [],
    });
    expect(response.decision.votes.map(({ critic_id, strengths }) => [critic_id, strengths])).toEqual([
      ['ann', ['clear']],
      ['ben', ['clear']],
    ]);
  });

  it('closes by itself when its window is over, and takes a later vote as late', async () => {
    const id = await proposed(['ann', 'ben'], { vote_collection_timeout_s: 1 });
    await call('ann', 'SubmitVote', voteBy('ann', id));
    const waited = await call<{ decision: WireDecision }>('maker', 'WaitForDecision', {
      artifact_id: id,
      timeout_seconds: 4_294_967_295,
    });
    expect(waited.response.decision).toMatchObject({
      outcome: 1,
      collection_timeout_reached: true,
      unavailable_critics: ['ben'],
    });
    const late = await call('ben', 'SubmitVote', voteBy('ben', id));
    expect(late.trailers.get('sw4rm-vote-disposition')).toEqual(['late']);
    const { response } = await call<{ decision: WireDecision }>('maker', 'GetDecision', { artifact_id: id });
    expect(response.decision).toEqual({ ...waited.response.decision, late_votes: response.decision.late_votes });
    expect(response.decision.late_votes.map(({ critic_id }) => critic_id)).toEqual(['ben']);
    const votes = await call<{ votes: WireVote[]; vote_count: number }>('maker', 'GetVotes', { artifact_id: id });
    expect(votes.response).toMatchObject({ vote_count: 1, votes: [{ critic_id: 'ann' }] });
    const closed = (await app.stream(`negotiation-${id}`)).find(({ type }) => type === 'VOTE_WINDOW_CLOSED')!;
    expect(closed.data['unavailable']).toMatchObject([{ critic_id: 'ben', reason: 'unregistered' }]);
  });

  it('tells critics that are silent, unwell and unregistered apart', async () => {
    for (const who of ['well', 'unwell']) {
      await call(who, 'RegisterAgent', { agent: { agent_id: who, name: who, capabilities: ['review'] } });
      await call(who, 'Heartbeat', { agent_id: who, state: who === 'well' ? 4 : 10 });
    }
    expect((await call('stranger', 'Heartbeat', { agent_id: 'stranger', state: 4 })).response).toEqual({ ok: false });
    await call('left', 'RegisterAgent', { agent: { agent_id: 'left', name: 'left' } });
    await call('left', 'DeregisterAgent', { agent_id: 'left', reason: 'done' });
    const id = await proposed(['well', 'unwell', 'stranger', 'left'], { vote_collection_timeout_s: 1 });
    await call('maker', 'WaitForDecision', { artifact_id: id });
    const closed = (await app.stream(`negotiation-${id}`)).find(({ type }) => type === 'VOTE_WINDOW_CLOSED')!;
    expect(closed.data['unavailable']).toMatchObject([
      { critic_id: 'well', reason: 'silent' },
      { critic_id: 'unwell', reason: 'unhealthy' },
      { critic_id: 'stranger', reason: 'unregistered' },
      { critic_id: 'left', reason: 'unregistered' },
    ]);
    for (const { at } of closed.data['unavailable'] as readonly { at: string }[])
      expect(at).toBe(closed.data['closed_at']);
  });

  it('lists who registered and how each is to operators, by what was heard last, until it leaves', async () => {
    for (const who of ['here', 'failing', 'fresh', 'gone'])
      await call(who, 'RegisterAgent', { agent: { agent_id: who, name: 'the name of somebody' } });
    await call('here', 'Heartbeat', { agent_id: 'here', state: 4 });
    await call('failing', 'Heartbeat', { agent_id: 'failing', state: 10 });
    await call('gone', 'DeregisterAgent', { agent_id: 'gone', reason: 'done' });
    const operator = await app.caller('otto', ['operator']);
    const page = await eventually(async () => {
      const { body } = await operator.get<CriticPage>('/critics?limit=3');
      return body.items.some(({ health }) => health === 'failed') ? body : null;
    }, 'the critics');
    expect(page.items).toMatchObject([
      { critic_id: 'fresh', state: null, health: 'healthy' },
      { critic_id: 'failing', state: 10, health: 'failed' },
      { critic_id: 'here', state: 4, health: 'healthy' },
    ]);
    expect(JSON.stringify(page)).not.toContain('somebody');
    const agent = await app.caller('here', ['agent']);
    expect((await agent.get('/critics')).status).toBe(403);
  });

  it('gives the first answer again to the same call under the same key, and refuses every other second one', async () => {
    const key = { metadata: { 'x-idempotency-key': 'k-1' } };
    const proposal = proposalBy('maker', 'art-again', ['ann', 'ben']);
    const first = await call('maker', 'SubmitProposal', proposal, key);
    expect((await call('maker', 'SubmitProposal', proposal, key)).response).toEqual(first.response);
    const exists = /^ALREADY_EXISTS CONFLICT: artifact art-again was proposed before$/;
    expect(await refusalOf(call('maker', 'SubmitProposal', proposal))).toMatch(exists);
    expect(
      await refusalOf(call('maker', 'SubmitProposal', { proposal: { ...proposal.proposal, artifact_type: 2 } }, key)),
    ).toMatch(exists);
    const vote = voteBy('ann', 'art-again');
    await call('ann', 'SubmitVote', vote, key);
    await call('ann', 'SubmitVote', vote, key);
    expect(await refusalOf(call('ann', 'SubmitVote', voteBy('ann', 'art-again', { score: 1 }), key))).toMatch(
      /^ALREADY_EXISTS CONFLICT/,
    );
    expect(await refusalOf(call('ann', 'SubmitVote', vote))).toMatch(/^ALREADY_EXISTS CONFLICT: critic ann has voted/);
  });
});

describe('a call is refused', () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'without a token',
      () => call(null, 'GetVotes', { artifact_id: 'x' }),
      /^UNAUTHENTICATED UNAUTHENTICATED: metadata authorization/,
    ],
    [
      'without its message',
      () => call('maker', 'SubmitProposal', {}),
      /^INVALID_ARGUMENT INVALID_INPUT: proposal: missing$/,
    ],
    [
      'with a score that is none',
      () => call('ann', 'SubmitVote', voteBy('ann', 'nowhere', { score: NaN })),
      /^INVALID_ARGUMENT INVALID_INPUT: score/,
    ],
    [
      'on an artifact that nobody proposed',
      () => call('ann', 'SubmitVote', voteBy('ann', 'nowhere')),
      /^NOT_FOUND NOT_FOUND: no artifact nowhere/,
    ],
    [
      'in another’s name',
      async () => call('ben', 'SubmitVote', voteBy('ann', await proposed(['ann', 'ben']))),
      /^PERMISSION_DENIED PERMISSION_DENIED: critic_id: the subject of your token/,
    ],
    [
      'of a critic that was not asked',
      async () => call('eve', 'SubmitVote', voteBy('eve', await proposed(['ann']))),
      /^PERMISSION_DENIED PERMISSION_DENIED: critic eve was not asked/,
    ],
    [
      'of somebody whom it does not concern',
      async () => call('eve', 'GetVotes', { artifact_id: await proposed(['ann']) }),
      /^PERMISSION_DENIED/,
    ],
    [
      'of somebody without the role',
      async () => call('tuff', 'SubmitProposal', proposalBy('tuff', 'art-tuff', ['ann'])),
      /^PERMISSION_DENIED PERMISSION_DENIED: negotiations.submit is for agent, admin/,
    ],
    [
      'of a type that nobody defined',
      () => call('maker', 'SubmitProposal', proposalBy('maker', 'art-x', ['ann'], { artifact_type: 9 })),
      /^INVALID_ARGUMENT INVALID_INPUT: artifact_type/,
    ],
    [
      'with an artifact that is too large',
      () =>
        call(
          'maker',
          'SubmitProposal',
          proposalBy('maker', 'art-x', ['ann'], { artifact: Buffer.alloc(4 * 1024 * 1024 + 1, 97) }),
        ),
      /^INVALID_ARGUMENT INVALID_INPUT: artifact: 4194305 bytes/,
    ],
    [
      'that waits longer than it wants to',
      async () => call('maker', 'WaitForDecision', { artifact_id: await proposed(['ann']), timeout_seconds: 1 }),
      /^DEADLINE_EXCEEDED WAIT_TIMEOUT/,
    ],
  ])('%s', async (_, doing, told) => {
    expect(await refusalOf(doing())).toMatch(told);
  });
});

it.each<[string, readonly object[], string]>([
  ['without a quorum', [], 'DEBATE_DEADLOCK'],
  ['of critics that disagree', [{ score: 10 }, { score: 2 }], 'CONFLICT'],
  ['of a critic that is not sure', [{ confidence: 0.1 }, {}], 'TASK_ESCALATION'],
])('brings a negotiation %s before people, once', async (_, votes, reason_type) => {
  const id = await proposed(['ann', 'ben'], { vote_collection_timeout_s: 1 });
  for (const [i, vote] of votes.entries()) {
    const critic = ['ann', 'ben'][i]!;
    await call(critic, 'SubmitVote', voteBy(critic, id, vote));
  }
  const { response } = await call<{ decision: WireDecision }>('maker', 'WaitForDecision', { artifact_id: id });
  expect(response.decision.outcome).toBe(3);
  const anna = await app.caller('anna', ['council']);
  const inbox = async () => {
    const { body } = await anna.get<RequestPage>('/actionrequest?kind=hitl&status=pending');
    return body.items.filter(({ payload }) => payload?.['artifact_id'] === id);
  };
  await until(async () => (await inbox()).length > 0);
  expect((await inbox()).map(({ payload }) => payload)).toEqual([
    { action: 'hitl', kind: 'hitl', artifact_id: id, reason_type },
  ]);
});

it('counts a last vote that meets the end of its window, or takes it as late: never both, never neither', async () => {
  const outcomes = await lastVoteRaces(50, async ({ windowS, untilVote }) => {
    const id = await proposed(['ann', 'ben'], { vote_collection_timeout_s: windowS });
    const [event] = await app.stream(`negotiation-${id}`);
    const isLate = async (who: string): Promise<boolean> => {
      const { trailers } = await call(who, 'SubmitVote', voteBy(who, id));
      return trailers.get('sw4rm-vote-disposition').length > 0;
    };
    if (await isLate('ann')) return 'void';
    await untilVote(event!.data['due_at'] as string);
    const late = await isLate('ben');
    const { response } = await call<{ decision: WireDecision }>('maker', 'WaitForDecision', { artifact_id: id });
    const types = (await app.stream(`negotiation-${id}`)).map(({ type }) => type);
    const count = (wanted: string): number => types.filter((type) => type === wanted).length;
    expect([count('NEGOTIATION_DECIDED'), count('VOTE_CAST'), count('LATE_VOTE')]).toEqual(
      late ? [1, 1, 1] : [1, 2, 0],
    );
    expect(response.decision).toMatchObject({
      votes_received: late ? 1 : 2,
      collection_timeout_reached: late,
      late_votes: late ? [{ critic_id: 'ben' }] : [],
    });
    return late ? 'late' : 'counted';
  });
  expect(outcomes.length).toBeGreaterThanOrEqual(50);
  expect(new Set(outcomes)).toEqual(new Set(['counted', 'late']));
});

it('takes 64 votes that come at once, and decides with the last of them', async () => {
  const critics = Array.from({ length: 64 }, (_, i) => `critic-${i}`);
  const id = await proposed(critics);
  await Promise.all(critics.map((critic) => call(critic, 'SubmitVote', voteBy(critic, id))));
  const { response } = await call<{ decision: WireDecision }>('maker', 'GetDecision', { artifact_id: id });
  expect(response.decision).toMatchObject({ votes_received: 64, collection_timeout_reached: false });
}, 60_000);

it('answers a caller whose deadline passes with that, and keeps no place for one that has gone', async () => {
  const id = await proposed(['ann']);
  const wait = { artifact_id: id, timeout_seconds: 60 };
  expect(await refusalOf(call('maker', 'WaitForDecision', wait, { deadlineMs: 100 }))).toMatch(/^DEADLINE_EXCEEDED/);
  expect(await refusalOf(call('maker', 'GetVotes', { artifact_id: id }, { deadlineMs: -1000 }))).toMatch(
    /^DEADLINE_EXCEEDED/,
  );
  await until(() => Promise.resolve(waitingNow() === 0));
  const gone = new AbortController();
  const cancelled = refusalOf(call('maker', 'WaitForDecision', wait, { signal: gone.signal }));
  await until(() => Promise.resolve(waitingNow() === 1));
  gone.abort();
  expect(await cancelled).toMatch(/^CANCELLED/);
  await until(() => Promise.resolve(waitingNow() === 0));
});

it('keeps an artifact without what is personal in it, under the producer’s data key', async () => {
  const artifact = Buffer.from('Ask the owner of 123-45-6789 before it is deployed.');
  const id = await proposed(['ann'], { artifact, artifact_content_type: 'text/plain' });
  const [event] = await app.stream(`negotiation-${id}`);
  const ref = event!.data['artifact_ref'] as string;
  const kept = await app.parts.app.nest.get(ProposedArtifacts, { strict: false }).open(id, ref);
  expect(kept!.toString()).toBe('Ask the owner of [redacted:us_ssn] before it is deployed.');
  const stored = Buffer.from((await app.parts.platform.artifacts.get(ref))!).toString();
  expect(stored).toContain('"kid":"user_maker.1.');
});

describe('over REST a negotiation', () => {
  it('is found by the critic that it asks, and read with its artifact', async () => {
    const id = await proposed(['zoe', 'ben'], { artifact_content_type: 'text/plain' });
    const zoe = await app.caller('zoe', ['agent']);
    await until(async () => (await listed(zoe, '?critic=me&status=open')).includes(id));
    expect(await listed(zoe, '')).toEqual([]);
    const { status: code, body, headers } = await zoe.get<ShownNegotiation>(`/negotiations/${id}`);
    expect([code, body.status, body.redacted, headers['etag']]).toEqual([200, 'open', false, '"0"']);
    expect(Buffer.from(body.artifact!, 'base64').toString()).toBe('print("hello")');
  });

  it('is nothing to a stranger, and without a word that was said to an operator', async () => {
    const id = await proposed(['ann']);
    await call('ann', 'SubmitVote', voteBy('ann', id));
    const eve = await app.caller('eve', ['agent']);
    expect(await eve.get(`/negotiations/${id}`)).toMatchObject({ status: 404, body: { error_code: 'NOT_FOUND' } });
    const oscar = await app.caller('oscar', ['operator']);
    const { body } = await oscar.get<ShownNegotiation>(`/negotiations/${id}`);
    expect(body).toMatchObject({ artifact: null, redacted: true, decision: { outcome: 'APPROVED' } });
    expect(JSON.stringify(body)).not.toContain('clear');
    const audrey = await app.caller('audrey', ['auditor']);
    const seen = await audrey.get<ShownNegotiation>(`/negotiations/${id}?unredacted=true`);
    expect(seen.body.votes).toMatchObject([{ critic_id: 'ann', strengths: ['clear'] }]);
    expect(await app.stream('access-user_audrey')).toMatchObject([
      { type: 'admin_access_event', data: { resource: `negotiations/${id}` } },
    ]);
  });
});

async function listed(caller: Caller, query: string): Promise<readonly string[]> {
  const { body } = await caller.get<NegotiationPage>(`/negotiations${query}`);
  return body.items.map(({ artifact_id }) => artifact_id);
}

it('counts votes and absences of critics that registered by their ids, and of all others together', async () => {
  const figure = async (series: string): Promise<number> => {
    const { payload } = await app.parts.app.fastify.inject({ method: 'GET', url: '/metrics' });
    const line = payload.split('\n').find((one) => one.startsWith(`sw4rm_negotiation_critic_${series} `));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const names = [
    'votes_total{critic="counted"}',
    'absences_total{critic="counted",reason="unhealthy"}',
    'absences_total{critic="other",reason="unregistered"}',
    'absences_total{critic="unheard-of",reason="unregistered"}',
  ];
  const figures = (): Promise<readonly number[]> => Promise.all(names.map(figure));
  const before = await figures();
  await call('counted', 'RegisterAgent', { agent: { agent_id: 'counted', name: 'counted' } });
  await call('counted', 'SubmitVote', voteBy('counted', await proposed(['counted'])));
  await call('counted', 'Heartbeat', { agent_id: 'counted', state: 10 });
  const id = await proposed(['counted', 'unheard-of'], { vote_collection_timeout_s: 1 });
  await call('maker', 'WaitForDecision', { artifact_id: id });
  const after = await figures();
  expect(after.map((value, i) => value - before[i]!)).toEqual([1, 1, 1, 0]);
});

it('counts calls by their status, open negotiations, votes by their delay, and decisions, those without a quorum too', async () => {
  const figures = async (): Promise<(name: string) => number> => {
    const { payload } = await app.parts.app.fastify.inject({ method: 'GET', url: '/metrics' });
    return (name) =>
      Number(
        payload
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length) ?? 0,
      );
  };
  const called = (status: string): string =>
    `sw4rm_rpc_requests_total{service="sw4rm.negotiation_room.NegotiationRoomService",method="SubmitVote",status="${status}"}`;
  const outcome = (name: string): string => `sw4rm_negotiation_decisions_total{outcome="${name}"}`;
  const [failures, latencies] = [
    'sw4rm_negotiation_quorum_failures_total',
    'sw4rm_negotiation_vote_latency_seconds_count',
  ];
  const before = await figures();
  const approved = await proposed(['ann']);
  const revised = await proposed(['ann']);
  const escalated = await proposed(['ann', 'ben', 'cara'], { vote_collection_timeout_s: 1 });
  const open = await proposed(['ann']);
  const key = { metadata: { 'x-idempotency-key': 'counted-once' } };
  for (const id of [approved, escalated]) await call('ann', 'SubmitVote', voteBy('ann', id), key);
  await call('ann', 'SubmitVote', voteBy('ann', approved), key);
  await call('ann', 'SubmitVote', voteBy('ann', revised, { score: 5 }));
  await refusalOf(call('ann', 'SubmitVote', voteBy('ann', approved)));
  await call('maker', 'WaitForDecision', { artifact_id: escalated });
  await until(async () => (await figures())('sw4rm_negotiations_active_total') > 0);
  const after = await figures();
  const grown = [
    called('OK'),
    called('ALREADY_EXISTS'),
    called('OK').replace('requests_total', 'duration_seconds_count'),
    outcome('approved'),
    outcome('revision_requested'),
    outcome('escalated'),
    failures,
    latencies,
  ];
  expect(grown.map((name) => after(name) - before(name))).toEqual([4, 1, 4, 1, 1, 1, 1, 3]);
  const active = after('sw4rm_negotiations_active_total');
  await call('ann', 'SubmitVote', voteBy('ann', open));
  await until(async () => (await figures())('sw4rm_negotiations_active_total') === active - 1);
});

it('wakes who waits when the process stops, and leaves the window to the next start', async () => {
  const id = await proposed(['ann'], { vote_collection_timeout_s: 60 });
  const waiting = refusalOf(call('maker', 'WaitForDecision', { artifact_id: id, timeout_seconds: 60 }));
  await until(() => Promise.resolve(waitingNow() > 0));
  await room.stop();
  expect(await waiting).toMatch(/^UNAVAILABLE/);
  await room.restart();
  await call('ann', 'SubmitVote', voteBy('ann', id));
  const { response } = await call<{ decision: WireDecision }>('maker', 'WaitForDecision', { artifact_id: id });
  expect(response.decision.outcome).toBe(1);
});

function waitingNow(): number {
  return app.parts.app.nest.get(Waiters, { strict: false }).size;
}
