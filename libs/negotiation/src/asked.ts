import { personOfId } from './person-of-id.js';

/** Normal forms of critics, as `askedCritics` gives them, without those that no principal can have. */
export function peopleAsked(critics: readonly string[]): readonly string[] {
  return critics.map(personOfId).filter((person) => person !== null);
}
