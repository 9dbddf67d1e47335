import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Role } from '#lib/access';

import type { WireDecision } from '../../apps/negotiation/src/proto/messages.js';
import { until } from '../support/eventually.js';
import { clockOf, configured } from '../support/inside-room.js';
import { HitlService } from '../support/hitl-service.js';
import { inside } from '../support/inside-server.js';
import { proposalBy, refusalOf, voteBy } from '../support/room-client.js';
import { RoomProcess } from '../support/room-process.js';
import {
  ABC,
  APPROVED,
  type Cast,
  DECIDED,
  ESCALATED,
  ESCALATIONS,
  QUORUMS,
  STRATEGIES,
  WEIGHTED,
  WINDOWS,
} from '../support/room-vectors.js';
import { servedEventStore } from '../support/served-event-store.js';

jest.setTimeout(600_000);

/**
 * Quorum, aggregation, decision and escalation (spec/negotiation-room.md "Quorum" to "Vectors"; seed 004 sections 1 to 4),
 * by gRPC between processes. Windows end while the server is killed and its clock goes on: no vote of a slow machine is late.
 */

const DAY_MS = 86_400_000;
const ROLES: Readonly<Record<string, readonly Role[]>> = { audra: ['auditor'], cora: ['council'] };

let folder: string;
let clock: string;
let aheadMs = 0;
let room: RoomProcess;
let hitl: HitlService;

beforeAll(async () => {
  folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-vectors-'));
  clock = join(folder, 'clock');
  writeFileSync(clock, '0');
  await servedEventStore(folder);
  hitl = await HitlService.start();
});
afterAll(async () => {
  await room?.kill();
  hitl?.end();
  await rm(folder, { recursive: true, force: true });
});

async function start(negotiation: object = {}): Promise<void> {
  const settings = { MACE_HITL_URL: hitl.url, ...inside(clockOf(clock), configured(negotiation)) };
  room = await RoomProcess.start(folder, settings, { roles: ROLES, aheadMs: () => aheadMs });
}

/** Killed, and started again when every window is over. */
async function startWhenOver(): Promise<void> {
  await room.kill();
  writeFileSync(clock, String((aheadMs += DAY_MS)));
  await start();
}

async function proposed(id: string, critics: readonly string[], more: object = {}): Promise<void> {
  await room.call('maker', 'SubmitProposal', proposalBy('maker', id, critics, more));
}

async function voted(id: string, votes: Readonly<Record<string, object>>): Promise<void> {
  for (const [critic, vote] of Object.entries(votes)) await room.call(critic, 'SubmitVote', voteBy(critic, id, vote));
}

const idOf = ({ name }: { readonly name: string }): string => name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase();

const castBy = (votes: readonly Cast[]): Readonly<Record<string, object>> =>
  Object.fromEntries(votes.map(([score, confidence, passed], i) => [`c${i}`, { score, confidence, passed }]));
const criticsOf = (votes: readonly Cast[]): readonly string[] => votes.map((_, i) => `c${i}`);

async function decisionOn(id: string, votes: readonly Cast[]): Promise<WireDecision> {
  await proposed(id, criticsOf(votes));
  await voted(id, castBy(votes));
  return room.decided(id);
}

describe('confidence-weighted votes', () => {
  beforeAll(() => start());

  it.each(WEIGHTED)('%s are as the vector says', async (name, votes, aggregated_score) => {
    const decision = await decisionOn(idOf({ name: `weighted ${name}` }), votes);
    expect(decision.aggregated_score).toMatchObject(aggregated_score);
  });

  it.each(DECIDED)('%s are decided as the vector says', async (name, votes, aggregated_score, outcome) => {
    const decision = await decisionOn(idOf({ name: `decided ${name}` }), votes);
    expect(decision).toMatchObject({
      outcome,
      policy_version: 'mace-negotiation-1',
      collection_timeout_reached: false,
    });
    expect(decision.aggregated_score).toMatchObject(aggregated_score);
    expect(decision.reason).not.toBe('');
  });

  it('64 that come at once are 64', async () => {
    const critics = Array.from({ length: 64 }, (_, i) => `c${i}`);
    await proposed('at-once', critics);
    await Promise.all(critics.map((critic) => voted('at-once', { [critic]: {} })));
    expect(await room.decided('at-once')).toMatchObject({ votes_received: 64, votes_expected: 64, quorum_met: true });
    const { response } = await room.call<{ vote_count: number }>('maker', 'GetVotes', { artifact_id: 'at-once' });
    expect(response.vote_count).toBe(64);
  });
});

