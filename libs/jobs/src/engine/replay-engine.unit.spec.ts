import fc from 'fast-check';

import type { AnswerCouncilPolicy } from '#lib/council';
import { canonicalCopy, canonicalize, eventId, retryAllowed, type Json, type JsonObject } from '#lib/kernel';

import type { PlacedFinding } from '../domain/episode-redaction.js';
import { type IdentifiedEvent, logFault } from '../domain/reflective-log.js';
import { scripts } from '../testing/arbitrary-scripts.js';
import {
  answer,
  collected,
  COLOR,
  COUNCIL,
  DISTRUSTED,
  engineInput,
  EVIDENCE,
  type InputOptions,
  MOMENT,
  runScripted,
  seedWhere,
  type Script,
  ScriptedWorld,
  voteOf,
  votesOf,
  WRITTEN,
} from '../testing/scripted-job.js';
import type { AgentResult } from './effects.js';
import { decideJob } from './engine.js';
import type { EngineInput } from './input.js';
import { recordedResult } from './recorded-effects.js';
import type { NumberedEvent } from './recorder.js';
import { replayEngine } from './replay-engine.js';

const WISH = answer('It is blue.', { evidence: [], memory_write: { key: COLOR, value: 'blue' } });
const DECLINED = { kind: 'declined', reason: 'r', time_ms: 1 } as const;
const REJECTED = votesOf([false, false, true], 0.2);
const FAILED = { ok: false, error_code: 'SEM_WRITE_FAIL', attempts: 2, fault: 'StoreUnavailableError' } as const;
const SSN = { pii_type: 'us_ssn', category: 'high', pii_hash: 'h' };

const BLOCKED = { ok: false, error_code: 'PERMISSION_DENIED', attempts: 1, fault: 'MODULE_BLOCKED' } as const;
const OVERSTEP = { kind: 'violation', action: 'sem.read', evidence_ref: EVIDENCE } as const;
const REMEMBER: InputOptions = { query: 'Remember that my favorite color is blue' };
const READ_ONLY = { allowed_actions: ['sem.read'], forbidden_actions: [] };
const NO_WRITES = { policies: { profile_agent: READ_ONLY } };
/** Under which whoever answers may write too. */
const ANYTHING = { allowed_actions: [], forbidden_actions: [] };
const FREE = { policies: { profile_agent: ANYTHING, generic_agent: ANYTHING } };
const FACT = { key: COLOR, revision: 0, value: 'mail john@example.com', timestamp: MOMENT };
const TWICE = answer('Here.', { evidence: [FACT, { ...FACT, revision: 1 }] });
const FOUND: PlacedFinding = {
  item: 0,
  pointer: '',
  in: 'value',
  type: 'email',
  category: 'medium',
  start: 5,
  end: 21,
  score: 0.9,
  rule: 'email.address',
  pii_hash: 'h',
};

const RETRIED: InputOptions = { jobSeed: seedWhere(retryAllowed) };
const CRASH: AgentResult = { kind: 'exception', reason: 'TypeError' };
const RAISED = { error_class: 'TypeError', evidence_ref: EVIDENCE };
const ENGINE_DOWN: AgentResult = {
  kind: 'unavailable',
  reason: 'in words',
  failures: [
    { provider: 'a.example', kind: 'auth', status: 401 },
    { provider: 'b.example', kind: 'timeout' },
  ],
  time_ms: 3,
};
const KEY_REFUSED: AgentResult = { ...ENGINE_DOWN, failures: [{ provider: 'a.example', kind: 'auth' }] };

const AWAY = { critic_0: 'crashed: TypeError', critic_2: 'no vote in time' };
const MISSING = {
  ...collected([voteOf('critic_0'), voteOf('critic_1')], { critic_2: 'no vote in time' }),
  collection_timeout_reached: true,
};
const SEVERAL: Script = { votes: [REJECTED, votesOf([true, false])] };
const HEAVY = COUNCIL.critics.map((seat, i) => ({ ...seat, weight: i === 0 ? 2.5 : 1 }));
const council = (change: Partial<AnswerCouncilPolicy>): InputOptions => ({
  limits: { answer_council: { ...COUNCIL, ...change } },
});

