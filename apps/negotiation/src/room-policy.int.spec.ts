import { systemSeed, traceId } from '#lib/kernel';
import { type NegotiationPage, Negotiations, type ShownNegotiation } from '#lib/negotiation';

import { until } from '../../../test/support/eventually.js';
import { changeRoomPolicy } from '../../../test/support/policies.js';
import { RoomApp } from '../../../test/support/room-app.js';
import { refusalOf, voteBy } from '../../../test/support/room-client.js';
import type { WireDecision } from './proto/messages.js';

/** The options of the room's policy, from the policy in force to the decision, by real gRPC and on real files. */

let room: RoomApp;
beforeAll(async () => (room = await RoomApp.open()));
afterAll(() => room.dispose());

const NO_OPTIONS = { weights: null, early_decision: null, escalation: null, dynamic_quorum: null };
const SOON = { vote_collection_timeout_s: 1 };

const typesOf = async (id: string): Promise<readonly string[]> =>
  (await room.app.stream(`negotiation-${id}`)).map(({ type }) => type);
const shown = async (who: string, id: string) =>
  (await room.app.caller(who, ['agent'])).get<ShownNegotiation>(`/negotiations/${id}`);
async function decided(id: string): Promise<WireDecision> {
  const asked = { artifact_id: id, timeout_seconds: 60 };
  return (await room.call<{ decision: WireDecision }>('maker', 'WaitForDecision', asked)).response.decision;
}
const asksSeniors = async (id: string): Promise<boolean> => (await typesOf(id)).includes('SENIOR_CRITICS_ASKED');

/** The policy with these options alone, for what is proposed from now on. */
const withOptions = (options: object): Promise<void> => changeRoomPolicy(room.app, { ...NO_OPTIONS, ...options });

it('a policy that is changed holds for what is proposed from then on, and for nothing before', async () => {
  const before = await room.proposed(['ann', 'ben', 'cara']);
  await withOptions({ min_score: 9.5, weights: { ann: 3 } });
  const since = await room.proposed(['ann', 'ben', 'cara']);
  await withOptions({ min_score: 7 });
  for (const id of [before, since])
    for (const who of ['ann', 'ben', 'cara']) await room.call(who, 'SubmitVote', voteBy(who, id));
  expect([(await decided(before)).outcome, (await decided(since)).outcome]).toEqual([1, 2]);
  const { body } = await shown('maker', since);
  expect(body).toMatchObject({
    quorum_threshold: 3,
    options: { weights: { expected: 5 } },
    decision: { policy: { min_score: 9.5, weights: { ann: 3 } }, options: { weights: { expected: 5, received: 5 } } },
  });
});

it('senior critics are asked before people, find it, and decide it', async () => {
  await withOptions({ escalation: ['chief', 'ann'] });
  const id = await room.proposed(['ann', 'ben']);
  await room.call('ann', 'SubmitVote', voteBy('ann', id, { recommendations: ['escalate'] }));
  const early = await refusalOf(room.call('chief', 'SubmitVote', voteBy('chief', id)));
  expect([early, (await shown('chief', id)).status]).toEqual([
    'PERMISSION_DENIED PERMISSION_DENIED: critic chief was not asked about this artifact',
    404,
  ]);
  await room.call('ben', 'SubmitVote', voteBy('ben', id));
  const chief = await room.app.caller('chief', ['agent']);
  const listed = async () => (await chief.get<NegotiationPage>('/negotiations?critic=me')).body.items;
  await until(async () => (await listed()).length > 0, 'what the senior critic is asked');
  expect(await listed()).toMatchObject([{ artifact_id: id, status: 'open' }]);
  expect((await shown('chief', id)).body).toMatchObject({
    status: 'open',
    artifact: Buffer.from('print("hello")').toString('base64'),
    escalation: { critics: ['chief'], before: { escalation_reason: 'TASK_ESCALATION', votes_received: 2 } },
  });
  const { trailers } = await room.call('chief', 'SubmitVote', voteBy('chief', id));
  expect(trailers.get('sw4rm-vote-disposition')).toEqual([]);
  expect(await decided(id)).toMatchObject({
    outcome: 1,
    votes_received: 1,
    votes_expected: 1,
    collection_timeout_reached: false,
    unavailable_critics: [],
  });
});

