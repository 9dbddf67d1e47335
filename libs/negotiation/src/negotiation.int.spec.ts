import { fixtureKeyRing } from '#lib/access';
import { EventCodec, EventLog, type Fold, MemoryEventStore, SubjectCiphers } from '#lib/event-store';
import { type DomainEvent, EventRegistry, systemSeed, traceId } from '#lib/kernel';

import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { NEGOTIATION_POLICY_DEFAULTS } from './domain/decision.js';
import { negotiationEvents, negotiationStream } from './domain/negotiation.events.js';
import {
  castVote,
  closeWindow,
  evolveNegotiation,
  initialNegotiation,
  type NegotiationState,
  propose,
} from './domain/negotiation.js';
import { WINDOW_DEFAULTS } from './domain/window.js';

const NOON = Date.parse('2026-01-01T12:00:00.000Z');
const DUE = NOON + 300_000;
const STREAM = negotiationStream('art-1');
const FOLD: Fold<NegotiationState> = { name: 'negotiation', initial: initialNegotiation, evolve: evolveNegotiation };
const CRITICS = Array.from({ length: 64 }, (_, i) => `critic-${i}`);

let commands = 0;

/** Processes on one store: each reads, decides, and appends with the revision it read. */
function replicas(count: number) {
  const [store, keys, ring] = [new MemoryEventStore(), new MemorySubjectKeys(), fixtureKeyRing()];
  return Array.from({ length: count }, () => {
    const codec = new EventCodec(new EventRegistry(negotiationEvents), ring, new SubjectCiphers(keys, ring));
    const log = new EventLog(store, codec);
    const run = (decide: (state: NegotiationState) => readonly DomainEvent[]) => {
      const jobSeed = systemSeed('negotiation', String(commands++));
      const actor = { id: 'system', role: 'system' };
      const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) };
      return log.execute({ stream: STREAM, fold: FOLD, provenance, decide });
    };
    const types = async () => (await log.load(STREAM)).events.map(({ type }) => type);
    return { run, types };
  });
}

type Replica = ReturnType<typeof replicas>[number];

const open = ({ run }: Replica, requested_critics: readonly string[]) =>
  run((state) =>
    propose(state, {
      artifact_id: 'art-1',
      artifact_type: 'CODE',
      artifact_content_type: 'text/plain',
      artifact_ref: '0'.repeat(64),
      producer_id: 'maker',
      producer_principal: 'user_maker',
      created_at: '2026-01-01T12:00:00.000Z',
      negotiation_room_id: 'room-1',
      requested_critics,
      vote_collection_timeout_s: 0,
      quorum_policy: {},
      idempotency: null,
      policy: NEGOTIATION_POLICY_DEFAULTS,
      windows: WINDOW_DEFAULTS,
      now: NOON,
    }),
  );

const vote = ({ run }: Replica, critic_id: string, now = NOON + 1) =>
  run(
    (state) =>
      castVote(state, {
        artifact_id: 'art-1',
        critic_id,
        critic_principal: `user_${critic_id}`,
        voted_at: '2026-01-01T12:00:00.000Z',
        score: 9,
        confidence: 0.9,
        passed: true,
        strengths: ['clear'],
        weaknesses: [],
        recommendations: [],
        idempotency: null,
        now,
      }).events,
  );

const count = (types: readonly string[], type: string): number => types.filter((one) => one === type).length;

describe('a negotiation in its stream', () => {
  it('keeps 64 votes that come at once to several processes, and decides with the last', async () => {
    const houses = replicas(3);
    await open(houses[0]!, CRITICS);
    await Promise.all(CRITICS.map((critic, i) => vote(houses[i % 3]!, critic)));
    const types = await houses[0]!.types();
    expect(count(types, 'VOTE_CAST')).toBe(64);
    expect(types.slice(-2)).toEqual(['VOTE_WINDOW_CLOSED', 'NEGOTIATION_DECIDED']);
    expect(count(types, 'NEGOTIATION_DECIDED')).toBe(1);
  });

  it('has one decision, however many processes close it at once', async () => {
    const houses = replicas(20);
    await open(houses[0]!, ['a', 'b', 'c']);
    await vote(houses[0]!, 'a');
    const closed = await Promise.all(houses.map(({ run }) => run((state) => closeWindow(state, DUE))));
    const types = await houses[0]!.types();
    expect([count(types, 'VOTE_WINDOW_CLOSED'), count(types, 'NEGOTIATION_DECIDED')]).toEqual([1, 1]);
    expect(new Set(closed.map(({ state }) => JSON.stringify(state.decision))).size).toBe(1);
  });

  it('holds after a restart what was voted before: a second vote is refused, a third critic is taken', async () => {
    const [before, restarted] = replicas(2);
    await open(before!, ['a', 'b', 'c', 'd']);
    await vote(before!, 'a');
    await vote(before!, 'b');
    await expect(vote(restarted!, 'b')).rejects.toThrow('critic b has voted on this artifact');
    const { state } = await vote(restarted!, 'c');
    expect(state.votes.map(({ critic_id }) => critic_id)).toEqual(['a', 'b', 'c']);
  });

  it('takes a vote that lost to the close as late', async () => {
    const [voting, closing] = replicas(2);
    await open(voting!, ['a', 'b', 'c']);
    await Promise.all([closing!.run((state) => closeWindow(state, DUE)), vote(voting!, 'a', DUE)]);
    const types = await voting!.types();
    expect(types).toEqual(['NEGOTIATION_PROPOSED', 'VOTE_WINDOW_CLOSED', 'NEGOTIATION_DECIDED', 'LATE_VOTE']);
  });
});
