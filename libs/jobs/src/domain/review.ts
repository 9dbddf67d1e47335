import type { JsonObject } from '#lib/kernel';

import type { Amendment, AuthorRole } from './amendments.events.js';
import { dataOf } from './job-result.js';
import type { IdentifiedEvent } from './reflective-log.js';

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
 * A ruling as an amendment's changes. Approved means: the last candidate that the critics could not agree on stands, so
 * that its text is the final answer; it is left out where it was erased.
 * @param events the job's, in plain
 */
export function rulingChanges({ ruling, request_id }: Ruling, events: readonly IdentifiedEvent[]): JsonObject {
  if (ruling === 'rejected') return { ruling, request_id };
  const asked = dataOf<{ candidate_event_ids: readonly string[] }>(events, 'ACTION_REQUESTED');
  const candidate = events.findLast(
    ({ event_id, data }) => data['outcome'] === 'answer' && asked?.candidate_event_ids.includes(event_id),
  );
  if (!candidate) return { ruling, request_id };
  const { text } = candidate.data;
  return {
    ruling,
    request_id,
    candidate_event_id: candidate.event_id,
    ...(typeof text === 'string' ? { final_answer: text } : {}),
  };
}
