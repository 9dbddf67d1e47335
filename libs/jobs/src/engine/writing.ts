import { canonicalize } from '#lib/kernel';

import type { AgentResult } from './effects.js';
import type { Ending, Job, Steps } from './job.js';

/**
 * A write that the asking user asked for; a store's fault on it was answered by exactly one retry (spec/memory.md).
 * @returns how the job ends where the write failed; null where there was none, or it is done
 */
export function* writeAsked(job: Job, result: Extract<AgentResult, { kind: 'answer' }>): Steps<Ending | null> {
  if (!result.memory_write) return null;
  const { key, value } = result.memory_write;
  const known = job.evidence.find((piece) => piece.key === key && canonicalize(piece.value) === canonicalize(value));
  if (known) return null;
  const { user_id } = job.input.accepted;
  const prepared = yield* job.ask({ kind: 'prepare_write', key });
  job.recorder.record('MEMORY_WRITE_REQUESTED', { user_id, key, value, ...prepared });
  const sequence_index = job.recorder.reserveIndex();
  const written = yield* job.ask({ kind: 'write_memory', key, value, ...prepared, sequence_index });
  if (written.attempts > 1) job.recorder.record('RETRY_ATTEMPT', { attempt_index: written.attempts - 1, key });
  job.recorder.record('MEMORY_WRITE_RESULT', written);
  if (written.ok) {
    job.evidence = [...job.evidence, { key, revision: written.revision, value, timestamp: prepared.timestamp }];
    return null;
  }
  const { error_code, attempts, fault } = written;
  job.recorder.record('MEMORY_WRITE_FAIL', { key, error_code, attempts, fault });
  return job.failed(job.error(error_code, `the memory write failed: ${fault}`));
}
