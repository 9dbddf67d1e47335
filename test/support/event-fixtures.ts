import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { accessEvents, fixtureKeyRing } from '#lib/access';
import { emptyHead, EventCodec, type RecordedEvent, SubjectCiphers, type WrappedKey } from '#lib/event-store';
import {
  canonicalize,
  EventRegistry,
  traceId,
  type EventDefinition,
  type JsonObject,
  type Provenance,
} from '#lib/kernel';

import { EVENT_DEFINITIONS } from '../../apps/api/src/event-definitions.js';
import { MemorySubjectKeys } from '../../libs/event-store/src/memory/memory-subject-keys.js';

/** Every event type there is. */
export const DEFINITIONS: readonly EventDefinition[] = [...accessEvents, ...EVENT_DEFINITIONS];

const FOLDER = join(process.cwd(), 'test/fixtures/events');
const STREAM = 'fixture-1';
export const SUBJECT = 'user_tuff';
const SEED = 'fixture-seed';
const BY: Provenance = {
  jobSeed: SEED,
  sequenceIndex: 0,
  actor: { id: SUBJECT, role: 'user' },
  traceId: traceId(SEED),
};
/** When the fixtures were recorded, but those that are older than `recorded_at`. */
const RECORDED_AT = Date.UTC(2026, 10, 24, 12);
/** The data key under which every fixture's personal fields are, wrapped by the fixture key ring; drawn once. */
const SUBJECT_KEY: WrappedKey = {
  kid: `${SUBJECT}.1.0a1b2c3d`,
  wrapped: 'o+gcE3XnpdhZVUgwVy+76WMqeRMyfNNFqzRGfB3jxL/1i+SXMy/3bCKx5KwpDc/l37QFd7r0jtzlPTZK',
  wrappedBy: 'data-key-wrapping.fixture',
};

/** One event of one version: what is stored, and what it says to a reader of the current version. */
export interface EventFixture {
  readonly stored: JsonObject & { readonly data: JsonObject };
  readonly plain: JsonObject;
}

export function fixtureName(type: string, version: number): string {
  return `${type}.v${version}.json`;
}

export function fixtureNames(): string[] {
  return readdirSync(FOLDER).sort();
}

export function readFixture(name: string): EventFixture {
  return JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as EventFixture;
}

export function writeFixture(name: string, fixture: EventFixture): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, name), `${JSON.stringify(fixture, null, 2)}\n`);
}

export async function fixtureCodec(): Promise<EventCodec> {
  const ring = fixtureKeyRing();
  const keys = new MemorySubjectKeys();
  await keys.create(SUBJECT, SUBJECT_KEY);
  return new EventCodec(new EventRegistry(DEFINITIONS), ring, new SubjectCiphers(keys, ring), () => RECORDED_AT);
}

/** The fixture's event as a store gives it. */
export function recordedOf(type: string, { stored }: EventFixture): RecordedEvent {
  const id = (stored['metadata'] as JsonObject)['event_id'] as string;
  const text = canonicalize(stored);
  return { stream: STREAM, revision: 0, position: '1' as RecordedEvent['position'], id, type, text, recordedAt: 0 };
}

/** What the current release stores of an event's plain data. */
export async function storedText(codec: EventCodec, type: string, plain: JsonObject): Promise<string> {
  const event = { type, data: plain };
  const data = codec.withoutSeal(event);
  const [encoded] = codec.encode(emptyHead(STREAM), [{ type, data }], BY, await codec.prepare([{ type, data }]));
  return encoded!.text;
}

/** A fixture of the current version, made of sample values. */
export async function makeFixture(codec: EventCodec, definition: EventDefinition): Promise<EventFixture> {
  const { type, plain: open, personal = [], chainHashField } = definition;
  const fields = [...open, ...personal].filter((field) => field !== chainHashField);
  const sample = Object.fromEntries(
    fields.map((field) => [field, OF_TYPE[type]?.[field] ?? SAMPLES[field] ?? `a ${field.replaceAll('_', ' ')}`]),
  );
  const text = await storedText(codec, type, sample);
  const stored = JSON.parse(text) as EventFixture['stored'];
  const seal = chainHashField === undefined ? {} : { [chainHashField]: stored.data[chainHashField]! };
  return { stored, plain: { ...sample, ...seal } };
}

const HASH = 'ab'.repeat(32);
const NOW = '2026-01-01T00:00:00.000Z';

/** Values of fields whose name means something else in other events. */
const OF_TYPE: Readonly<Record<string, JsonObject>> = {
  SENIOR_CRITICS_ASKED: {
    critics: ['critic-1'],
    before: { outcome: 'ESCALATED_TO_HITL', quorum_met: false, reason: 'none of 3 critics voted', voters: [] },
  },
  LLM_SERVICE_DOWN: { attempts: [{ class: 'server_error', provider: '127.0.0.1:8080', status: 500 }], retry: 1 },
};