it('the window of senior critics ends once, also where a restart is in the middle of it', async () => {
  await withOptions({ escalation: ['chief'] });
  const id = await room.proposed(['ann', 'ben'], { vote_collection_timeout_s: 2 });
  await until(() => asksSeniors(id), 'the senior critics');
  await room.stop();
  await room.restart();
  expect(await decided(id)).toMatchObject({
    outcome: 3,
    collection_timeout_reached: true,
    unavailable_critics: ['ann', 'ben', 'chief'],
  });
  expect(await typesOf(id)).toEqual([
    'NEGOTIATION_PROPOSED',
    'VOTE_WINDOW_CLOSED',
    'SENIOR_CRITICS_ASKED',
    'VOTE_WINDOW_CLOSED',
    'NEGOTIATION_DECIDED',
  ]);
});

it('a window that closed with the last vote is followed by that of senior critics, which ends by itself', async () => {
  await withOptions({ escalation: ['chief', 'deputy'] });
  const id = await room.proposed(['ann'], SOON);
  await room.call('ann', 'SubmitVote', voteBy('ann', id, { recommendations: ['escalate'] }));
  expect(await typesOf(id)).toContain('SENIOR_CRITICS_ASKED');
  expect(await decided(id)).toMatchObject({ outcome: 3, collection_timeout_reached: true });
});

it('a wish for a person that the quorum heard ends the window at once where the policy decides early', async () => {
  await withOptions({ early_decision: true });
  const id = await room.proposed(['ann', 'ben', 'cara']);
  await room.call('ann', 'SubmitVote', voteBy('ann', id));
  await room.call('ben', 'SubmitVote', voteBy('ben', id, { recommendations: ['escalate'] }));
  expect(await decided(id)).toMatchObject({ outcome: 3, quorum_met: true, collection_timeout_reached: false });
  const late = await room.call('cara', 'SubmitVote', voteBy('cara', id));
  expect(late.trailers.get('sw4rm-vote-disposition')).toEqual(['late']);
});

it('the quorum expects whom the registry knows as well when the proposal is taken, where the policy adjusts it', async () => {
  await withOptions({ dynamic_quorum: { floor: 1 } });
  for (const [who, state] of [['well', 4] as const, ['unwell', 10] as const]) {
    await room.call(who, 'RegisterAgent', { agent: { agent_id: who, name: who } });
    await room.call(who, 'Heartbeat', { agent_id: who, state });
  }
  const id = await room.proposed(['unwell', 'stranger', 'well'], SOON);
  await room.call('stranger', 'SubmitVote', voteBy('stranger', id));
  expect(await decided(id)).toMatchObject({ outcome: 1, quorum_met: true, votes_received: 1, votes_expected: 1 });
  expect((await shown('maker', id)).body.options).toEqual({
    dynamic_quorum: { floor: 1, votes_expected: 1, available_critics: ['well'] },
  });
});

it('an answer of the council is collected without them: its verdict is the council’s', async () => {
  await withOptions({ escalation: ['chief'], early_decision: true, weights: { ann: 2 }, dynamic_quorum: { floor: 1 } });
  const { app } = room.app.parts;
  const caller = { rawId: 'agent:math_v1', principal: 'system', role: 'system', seesAll: true };
  const seed = systemSeed('room-policy', 'answer');
  const ctx = { caller, seed, traceId: traceId(seed), key: null, now: Date.now() };
  const artifact_id = `mace-answer-${'b'.repeat(64)}`;
  const proposal = {
    artifact_id,
    artifact_type: 'ARTIFACT_TYPE_UNSPECIFIED' as const,
    artifact: Buffer.from('{}'),
    artifact_content_type: 'application/json',
    producer_id: 'agent:math_v1',
    requested_critics: ['ann', 'ben'],
    negotiation_room_id: 'mace-answer-council',
    created_at: null,
    vote_collection_timeout_s: 60,
    quorum_policy: { rule: { minimum_votes: 1 }, on_failure: 'FAIL_WITH_AVAILABLE' as const },
  };
  await app.nest.get(Negotiations, { strict: false }).proposeAnswer(ctx, proposal, 'user_tuff');
  const [proposed] = await room.app.stream(`negotiation-${artifact_id}`);
  expect(Object.keys(proposed!.data['policy'] as object).sort()).toEqual([
    'aggregation',
    'escalate_above_std_dev',
    'escalate_below_confidence',
    'max_std_dev',
    'min_confidence',
    'min_pass_ratio',
    'min_score',
    'policy_version',
  ]);
  expect(proposed!.data).not.toHaveProperty('options');
});
