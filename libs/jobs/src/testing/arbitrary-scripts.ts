import fc from 'fast-check';

import type { CollectedVotes, CouncilVote } from '#lib/council';

import type { AgentResult, PreparedWrite, WriteResult } from '../engine/effects.js';
import { COLOR, EVIDENCE, MOMENT, type Script } from './scripted-job.js';

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const time_ms = fc.double({ min: 0, max: 1e4, noNaN: true });
const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant({ nested: [1, null] }));

const engineFailure = fc.record(
  {
    provider: fc.constantFrom('127.0.0.1:1', 'llm.example'),
    kind: fc.constantFrom('auth' as const, 'server_error' as const, 'timeout' as const, 'rejected' as const),
    status: fc.constantFrom(401, 429, 500),
  },
  { requiredKeys: ['provider', 'kind'] },
);

const turn: fc.Arbitrary<AgentResult> = fc.oneof(
  fc.record({
    kind: fc.constant('answer' as const),
    text,
    confidence: unit,
    reasoning_trace: fc.array(text, { maxLength: 3 }),
    evidence: fc.array(
      fc.record({
        key: fc.constantFrom(COLOR, 'world/fact/pi/value'),
        revision: fc.nat(9),
        value,
        timestamp: fc.constant(MOMENT),
      }),
      { maxLength: 2 },
    ),
    memory_write: fc.option(fc.record({ key: fc.constant(COLOR), value })),
    time_ms,
  }),
  fc.record({ kind: fc.constant('miss' as const), key: fc.constant(COLOR), time_ms }),
  fc.record({ kind: fc.constantFrom('declined' as const, 'unavailable' as const), reason: text, time_ms }),
  fc.record({ kind: fc.constant('unavailable' as const), reason: text, failures: fc.array(engineFailure), time_ms }),
  fc.constant({ kind: 'timeout' as const }),
  fc.record(
    {
      kind: fc.constant('exception' as const),
      reason: text,
      error_class: fc.constant('TypeError'),
      evidence_ref: fc.constant(EVIDENCE),
    },
    { requiredKeys: ['kind', 'reason'] },
  ),
  fc.record({
    kind: fc.constant('violation' as const),
    action: fc.constantFrom('sem.read', 'compute'),
    evidence_ref: fc.option(fc.constant(EVIDENCE)),
  }),
);

const prepared: fc.Arbitrary<PreparedWrite> = fc.record({ key_revision: fc.nat(9), timestamp: fc.constant(MOMENT) });

const WRITE_FAULTS = ['SEM_WRITE_FAIL', 'STORAGE_FULL', 'PRIVACY_BLOCKED', 'PERMISSION_DENIED'] as const;

const write: fc.Arbitrary<WriteResult> = fc.oneof(
  fc.record({
    ok: fc.constant(true as const),
    applied: fc.boolean(),
    revision: fc.nat(9),
    event_id: fc.constant('e'.repeat(64)),
    attempts: fc.constantFrom(1, 2),
  }),
  fc.record({
    ok: fc.constant(false as const),
    error_code: fc.constantFrom(...WRITE_FAULTS),
    attempts: fc.constantFrom(1, 2),
    fault: text,
  }),
);

const vote: fc.Arbitrary<CouncilVote> = fc.record({
  council_agent_id: fc.constantFrom('critic_0', 'critic_1', 'critic_2', 'outsider'),
  scores: fc.record({ factuality: unit, coherence: unit, safety: unit }),
  approve: fc.boolean(),
  suggested_changes: text,
  note: text,
  confidence: unit,
});

const votes: fc.Arbitrary<CollectedVotes> = fc.record({
  votes: fc.array(vote, { maxLength: 4 }),
  unavailable: fc.dictionary(fc.constantFrom('critic_0', 'critic_1', 'critic_2', 'outsider'), text),
  collection_timeout_reached: fc.boolean(),
});

const several = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 1, maxLength: 4 });

/** Whatever a world may say, numbers with more decimals than are recorded included. */
export const scripts: fc.Arbitrary<Script> = fc.record({
  turns: several(turn),
  prepared: several(prepared),
  writes: several(write),
  kept: several(fc.record({ evidence_ref: fc.option(fc.constant(EVIDENCE)) })),
  votes: several(votes),
});