/** Every way a job can go. */
const KINDS: readonly (readonly [string, InputOptions, Script])[] = [
  ['an answer', {}, {}],
  ['a write', REMEMBER, { turns: [WISH] }],
  ['a write at the second attempt', REMEMBER, { turns: [WISH], writes: [{ ...WRITTEN, attempts: 2 }] }],
  ['a failed write', REMEMBER, { turns: [WISH], writes: [FAILED] }],
  ['a miss', {}, { turns: [{ kind: 'miss', key: COLOR, time_ms: 2 }] }],
  [
    'a miss that goes on to an engine',
    { query: 'What is the capital of Mars?', router: { ask_engine_on_miss: true } },
    { turns: [{ kind: 'miss', key: 'world/fact/mars/definition', time_ms: 2 }, answer('None.', { evidence: [] })] },
  ],
  [
    'an intent of one’s own',
    { router: { own_intents: { colors: { patterns: ['\\bcolor\\b'], actions: [], over: ['profile'] } } } },
    {},
  ],
  ['no module', {}, { turns: [DECLINED] }],
  [
    'a module without its language engine',
    { query: 'Write a poem about rain', mute: ['creative_agent'] },
    { turns: [DECLINED] },
  ],
  ['a module with too little trust', DISTRUSTED, { turns: [DECLINED] }],
  ['a module with too little trust, by the third engine', { ...DISTRUSTED, engineVersion: 3 }, { turns: [DECLINED] }],
  ['no language engine', {}, { turns: [{ kind: 'unavailable', reason: 'r', time_ms: 1 }] }],
  ['an engine out of service', {}, { turns: [ENGINE_DOWN] }],
  ['an engine that is back at the second try', RETRIED, { turns: [ENGINE_DOWN, answer()] }],
  ['an engine out of service and then a timeout', RETRIED, { turns: [ENGINE_DOWN, { kind: 'timeout' }, DECLINED] }],
  ['a timeout and then an engine out of service', RETRIED, { turns: [{ kind: 'timeout' }, ENGINE_DOWN, DECLINED] }],
  ['an engine out of service and then a crash', RETRIED, { turns: [ENGINE_DOWN, CRASH, DECLINED] }],
  ['an engine out of service and then an overstep', RETRIED, { turns: [ENGINE_DOWN, OVERSTEP, DECLINED] }],
  ['an engine that refuses the key', {}, { turns: [KEY_REFUSED, DECLINED] }],
  ['an engine out of service, by the first engine', { engineVersion: 1 }, { turns: [ENGINE_DOWN] }],
  ['an engine that refuses the key, by the first engine', { engineVersion: 1 }, { turns: [KEY_REFUSED] }],
  ['no module, by the second engine', { engineVersion: 2 }, { turns: [DECLINED] }],
  ['a timeout with a fallback', {}, { turns: [{ kind: 'timeout' }, answer()] }],
  ['timeouts only', {}, { turns: [{ kind: 'timeout' }] }],
  ['a crash', {}, { turns: [CRASH, DECLINED] }],
  ['a crash whose message and stack are kept', {}, { turns: [{ ...CRASH, ...RAISED }, DECLINED] }],
  ['a second try whose crash is kept', RETRIED, { turns: [{ kind: 'timeout' }, { ...CRASH, ...RAISED }, DECLINED] }],
  ['an overstep with a fallback', {}, { turns: [OVERSTEP, answer()] }],
  ['oversteps only', {}, { turns: [{ ...OVERSTEP, evidence_ref: null }] }],
  ['an overstep after a timeout', {}, { turns: [{ kind: 'timeout' }, OVERSTEP, answer()] }],
  ['a write that a policy does not allow', NO_WRITES, { turns: [WISH, DECLINED] }],
  ['a write of a module that went offline', REMEMBER, { turns: [WISH], writes: [BLOCKED] }],
  ['an episode', {}, { turns: [TWICE] }],
  ['an episode that is redacted', {}, { turns: [TWICE], personal: [[FOUND]] }],
  ['a repair', {}, { votes: [REJECTED, votesOf([true, true, true])] }],
  ['the repair limit', {}, { votes: [REJECTED] }],
  ['a deadlock', {}, { votes: [votesOf([true, false])] }],
  ['a deadlock that trust settles', {}, { ...SEVERAL, turns: [answer(), DECLINED, answer('Other.')] }],
  ['a deadlock that the verifier settles', {}, { votes: [votesOf([true, false]), votesOf([true, true, true])] }],
  ['a critic that is missing', {}, { votes: [MISSING] }],
  ['no quorum', {}, { votes: [collected([voteOf('critic_1')], AWAY)] }],
  ['nobody voting', {}, { votes: [collected([], AWAY)] }],
  ['abstentions', council({ on_failure: 'FAIL_WITH_ABSTAIN' }), { votes: [votesOf([true])] }],
  ['weights', council({ critics: HEAVY }), { votes: [votesOf([true, false, false])] }],
  ['little confidence', {}, { turns: [answer('Perhaps.', { confidence: 0 })], votes: [votesOf([true], 0.7)] }],
  ['personal data', { accepted: { blocked: true, pii_findings: [SSN] } }, {}],
];