/** A plausible value for each field that is no plain text. */
const SAMPLES: JsonObject = {
  agent_outputs: [{ event_id: HASH, hash: HASH }],
  agents_invoked: ['profile_agent'],
  allowed: 60_000,
  applied: true,
  approvals: 3,
  approve: true,
  approved_by: ['user_anna', 'user_ben'],
  attempt: 1,
  attempt_index: 1,
  attempts: 1,
  attention: { attention_gain: 0.675, explore_bias: 0.1755, reward_signal: 0.8 },
  authoritative: true,
  blocked: false,
  body: { min_score: 0.2 },
  cache_hit: false,
  candidate_event_id: HASH,
  changed: ['/council_quorum'],
  changes: { remark: 'checked by hand' },
  confidence: 1,
  config_hash: HASH,
  context_tags: { channel: 'chat' },
  correct: true,
  council_members: null,
  council_quorum: 3,
  council_score: 1,
  council_votes: [{ event_id: HASH, hash: HASH }],
  count: 12,
  created_at: NOW,
  critic_id: 'critic-1',
  critic_principal: SUBJECT,
  agent_principal: SUBJECT,
  producer_principal: SUBJECT,
  CWM: { items: [], tokens_used: 0, topic: '' },
  deletion_manifest: { dsr_id: 'dr-0123456789abcdef0123456789abcdef', writes: 1, writes_hash: HASH },
  depth: 1,
  depth_level: 0,
  divergence: null,
  divergences_total: 0,
  emergency_review_window_ms: 86_400_000,
  engine_version: 1,
  enrolled_at: NOW,
  error: null,
  error_code: 'SEM_WRITE_FAIL',
  event_id: HASH,
  event_number: 3,
  event_refs: [HASH],
  evidence: [{ key: 'user/profile/user_tuff/favorite_color', revision: 0, timestamp: NOW, value: 'blue' }],
  excluded: [],
  expires_at: NOW,
  facts: { 'world/fact/pi/value': HASH },
  features: { has_number: false, has_user: true, is_question: true, sentences: 1, speaks_of_self: true, words: 5 },
  file_hash: HASH,
  final_answer: 'Your favorite color is blue.',
  final_confidence: 1,
  fingerprint: { hmac: HASH, kid: 'pii-hmac.fixture' },
  forced_by: null,
  further: [],
  intent_tags: ['profile'],
  iteration: 1,
  iteration_trace: [{ agent_id: 'profile_agent', iteration: 1, router_event: HASH }],
  jti_hash: HASH,
  key: 'user/profile/user_tuff/favorite_color',
  key_revision: 0,
  kids: ['user_tuff.1.0a1b2c3d'],
  log_id: HASH,
  memory_write: null,
  meta: { locale: 'en' },
  missing_artifacts: [],
  mocked: [],
  notices: [],
  ok: true,
  options: { weights: { expected: 5.5 } },
  passed: true,
  payload: { action: 'sem_put', key: 'user/profile/user_tuff/favorite_color' },
  persist_agent_outputs: true,
  pii_findings: [],
  pii_hash: HASH,
  priority: 0.5,
  query_hash: HASH,
  query_text_hash: HASH,
  reasoning_trace: ['read user/profile/user_tuff/favorite_color at revision 0'],
  received_at: NOW,
  rejections: 0,
  removed_at: NOW,
  repair_loops: 0,
  replayable: true,
  requested_at: NOW,
  resource_budget: { max_depth_allowed: 2, token_budget: 2048 },
  result: { key: 'user/profile/user_tuff/favorite_color', revision: 0 },
  revision: 0,
  revoked_at: NOW,
  route_trace: { candidates: [], intent: 'profile', selected: 'agent:profile_v1' },
  runtime_metrics: { per_agent_time_ms: { profile_agent: 0.5 }, tokens_used: 7, total_time_ms: 0.5 },
  schema_version: 1,
  score: 8,
  scores: { coherence: 1, factuality: 1, safety: 1 },
  sem_snapshot_hash: HASH,
  signatures: [
    { role: 'superadmin', signer: 'user_root' },
    { role: 'admin', signer: SUBJECT },
  ],
  signer: SUBJECT,
  snapshot_id: HASH,
  snapshots: { brainstate: HASH, router: HASH },
  step: 58_908_480,
  steps: [
    { checked: 13, cost_us: 412, detail: 'every event is signed', step: 'signatures and hash chain', verdict: 'ok' },
  ],
  subject: SUBJECT,
  suggested_changes: '',
  tag: 'sample-2026-q4',
  tally: { abstain: 0, approve: 2, reject: 1 },
  tick: 1,
  time_ms: 0.5,
  timeout_ms: 10_000,
  timestamp: NOW,
  token_budget: 1536,
  tokens: 7,
  until: NOW,
  upvote: true,
  user_id: SUBJECT,
  value: 'blue',
  value_hash: HASH,
  voter: SUBJECT,
  votes: [HASH],
  withheld: { value: 'blue' },
  wm_counter: 1,
  WM: [],
  wrong_codes: 1,
};
