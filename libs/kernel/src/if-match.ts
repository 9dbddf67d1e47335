import { failure } from './errors.js';

/**
 * Revision at which a resource is to be, as its ETag told it, or several, of which one is enough; none where no tag that
 * was named can be one of ours. 'any' where it only has to be there (`If-Match: *`).
 */
export type IfMatch = number | readonly number[] | 'any';

/** A command that may be bound to a revision. */
export interface Conditional {
  readonly ifMatch?: IfMatch | undefined;
}

/**
 * Holds a command to the revision that its caller has read. To be called with the state on which its events are
 * appended, inside the decision: what is written in between then leads to another decision, and to this refusal.
 * @param current revision as the ETag tells it; undefined where nothing is there
 * @throws MaceError PRECONDITION_FAILED
 */
export function requireMatch({ ifMatch }: Conditional, current: number | undefined): void {
  if (ifMatch === undefined) return;
  const revisions = typeof ifMatch === 'number' ? [ifMatch] : ifMatch;
  if (current !== undefined && (revisions === 'any' || revisions.includes(current))) return;
  const asked = revisions === 'any' ? 'any revision' : revisionsText(revisions);
  const found = current === undefined ? 'there is none' : `the revision is ${current}`;
  throw failure('PRECONDITION_FAILED', 'revision', { asked, found });
}

/**
 * What was decided, where the resource is as the caller read it. What would be refused anyway was refused by then (RFC
 * 9110, 13.2.1), and where nothing is to be written nothing can be lost: a request that comes again has its answer.
 * @throws MaceError PRECONDITION_FAILED
 */
export function whereMatched<T extends readonly unknown[]>(
  command: Conditional,
  current: number | undefined,
  decided: T,
): T {
  if (decided.length > 0) requireMatch(command, current);
  return decided;
}

/** How many of the revisions that were asked for a refusal names. */
const NAMED = 3;

function revisionsText(revisions: readonly number[]): string {
  if (revisions.length === 0) return 'no strong tag of this server';
  const more = revisions.length > NAMED ? ` and ${revisions.length - NAMED} more` : '';
  return `revision ${revisions.slice(0, NAMED).join(' or ')}${more}`;
}