describe('a window', () => {
  it.each(WINDOWS)(
    'of type $type, asked for as $asked, is $seconds s from when the server took it',
    async ({ type, asked, seconds }) => {
      const id = `window-${type}-${asked}`;
      const created_at = { seconds: 1_000_000_000, nanos: 0 };
      const more = { artifact_type: type, vote_collection_timeout_s: asked, created_at };
      await proposed(id, ['a', 'b'], more);
      const [event] = await room.events(id, 'audra');
      const { received_at, due_at } = event!.data as { received_at: string; due_at: string };
      expect(Date.parse(due_at) - Date.parse(received_at)).toBe(seconds * 1000);
      expect(Math.abs(Date.parse(received_at) - aheadMs - Date.now())).toBeLessThan(600_000);
      const { response } = await room.call<{ decision: null }>('maker', 'GetDecision', { artifact_id: id });
      expect(response.decision).toBeNull();
    },
  );
});

interface Inbox {
  readonly items: readonly { readonly request_id: string; readonly payload: Readonly<Record<string, string>> | null }[];
}

async function inbox(id: string): Promise<Inbox['items']> {
  const { body } = await room.send<Inbox>('cora', 'GET', '/actionrequest?kind=hitl&limit=200');
  return body.items.filter(({ payload }) => payload?.['artifact_id'] === id);
}

describe('what brings people in:', () => {
  const id = (name: string): string => `people-${idOf({ name })}`;
  beforeAll(async () => {
    for (const { name, votes } of ESCALATIONS) {
      await proposed(id(name), ABC);
      await voted(id(name), votes);
    }
    for (const vector of QUORUMS) {
      await proposed(idOf(vector), vector.critics, vector.quorum_policy ? { quorum_policy: vector.quorum_policy } : {});
      await voted(idOf(vector), Object.fromEntries(vector.voters.map((critic) => [critic, {}])));
    }
    // Close enough to the words that it might be taken for one.
    await proposed('no-wish', ['a']);
    await voted('no-wish', { a: { recommendations: ['Escalate', 'escalated', ' escalate', 'de-escalate: calm'] } });
    await startWhenOver();
  });

  it.each(ESCALATIONS)(
    '$name is $reason, once in the inbox and once to the HitlService',
    async ({ name, reason, isLeftOpen = false }) => {
      const decision = await room.decided(id(name));
      expect(decision).toMatchObject({ outcome: ESCALATED, collection_timeout_reached: isLeftOpen });
      await until(async () => (await inbox(id(name))).length > 0, 'the request in the inbox');
      expect((await inbox(id(name))).map(({ payload }) => payload)).toEqual([
        { action: 'hitl', kind: 'hitl', artifact_id: id(name), reason_type: reason },
      ]);
      await until(async () => (await room.events(id(name), 'audra')).at(-1)!.type === 'HITL_RULED', 'the ruling');
      expect(hitl.about(id(name))).toEqual([reason]);
      // A ruling is a record of its own.
      expect(await room.decided(id(name))).toEqual(decision);
    },
  );

  it('words that only begin like the wish are none', async () => {
    expect((await room.decided('no-wish')).outcome).toBe(APPROVED);
    expect([await inbox('no-wish'), hitl.about('no-wish')]).toEqual([[], []]);
  });
});

describe('a quorum at the end of its window:', () => {
  it.each(QUORUMS)('$name', async (vector) => {
    const { critics, voters, expected } = vector;
    const decision = await room.decided(idOf(vector));
    expect(decision).toMatchObject(expected.decision);
    expect(decision.votes.map(({ critic_id }) => critic_id)).toEqual(expected.votes ?? voters);
    expect(decision.unavailable_critics).toEqual(critics.filter((critic) => !voters.includes(critic)));
    expect(decision.collection_timeout_reached).toBe(true);
    const events = await room.events(idOf(vector), 'audra');
    expect(events[0]!.data['quorum_threshold']).toBe(expected.threshold);
    // What was injected, or nobody cast, is no vote that was received.
    const { response } = await room.call<{ vote_count: number }>('maker', 'GetVotes', { artifact_id: idOf(vector) });
    expect(response.vote_count).toBe(voters.length);
    const decided = events.find(({ type }) => type === 'NEGOTIATION_DECIDED')!;
    expect(decided.data['policy']).toMatchObject({
      policy_version: decision.policy_version,
      min_score: 7,
      max_std_dev: 2,
    });
  });

  it('who votes twice counts once, and who was not asked not at all', async () => {
    await proposed('twice', ['a', 'b', 'c'], { quorum_policy: { minimum_votes: 2 } });
    await voted('twice', { a: {} });
    expect(await refusalOf(voted('twice', { a: {} }))).toMatch(/^ALREADY_EXISTS CONFLICT/);
    expect(await refusalOf(voted('twice', { outsider: {} }))).toMatch(/^PERMISSION_DENIED PERMISSION_DENIED/);
    await startWhenOver();
    expect(await room.decided('twice')).toMatchObject({
      outcome: ESCALATED,
      votes_received: 1,
      votes_expected: 3,
      quorum_met: false,
    });
  });

  it.each([{ require_all: false }, { minimum_votes: 0 }, { minimum_fraction: 1e-12 }])(
    'one that needs nobody, as %j does, is refused: 0 exists in the pure evaluator alone',
    async (quorum_policy) => {
      expect(await refusalOf(proposed('nobody', ['a', 'b'], { quorum_policy }))).toMatch(
        /^INVALID_ARGUMENT INVALID_INPUT: quorum_policy/,
      );
    },
  );

  it('abstentions count in the score, and are score 0, confidence 0, not passed', async () => {
    const decision = await room.decided(idOf(QUORUMS.find(({ expected }) => expected.votes?.length === 3)!));
    expect(decision.aggregated_score).toMatchObject({ mean: 3, min_score: 0, vote_count: 3 });
    expect(decision.votes.slice(1)).toMatchObject([
      { critic_id: 'b', score: 0, confidence: 0, passed: false },
      { critic_id: 'c', score: 0, confidence: 0, passed: false },
    ]);
  });

  it('where nobody voted has no score', async () => {
    const decision = await room.decided(idOf(QUORUMS.find(({ voters }) => voters.length === 0)!));
    expect(decision.aggregated_score).toBeNull();
  });
});

