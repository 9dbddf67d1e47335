import type { ErrorCode, Json, JsonObject } from '#lib/kernel';

import type { Amendment, AuthorRole } from './amendments.events.js';
import { dataOf, type JobResult } from './job-result.js';
import { type IdentifiedEvent, lastAnswerOf } from './reflective-log.js';

/** A person's ruling on a sealed job, as GET /jobs/{job_id} shows it (spec/decisions.md "ReflectiveLog"). */
export interface Review {
  readonly amendment_id: string;
  readonly author_role: RulingRole;
  readonly changes: JsonObject;
  readonly at: string;
}

/** What people decided of a request for review. */
export interface Ruling {
  readonly job_id: string;
  readonly request_id: string;
  readonly ruling: 'approved' | 'rejected';
  readonly author_role: 'council' | 'emergency';
  /** Real time of the decision, ISO 8601. */
  readonly decided_at: string;
}

/** As whom somebody rules; an owner's own suggestion rules on nothing. */
export type RulingRole = Exclude<AuthorRole, 'owner'>;

/** Whose word goes before whose. */
const AUTHORITY: readonly RulingRole[] = ['admin', 'emergency', 'council'];

/**
 * The newest ruling of the highest authority: an admin's later one does not hide what the council decided. What is
 * personal in the amendments is not looked at.
 */
export function rulingThatCounts(amendments: readonly Amendment[]): Amendment | null {
  const rulings = amendments.filter(isRuling);
  const rank = ({ author_role }: RulingAmendment): number => AUTHORITY.indexOf(author_role);
  const highest = Math.max(...rulings.map(rank));
  return rulings.findLast((ruling) => rank(ruling) === highest) ?? null;
}

/** An amendment as a job's review; null where it rules on nothing. */
export function reviewIn(amendment: Amendment): Review | null {
  if (!isRuling(amendment)) return null;
  const { amendment_id, author_role, changes, created_at } = amendment;
  return { amendment_id, author_role, changes, at: created_at };
}

type RulingAmendment = Amendment & { readonly author_role: RulingRole };

function isRuling(amendment: Amendment): amendment is RulingAmendment {
  return amendment.effect === 'override_suggestion' && amendment.author_role !== 'owner';
}

/**
 * A ruling as an amendment's changes. Approved means: the answer that was given stands, or where none was the last one
 * that the critics saw, so that its text is the final answer; it is left out where it was erased.
 * @param events the job's, in plain
 */
export function rulingChanges({ ruling, request_id }: Ruling, events: readonly IdentifiedEvent[]): JsonObject {
  const candidate = ruling === 'approved' ? lastAnswerOf(events) : null;
  if (!candidate) return { ruling, request_id };
  const text = textOf(candidate, events);
  return {
    ruling,
    request_id,
    candidate_event_id: candidate.event_id,
    ...(typeof text === 'string' ? { final_answer: text } : {}),
  };
}

/** Of an output that was not kept, what is left is the answer that was given. */
function textOf({ data }: IdentifiedEvent, events: readonly IdentifiedEvent[]): Json | undefined {
  if (data['output_hash'] === undefined) return data['text'];
  return dataOf<JsonObject>(events, 'REFLECTIVE_LOG_WRITTEN')?.['final_answer'];
}

/** What a person is offered a human review of, by what they were told (seed 001: D, E and F). */
export const REVIEW_OFFERS: readonly ErrorCode[] = ['COUNCIL_DEADLOCK', 'REPAIR_LIMIT_EXCEEDED', 'LOW_CONFIDENCE'];

/** The failure for which a sealed job's person was offered a human review; null where none was. */
export function offeredFor({ error, notices }: Pick<JobResult, 'error' | 'notices'>): ErrorCode | null {
  const told = [...(error ? [error] : []), ...notices].map(({ error_code }) => error_code);
  return REVIEW_OFFERS.find((code) => told.includes(code)) ?? null;
}
