import { generateSync } from 'otplib';

import { type EventLog, type Fold, type RecordedEvent, START } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import { systemSeed, traceId, type DomainEvent } from '#lib/kernel';
import {
  castVote,
  evolveNegotiation,
  initialNegotiation,
  NEGOTIATION_POLICY_DEFAULTS,
  type NegotiationState,
  negotiationStream,
  propose,
  WINDOW_DEFAULTS,
} from '#lib/negotiation';

import { asLocal } from '../../apps/api/src/edge/local-requests.js';
import type { JobApp } from './job-app.js';

/** What the names of streams begin with (spec/kernel.md, "Streams"), and the trails of evidence besides. */
export const STREAM_KINDS = [
  'job',
  'sem',
  'snapshot',
  'module',
  'actionrequest',
  'negotiation',
  'consent',
  'dsr',
  'incident',
  'amendment',
  'replay',
  'principal',
  'policy',
  'access',
  'system',
  'identity',
  'brainstate',
  'forensic',
] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

/** Puts events into a stream of every kind, by requests where a route leads there. */
export async function writeEveryStream(app: JobApp): Promise<void> {
  const [tuff, eve, ann, olga] = await Promise.all([
    app.caller('tuff'),
    app.caller('eve', ['user', 'agent']),
    app.caller('ann', ['auditor']),
    app.caller('olga', ['operator']),
  ]);
  const [cora, ada] = await Promise.all([
    app.caller('cora', ['council'], ['otp']),
    app.caller('ada', ['admin'], ['otp']),
  ]);
  for (const value of ['red', 'green', 'blue', 'black'])
    await tuff.send('PUT', '/sem/user/profile/user_tuff/favorite_color', { value });
  const { body: job } = await tuff.ask('What is my favorite color?', { job_seed: 'walked-1' });
  await eve.ask('6*7', { job_seed: 'walked-2' });
  for (const note of ['one', 'two', 'three'])
    await tuff.send('POST', `/reflective-logs/${job.log_id}/amendments`, { effect: 'note', changes: { note } });
  for (let i = 0; i < 2; i++) await ann.send('POST', '/replay/request', { job_id: job.job_id, mode: 'audit' });
  await consents(tuff);
  await requests(app, eve, cora);
  for (let i = 0; i < 4; i++) await tuff.get('/audit/events');
  for (const entity_id_raw of ['Ohms Law', 'ohms law', 'OHMS LAW', 'Ohm’s Law'])
    await tuff.send('POST', '/sem/keys', { scope: 'world', entity_type: 'fact', entity_id_raw, attribute_raw: 'unit' });
  await brainState(ada);
  await olga.send('POST', '/events/failure', {
    event_type: 'POLICY_VIOLATION',
    node_id: 'agent:creative_v1',
    details: {},
  });
  await ada.send('POST', '/events/failure', { event_type: 'SECURITY_INCIDENT', details: { seen: 'a strange login' } });
  for (let i = 0; i < 3; i++) await dataSubject(app, tuff);
  await negotiation(app.parts.platform.events);
  await haltedSnapshot(app);
  await untilAlerted(app);
}

type Callers = Awaited<ReturnType<JobApp['caller']>>;

async function consents(tuff: Callers): Promise<void> {
  for (const pii_type of ['phone', 'email', 'address']) {
    const consent_text = `MACE may remember my ${pii_type}.`;
    await tuff.send('POST', '/consents', { pii_type, scope: 'persistent', consent_text });
  }
}

async function requests(app: JobApp, eve: Callers, cora: Callers): Promise<void> {
  const { body: asked } = await eve.send<{ request_id: string; proposal_digest: string }>(
    'POST',
    '/actionrequest/create',
    {
      kind: 'sem_put',
      payload: { action: 'sem_put', key: 'world/physics/ohms_law/definition', value: 'V = IR' },
      justification: 'named in three answers of today',
      evidence: ['ep:3f2a'],
    },
  );
  const voters = [cora, ...(await Promise.all(['cleo', 'carl'].map((name) => app.caller(name, ['council'], ['otp']))))];
  const { proposal_digest } = asked;
  for (const voter of voters)
    await voter.send('POST', `/actionrequest/${asked.request_id}/vote`, { vote: 'approve', proposal_digest });
}

