import { MaceError, type JsonObject } from '#lib/kernel';

import { differences, lockout, mergePatch, mergePatchBetween } from './domain/policy.js';
import {
  ADA,
  ANNA,
  BEN,
  CARA,
  ctxOf,
  DAN,
  governanceProcess,
  type GovernanceProcess,
  NOON,
} from './testing/governance-harness.js';

let governance: GovernanceProcess;
beforeEach(async () => {
  governance = await governanceProcess();
});

const change = (policy: string, change: JsonObject, more: JsonObject = {}) =>
  governance.propose(ADA, { payload: { action: 'policy_change', policy, change, ...more }, justification: 'needed' });

async function approvedByCouncil(requested: ReturnType<typeof change>) {
  const { request_id, proposal_digest } = await requested;
  for (const who of [ANNA, BEN, CARA]) {
    await governance.requests.vote(ctxOf(who), request_id, 'approve', { proposal_digest });
  }
  return request_id;
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

describe('a policy', () => {
  it('changes by an approved request: a new snapshot, and an event that says what changed', async () => {
    const before = await governance.policies.current('governance');
    const request_id = await approvedByCouncil(change('governance', { council_quorum: 2, vote_window_ms: 60_000 }));
    expect((await governance.policies.current('governance')).snapshot_id).toBe(before.snapshot_id);
    await governance.reactToAll();
    await governance.reactToAll();
    const after = await governance.policies.current('governance');
    expect(after.body).toEqual({ council_quorum: 2, vote_window_ms: 60_000 });
    const { events } = await governance.log.load('policy-governance');
    expect(events).toHaveLength(2);
    expect(events[1]!.data).toMatchObject({
      from_snapshot_id: before.snapshot_id,
      snapshot_id: after.snapshot_id,
      changed: [
        { pointer: '/council_quorum', from: 3, to: 2 },
        { pointer: '/vote_window_ms', from: null, to: 60_000 },
      ],
      cause: 'request',
      request_id,
    });
  });

  it('of which another change came first is not changed by a request that was voted on before', async () => {
    const late = await approvedByCouncil(change('governance', { council_quorum: 2 }));
    await governance.policies.adopt('governance', { council_quorum: 4 }, NOON);
    await governance.reactToAll();
    expect((await governance.requests.view(late)).execution).toMatchObject({ error_code: 'CONFLICT' });
    expect((await governance.policies.current('governance')).body).toEqual({ council_quorum: 4 });
  });

  it('that would lock everybody out is refused with the reason', async () => {
    expect(await refusal(change('governance', { council_members: ['user_anna', 'user_ben'] }))).toBe(
      'INVALID_INPUT: change: refused, it would lock everybody out: council_quorum 3 could never be met by 2 council_members: nobody could decide anything',
    );
    expect(await refusal(change('router', { min_score: 2 }))).toMatch(/lock everybody out: no module scores over 1/);
    expect(await refusal(change('router', { status_factors: { healthy: 0.5 }, min_availability: 0.6 }))).toBe(
      'INVALID_INPUT: change: refused, it would lock everybody out: min_availability 0.6 is over every status factor: nobody would be answered',
    );
    const weights = { availability: 0.05, goal_priority: 0.05, exploration: 0 };
    expect(lockout('router', { min_score: 0.2, status_factors: { healthy: 1 }, weights })).toBe(
      'min_score 0.2 is over what the weights can give: nobody would be answered',
    );
    expect(lockout('safety', { refused_phrases: ['bomb', ' '] })).toMatch(/nobody would be answered/);
    expect(lockout('router', { stage0: { enable_math: false } })).toMatch(/stage 0/);
    expect(lockout('governance', { council_quorum: 2, council_members: ['a', 'b'] })).toMatch(
      /^council_quorum 2 could never be met on a request of one of the 2 council_members, who has no vote on it/,
    );
    expect(lockout('governance', { council_quorum: 2, council_members: ['a', 'b', 'c'] })).toBeNull();
  });

  it('names no council of people nobody registered, nor too few of those who are', async () => {
    const strangers = ['user_x', 'user_y', 'user_z', 'user_w'];
    expect(await refusal(change('governance', { council_members: strangers }))).toBe(
      'INVALID_INPUT: change: refused, it would lock everybody out: council_quorum 3 takes more than 3 registered council_members, since nobody votes on their own request; registered are 0, and nobody is as user_x, user_y, user_z, user_w',
    );
    const three = [ANNA.id, BEN.id, CARA.id];
    expect(await refusal(change('governance', { council_members: [...three, 'user_x'] }))).toMatch(
      /registered are 3, and nobody is as user_x$/,
    );
    expect(await change('governance', { council_members: [...three, DAN.id, 'user_x'] })).toMatchObject({
      status: 'pending',
    });
  });

  it('raises the quorum only with the names of those who can meet it', async () => {
    expect(await refusal(change('governance', { council_quorum: 4 }))).toBe(
      'INVALID_INPUT: change: refused, it would lock everybody out: council_quorum 4 is more than the 3 that decide now, and nobody knows how many hold the role council: name more than 4 council_members with it',
    );
    governance.registered.add('user_eve');
    const council_members = [ANNA.id, BEN.id, CARA.id, DAN.id, 'user_eve'];
    expect(await change('governance', { council_quorum: 4, council_members })).toMatchObject({ status: 'pending' });
  });

  it('is tried again when it is carried out, and fails with the reason where it would lock everybody out by now', async () => {
    const before = await governance.policies.current('governance');
    const council_members = [ANNA.id, BEN.id, CARA.id, DAN.id];
    const request_id = await approvedByCouncil(change('governance', { council_members }));
    governance.registered.delete(DAN.id);
    await governance.reactToAll();
    expect((await governance.requests.view(request_id)).execution).toMatchObject({
      error_code: 'INVALID_INPUT',
      reason: expect.stringMatching(/lock everybody out: .*registered are 3, and nobody is as user_dan$/),
    });
    expect((await governance.policies.current('governance')).snapshot_id).toBe(before.snapshot_id);
  });

  it('is changed only where there is one, into what its form allows, and into something else', async () => {
    expect(await refusal(change('laws', {}))).toBe(
      'INVALID_INPUT: policy: one of router, brainstate, governance, safety, agents_allowed_writes, negotiation',
    );
    expect(await refusal(change('governance', { council_quorum: 0 }))).toBe(
      'INVALID_INPUT: change: /council_quorum: a whole number from 1',
    );
    expect(await refusal(change('governance', { council_quorum: 3 }))).toBe(
      'INVALID_INPUT: change: policy governance says this already',
    );
    expect(await refusal(change('governance', { council_quorum: 2 }, { base_snapshot_id: 'other' }))).toMatch(
      /^CONFLICT/,
    );
  });

  it('takes a changed file once, with old and new snapshot and what changed; an unchanged file changes nothing', async () => {
    const before = await governance.policies.current('router');
    expect(await governance.policies.adopt('router', { min_score: 0.2 }, NOON)).toBeNull();
    const changed = await governance.policies.adopt('router', { min_score: 0.3, top_n: 5 }, NOON);
    expect(changed).toMatchObject({
      from_snapshot_id: before.snapshot_id,
      changed: [
        { pointer: '/min_score', from: 0.2, to: 0.3 },
        { pointer: '/top_n', from: null, to: 5 },
      ],
      cause: 'file',
    });
    expect(await governance.policies.adopt('router', { min_score: 0.3, top_n: 5 }, NOON)).toBeNull();
  });

  it('keeps what a request changed over a restart with the same file', async () => {
    await approvedByCouncil(change('governance', { council_quorum: 2 }));
    await governance.reactToAll();
    const restarted = await governanceProcess({ store: governance.store, keys: governance.keys });
    expect((await restarted.policies.current('governance')).body).toEqual({ council_quorum: 2 });
  });
});

describe('a merge patch', () => {
  it('between two bodies leads from the one to the other', () => {
    const from = { a: 1, b: { c: [1, 2], d: 'x' }, e: 'gone' };
    const to = { a: 1, b: { c: [1, 3], d: 'x', f: {} }, g: true };
    expect(mergePatchBetween(from, to)).toEqual({ e: null, b: { c: [1, 3], f: {} }, g: true });
    expect(mergePatch(from, mergePatchBetween(from, to))).toEqual(to);
    expect(differences(from, to)).toEqual([
      { pointer: '/b/c/1', from: 2, to: 3 },
      { pointer: '/b/f', from: null, to: {} },
      { pointer: '/e', from: 'gone', to: null },
      { pointer: '/g', from: null, to: true },
    ]);
  });
});
