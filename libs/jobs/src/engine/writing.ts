import { type Json, sameCanonical } from '#lib/kernel';

import type { EvidenceRecord } from '../domain/jobs.events.js';
import type { AgentResult } from './effects.js';
import type { Ending, Job, Steps } from './job.js';
import type { Place } from './place.js';
import { refuseWrite } from './violation.js';

type Answer = Extract<AgentResult, { kind: 'answer' }>;

/** How a write went that an answer asked for. */
export type Written =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly ending: Ending }
  /** The policy of the module does not allow it: the job goes on without the module. */
  | { readonly kind: 'violation' };

/**
 * A write that the asking user asked for, once however often its answer is repaired; a store's fault on it was answered by exactly one retry
 * (spec/memory.md).
 */
export function* writeAsked(job: Job, place: Place, { memory_write }: Answer): Steps<Written> {
  if (!memory_write) return { kind: 'done' };
  if (yield* refuseWrite(job, place, memory_write)) return { kind: 'violation' };
  const { key, value } = memory_write;
  const wished = (piece: EvidenceRecord): boolean => piece.key === key && sameCanonical(piece.value, value);
  if (job.evidence.some(wished)) return { kind: 'done' };
  const before = job.written.findLast((piece) => piece.key === key);
  if (!before || !wished(before)) return yield* write(job, place, key, value);
  job.evidence = [...job.evidence, before];
  return { kind: 'done' };
}

function* write(job: Job, { node_id }: Place, key: string, value: Json): Steps<Written> {
  const { user_id } = job.input.accepted;
  const prepared = yield* job.ask({ kind: 'prepare_write', key });
  job.recorder.record('MEMORY_WRITE_REQUESTED', { user_id, key, value, ...prepared });
  const sequence_index = job.recorder.reserveIndex();
  const written = yield* job.ask({ kind: 'write_memory', node_id, key, value, ...prepared, sequence_index });
  if (written.attempts > 1) job.recorder.record('RETRY_ATTEMPT', { attempt_index: written.attempts - 1, key });
  job.recorder.record('MEMORY_WRITE_RESULT', written);
  if (written.ok) {
    const piece = { key, revision: written.revision, value, timestamp: prepared.timestamp };
    job.written.push(piece);
    job.evidence = [...job.evidence, piece];
    return { kind: 'done' };
  }
  const { error_code, attempts, fault, flagged } = written;
  if (flagged) job.recorder.record('PII_FLAGGED', { ...flagged });
  job.recorder.record('MEMORY_WRITE_FAIL', { key, error_code, attempts, fault });
  return { kind: 'failed', ending: job.failed(job.envelope(error_code, `the memory write failed: ${fault}`)) };
}