describe('critics who did not vote', () => {
  it('are logged with a reason and a time each, and named in the decision', async () => {
    await proposed('absent', ['ann', 'well', 'unwell', 'quiet', 'stranger', 'left']);
    await voted('absent', { ann: {} });
    // As late as can be: the next start finds their word still fresh.
    writeFileSync(clock, String((aheadMs += DAY_MS)));
    await room.clockMoved(aheadMs);
    for (const who of ['well', 'unwell', 'left'])
      await room.call(who, 'RegisterAgent', { agent: { agent_id: who, name: who } });
    await room.call('well', 'Heartbeat', { agent_id: 'well', state: 4 });
    await room.call('unwell', 'Heartbeat', { agent_id: 'unwell', state: 10 });
    await room.call('left', 'DeregisterAgent', { agent_id: 'left', reason: 'done' });
    const { trailers } = await room.call('stranger', 'SubmitVote', voteBy('stranger', 'absent'));
    expect(trailers.get('sw4rm-vote-disposition')).toEqual(['late']);
    const decision = await room.decided('absent');
    expect(decision.unavailable_critics).toEqual(['well', 'unwell', 'quiet', 'stranger', 'left']);
    expect(decision.late_votes.map(({ critic_id }) => critic_id)).toEqual(['stranger']);
    const closed = (await room.events('absent', 'audra')).find(({ type }) => type === 'VOTE_WINDOW_CLOSED')!;
    expect(closed.data['unavailable']).toEqual(
      Object.entries({
        well: 'silent',
        unwell: 'unhealthy',
        quiet: 'unregistered',
        stranger: 'unregistered',
        left: 'unregistered',
      }).map(([critic_id, reason]) => ({ critic_id, reason, at: closed.data['closed_at'] })),
    );
  });

  it('are unhealthy where nothing was heard of them for more than a minute, and stay registered', async () => {
    await room.call('mute', 'RegisterAgent', { agent: { agent_id: 'mute', name: 'Mute' } });
    await proposed('muted', ['ann', 'mute']);
    writeFileSync(clock, String((aheadMs += DAY_MS)));
    await room.clockMoved(aheadMs);
    await room.call('ann', 'SubmitVote', voteBy('ann', 'muted'));
    const closed = (await room.events('muted', 'audra')).find(({ type }) => type === 'VOTE_WINDOW_CLOSED')!;
    expect(closed.data['unavailable']).toMatchObject([
      { critic_id: 'ann' },
      { critic_id: 'mute', reason: 'unhealthy' },
    ]);
    const { response } = await room.call('mute', 'Heartbeat', { agent_id: 'mute', state: 4 });
    expect(response).toEqual({ ok: true });
  });
});

describe.each(STRATEGIES)('votes under $aggregation', ({ aggregation, vectors }) => {
  beforeAll(async () => {
    await proposed(`before-${aggregation}`, ['a', 'b']);
    await voted(`before-${aggregation}`, { a: { score: 10, confidence: 0.9 } });
    await room.kill();
    await start({ aggregation, policy_version: `other-${aggregation}` });
  });

  it.each(vectors)('%s', async (name, votes, aggregated_score, outcome) => {
    const decision = await decisionOn(idOf({ name: `${aggregation} ${name}` }), votes);
    expect(decision).toMatchObject({ outcome, policy_version: `other-${aggregation}` });
    expect(decision.aggregated_score).toMatchObject(aggregated_score);
  });

  it('do not reach what was proposed before: the policy of a proposal is that of its time', async () => {
    await voted(`before-${aggregation}`, { b: { score: 8, confidence: 0.3 } });
    const { policy_version } = await room.decided(`before-${aggregation}`);
    const before = STRATEGIES[STRATEGIES.findIndex((one) => one.aggregation === aggregation) - 1];
    expect(policy_version).toBe(before ? `other-${before.aggregation}` : 'mace-negotiation-1');
  });
});
