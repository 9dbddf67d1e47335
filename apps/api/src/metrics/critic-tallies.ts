import type { UnavailabilityReason } from '#lib/negotiation';

import { Tally } from './tally.js';

/** More critics than these are told apart by no label. */
export const MAX_NAMED_CRITICS = 100;
const OTHER = 'other';
/** Of a critic that had registered. */
const OF_REGISTERED: readonly UnavailabilityReason[] = ['silent', 'unhealthy'];

/**
 * Votes and absences by critic. Proposals name whom they like, and people vote as well: a label is the id of a critic that
 * registered and was heard of by this process, and `other` for everybody else.
 */
export class CriticTallies {
  readonly votes = new Tally(['critic']);
  readonly absences = new Tally(['critic', 'reason']);
  private readonly registered = new Set<string>();

  /** A critic has registered, or said how it is. */
  heardOf(critic: string): void {
    if (this.registered.size < MAX_NAMED_CRITICS) this.registered.add(critic);
  }

  voted(critic: string): void {
    this.votes.count(this.labelOf(critic));
  }

  missed(critic: string, reason: UnavailabilityReason): void {
    if (OF_REGISTERED.includes(reason)) this.heardOf(critic);
    this.absences.count(`${this.labelOf(critic)} ${reason}`);
  }

  private labelOf(critic: string): string {
    return this.registered.has(critic) ? critic : OTHER;
  }
}