/** Events as they come back from a store. */
const stored = (events: readonly NumberedEvent[]): NumberedEvent[] =>
  events.map((event) => canonicalCopy({ ...event }));

describe('replaying a job’s own record', () => {
  it.each(KINDS)('of %s computes the same bytes', (_, options, script) => {
    const input = engineInput(options);
    const record = stored(runScripted(input, script).events);
    expect(replayEngine(input, record)).toEqual({ matched: record.length, difference: null });
  });

  it('computes the same bytes whatever the world said', () => {
    fc.assert(
      fc.property(scripts, fc.boolean(), fc.boolean(), (script, tight, free) => {
        const limits = tight ? { max_iterations: 2, max_repair_loops: 1 } : {};
        const input = engineInput({ limits, ...(free ? FREE : {}) });
        const record = stored(runScripted(input, script).events);
        expect(replayEngine(input, record)).toEqual({ matched: record.length, difference: null });
      }),
      { numRuns: 300 },
    );
  });

  it('decides on the rounded numbers that are recorded, not on what was rounded', () => {
    const input = engineInput();
    for (let i = 1; i < 500; i++) {
      const confidence = (i * Math.SQRT2) % 1;
      const record = stored(runScripted(input, { turns: [answer('blue', { confidence })] }).events);
      expect(replayEngine(input, record).difference).toBeNull();
    }
  });

  it('finds an event that is missing at the end, and one too many', () => {
    const input = engineInput();
    const record = stored(runScripted(input).events);
    expect(replayEngine(input, record.slice(0, -1)).difference).toMatchObject({ index: 12, recorded: null });
    expect(replayEngine(input, [...record, record[0]!]).difference).toMatchObject({ index: 13, computed: null });
  });

  it('finds an event that another took the place of', () => {
    const input = engineInput();
    const record = stored(runScripted(input).events);
    for (let i = 0; i + 1 < record.length; i++) {
      const swapped = [...record];
      [swapped[i], swapped[i + 1]] = [swapped[i + 1]!, swapped[i]!];
      expect(replayEngine(input, swapped).difference!.index).toBeLessThanOrEqual(i + 1);
    }
  });
});

describe('going on after a crash', () => {
  it.each(KINDS)('at any event of %s ends in the same events', (_, options, script) => {
    const input = engineInput(options);
    const record = stored(runScripted(input, script).events);
    for (let kept = 0; kept <= record.length; kept++) {
      expect(goOn(input, script, record.slice(0, kept)).map(textOf)).toEqual(record.map(textOf));
    }
  });

  it('at any event ends in the same events, whatever the world said', () => {
    fc.assert(
      fc.property(scripts, fc.nat(), fc.boolean(), (script, cut, free) => {
        const limits = { max_iterations: 3, max_repair_loops: 1 };
        const input = engineInput({ limits, ...(free ? FREE : {}) });
        const record = stored(runScripted(input, script).events);
        const kept = record.slice(0, cut % (record.length + 1));
        expect(goOn(input, script, kept).map(textOf)).toEqual(record.map(textOf));
      }),
      { numRuns: 300 },
    );
  });

  it('never asks an agent again whose output was recorded', () => {
    const input = engineInput();
    const record = stored(runScripted(input).events);
    const effects: string[] = [];
    goOn(input, {}, record.slice(0, 6), (kind) => effects.push(kind));
    expect(effects).toEqual(['collect_votes', 'check_artifacts']);
  });
});

/** Fields that an effect brought: what the log says of them by hash, or what only their signature vouches for. */
const BROUGHT: Readonly<Record<string, readonly string[]>> = {
  AGENT_OUTPUT: [
    'outcome',
    'confidence',
    'time_ms',
    'text',
    'reasoning_trace',
    'evidence',
    'memory_write',
    'detail',
    'failures',
  ],
  LLM_SERVICE_DOWN: ['attempts', 'time_ms'],
  COUNCIL_VOTE: ['council_agent_id', 'scores', 'approve', 'confidence', 'suggested_changes', 'note'],
  COUNCIL_DECISION: ['collection_timeout_reached'],
  AGENT_EXCEPTION: ['reason', 'error_class', 'evidence_ref'],
  MEMORY_WRITE_REQUESTED: ['timestamp', 'key_revision'],
  POLICY_VIOLATION: ['action', 'evidence_ref'],
  episodic_summary: ['redactions'],
  MEMORY_WRITE_RESULT: ['ok', 'applied', 'revision', 'event_id', 'error_code', 'attempts', 'fault'],
};

