import { type Json, MaceError } from '#lib/kernel';
import { mayWrite, parseCanonicalKey } from '#lib/memory';
import { allows, WRITE_ACTION } from '#lib/selfrep';

import type { EvidenceKept } from './effects.js';
import type { Job, Steps } from './job.js';
import { moduleOf } from './modules.js';
import type { Place } from './place.js';

/**
 * An answer that asks for a write, of a module whose pinned policy does not allow one, or under a key that is not the
 * asking person's own: a turn writes no more than they may, as it reads no more. Nothing is written, and what was asked
 * for is evidence.
 * @returns whether it was refused
 */
export function* refuseWrite(job: Job, place: Place, target: { key: string; value: Json }): Steps<boolean> {
  const policy = moduleOf(job.input.modules, place.node_id)?.policy;
  if (policy && allows(policy, WRITE_ACTION) && isOwn(target.key, job.input.accepted.user_id)) return false;
  const kept = yield* job.ask({ kind: 'keep_evidence', ...place, action: WRITE_ACTION, target });
  recordViolation(job, place, { action: WRITE_ACTION, ...kept });
  return true;
}

/** Whether a person may write under a key as a user, with no role besides (spec/memory.md "SEM"). */
function isOwn(key: string, id: string): boolean {
  try {
    return mayWrite({ id, roles: ['user'], elevated: false }, parseCanonicalKey(key), []).right === 'granted';
  } catch (error) {
    // A name that is no key is nobody's.
    if (error instanceof MaceError) return false;
    throw error;
  }
}

/** The job goes on without the module; a reactor takes it offline, for the event's sake (seed 000, E). */
export function recordViolation(job: Job, place: Place, violation: { readonly action: string } & EvidenceKept): void {
  const { agent_id, node_id } = place;
  const { action, evidence_ref } = violation;
  const { job_id } = job.input.accepted;
  const evidence = evidence_ref === null ? {} : { evidence_ref };
  job.recorder.record('POLICY_VIOLATION', { job_id, ...place, action, ...evidence });
  job.failures.push({ node_id, reason: 'policy violation' });
  job.notices.push(job.error('PERMISSION_DENIED', 'module', { agent_id, action }));
}