async function brainState(ada: Callers): Promise<void> {
  const goals = [{ type: 'answer', priority: 0.9, origin: 'user' }];
  const { body } = await ada.send<{ brainstate_snapshot_id: string }>('POST', '/brainstate/create_snapshot', {
    job_seed: 'demo',
    goals,
  });
  for (const value of ['short answers', 'long answers', 'no answers'])
    await ada.send('POST', '/brainstate/insert', { ...body, type: 'fact', value, ttl_ticks: 3 });
}

async function dataSubject(app: JobApp, tuff: Callers): Promise<void> {
  const { fastify } = app.parts.app;
  const enrolled = await asLocal(async () =>
    fastify.inject({ method: 'POST', url: '/local/otp/enrol', payload: { user_id: 'tuff' } }),
  );
  const { secret } = JSON.parse(enrolled.payload) as { secret?: string };
  if (secret === undefined) return;
  const identity_proof = { otp: generateSync({ secret }) };
  await tuff.send('POST', '/dsr/request', { kind: 'export', user_id: 'tuff', identity_proof });
}

const FOLD: Fold<NegotiationState> = {
  name: 'walked-negotiation',
  initial: initialNegotiation,
  evolve: evolveNegotiation,
};

/** No route leads to a room of one's own yet: the same commands by the library. */
async function negotiation(log: EventLog): Promise<void> {
  const critics = ['critic-1', 'critic-2', 'critic-3'];
  const now = Date.parse('2026-01-01T12:00:00.000Z');
  const run = (nth: number, decide: (state: NegotiationState) => readonly DomainEvent[]) => {
    const jobSeed = systemSeed('negotiation', String(nth));
    const actor = { id: 'system', role: 'system' };
    const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) };
    return log.execute({ stream: negotiationStream('art-1'), fold: FOLD, provenance, decide });
  };
  await run(0, (state) =>
    propose(state, {
      artifact_id: 'art-1',
      artifact_type: 'CODE',
      artifact_content_type: 'text/plain',
      artifact_ref: '0'.repeat(64),
      producer_id: 'maker',
      producer_principal: 'user_maker',
      created_at: '2026-01-01T12:00:00.000Z',
      negotiation_room_id: 'room-1',
      requested_critics: critics,
      vote_collection_timeout_s: 0,
      quorum_policy: {},
      idempotency: null,
      policy: NEGOTIATION_POLICY_DEFAULTS,
      windows: WINDOW_DEFAULTS,
      now,
    }),
  );
  for (const [i, critic_id] of critics.entries())
    await run(
      i + 1,
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
          now: now + 1,
        }).events,
    );
}

/** One that no job pins, so that none is halted by it. */
async function haltedSnapshot(app: JobApp): Promise<void> {
  const snapshots = app.parts.app.nest.get(Snapshots);
  const { snapshot_id } = await snapshots.ensure('agents_allowed_writes', { walked: true });
  const stream = `snapshot-${snapshot_id}`;
  await snapshots.halts.halt({ snapshot_id, stream, revision: 0, reason: 'said in a test' });
}

/** The incidents of what was reported above are open: what reactors append after this is theirs to repeat. */
async function untilAlerted(app: JobApp): Promise<void> {
  const { eventStore } = app.parts.platform;
  for (;;) {
    const { events } = await eventStore.readAll({ after: START, limit: 4096, types: ['ADMIN_ALERT'] });
    if (events.length >= 2) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Every event of an application's log, in order. */
export async function everyEvent({ parts }: JobApp): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let after = START; ;) {
    const page = await parts.platform.eventStore.readAll({ after, limit: 4096 });
    events.push(...page.events);
    if (page.atHead) return events;
    after = page.scannedTo;
  }
}

/** The streams of a kind with their events, the longest first. */
export function streamsOf(events: readonly RecordedEvent[], kind: StreamKind): readonly (readonly RecordedEvent[])[] {
  const streams = new Map<string, RecordedEvent[]>();
  for (const event of events) {
    if (!event.stream.startsWith(`${kind}-`)) continue;
    streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);
  }
  return [...streams.values()].sort((a, b) => b.length - a.length);
}