describe('a record in which one field was changed', () => {
  it.each(KINDS)(
    'of %s: the replay stops at exactly that event, where the engine computed the field',
    (_, options, script) => {
      const input = engineInput(options);
      const record = stored(runScripted(input, script).events);
      for (const { index, field, tampered } of tamperings(record)) {
        const { type } = record[index]!;
        if (BROUGHT[type]?.includes(field)) continue;
        const place = `${type}.${field}`;
        expect([place, replayEngine(input, tampered).difference?.index]).toEqual([place, index]);
      }
    },
  );

  it.each(KINDS)(
    'of %s: the log’s references name exactly the output or vote that was changed',
    (_, options, script) => {
      const input = engineInput(options);
      const record = stored(runScripted(input, script).events);
      for (const { index, field, tampered } of tamperings(record)) {
        const { type, sequenceIndex } = record[index]!;
        if (type !== 'AGENT_OUTPUT' && type !== 'COUNCIL_VOTE') continue;
        const id = eventId(input.jobSeed, sequenceIndex, type);
        expect([field, logFault(identified(input, tampered))]).toEqual([field, `event ${id} is not what it refers to`]);
      }
    },
  );

  it('which says that another action than the write was refused is found', () => {
    const input = engineInput(NO_WRITES);
    const record = stored(runScripted(input, { turns: [WISH, DECLINED] }).events);
    const at = record.findIndex(({ type }) => type === 'POLICY_VIOLATION');
    expect(replayEngine(input, withField(record, at, 'action', 'sem.read')).difference?.index).toBe(at);
  });

  it('which says that less was personal in an episode than was found is found', () => {
    const input = engineInput();
    const record = stored(runScripted(input, { turns: [TWICE], personal: [[FOUND]] }).events);
    const at = record.findIndex(({ type }) => type === 'episodic_summary');
    for (const redactions of [[], [{ ...FOUND, end: 12 }]]) {
      expect(replayEngine(input, withField(record, at, 'redactions', redactions)).difference?.index).toBe(at);
    }
  });

  it('says what the engine computed and what was recorded', () => {
    const input = engineInput();
    const record = stored(runScripted(input).events);
    const tampered = withField(record, 10, 'tick', 2);
    const { difference } = replayEngine(input, tampered);
    expect(difference).toMatchObject({ index: 10, computed: { data: { tick: 1 } }, recorded: { data: { tick: 2 } } });
  });
});

/** Drives the engine as a process does that finds `record` in the job's stream. */
function goOn(
  input: EngineInput,
  script: Script,
  record: readonly NumberedEvent[],
  onLive: (kind: string) => void = () => undefined,
): NumberedEvent[] {
  const world = new ScriptedWorld(script);
  const engine = decideJob(input);
  const events: NumberedEvent[] = [];
  let step = engine.next();
  for (;;) {
    events.push(...(step.done ? step.value : step.value.events));
    if (step.done) return events;
    // The script counts every effect, so that what follows is what would have followed without the crash.
    const live = world.perform(step.value.effect);
    const known = recordedResult(step.value.effect, record, events.length);
    if (known === null) onLive(step.value.effect.kind);
    step = engine.next(known ?? live);
  }
}

function* tamperings(record: readonly NumberedEvent[]) {
  for (const [index, event] of record.entries()) {
    for (const [field, value] of Object.entries(event.data)) {
      yield { index, field, tampered: withField(record, index, field, changed(value)) };
    }
  }
}

function withField(record: readonly NumberedEvent[], index: number, field: string, value: Json): NumberedEvent[] {
  return record.map((event, i) => (i === index ? { ...event, data: { ...event.data, [field]: value } } : event));
}

/** Another value of the same type. */
function changed(value: Json): Json {
  if (value === null) return 'x';
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value === 1 ? 2 : 1;
  if (typeof value === 'string') return `${value}x`;
  if (Array.isArray(value)) return [...(value as readonly Json[]), 'x'];
  return { ...(value as JsonObject), x: 1 };
}

function identified(input: EngineInput, events: readonly NumberedEvent[]): IdentifiedEvent[] {
  return events.map((event) => ({ ...event, event_id: eventId(input.jobSeed, event.sequenceIndex, event.type) }));
}

function textOf(event: NumberedEvent): string {
  return canonicalize({ ...event });
}
