import type { NegotiationProposed } from './domain/negotiation.events.js';
import { personOfId } from './person-of-id.js';

/** Normal forms of the critics that a negotiation asks, without those that no principal can have. */
export function askedBy({ requested_critics }: NegotiationProposed): readonly string[] {
  return requested_critics.map(personOfId).filter((person) => person !== null);
}
