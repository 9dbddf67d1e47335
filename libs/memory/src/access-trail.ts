import { DuplicateEventError, type EventLog, type LoggedEvent, NO_STATE } from '#lib/event-store';
import type { DomainEvent, Provenance } from '#lib/kernel';

import { EarlierTries } from './earlier-tries.js';
import type { FailureSpool } from './ports.js';
import { isMistake } from './store-faults.js';

/** A text of findings alone leaves a thousand, of about a kilobyte each. */
const AT_ONCE = 256;

/** What a principal's direct commands leave besides their effect, in `access-{principal}` (spec/kernel.md, "Streams"). */
export class AccessTrail {
  private readonly earlier: EarlierTries;
  private draining: Promise<void> | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly spool: FailureSpool,
  ) {
    this.earlier = new EarlierTries(log);
  }

  /**
   * Appends each event once: a request that is refused again makes the same ids. More than fit into one append are
   * appended in parts, of which a later try adds what is missing.
   */
  async append(events: readonly DomainEvent[], provenance: Provenance): Promise<void> {
    const { requestDigest: _, earlierDigests: __, ...bare } = provenance;
    const stream = accessStream(provenance.actor.id);
    for (let from = 0; from < events.length; from += AT_ONCE) {
      const rest = { ...bare, sequenceIndex: provenance.sequenceIndex + from };
      await this.appendTo(stream, events.slice(from, from + AT_ONCE), from === 0 ? provenance : rest);
    }
  }

  private async appendTo(stream: string, events: readonly DomainEvent[], provenance: Provenance): Promise<void> {
    try {
      await this.log.execute({ stream, fold: NO_STATE, provenance, decide: () => events });
    } catch (error) {
      if (!(error instanceof DuplicateEventError)) throw error;
    }
  }

  /** Appends, or spools what the log cannot take now; for what must not change the answer. */
  async appendOrSpool(events: readonly DomainEvent[], provenance: Provenance): Promise<void> {
    try {
      await this.append(events, provenance);
    } catch (error) {
      if (isMistake(error)) throw error;
      // The log is out of reach, which is what the events tell of; they wait where nothing of them is lost.
      const { requestDigest, earlierDigests: _, ...bare } = provenance;
      events.forEach((event, i) => {
        const digest = i === 0 && requestDigest !== undefined ? { requestDigest } : {};
        const numbered = { ...bare, ...digest, sequenceIndex: provenance.sequenceIndex + i };
        this.spool.add({ stream: accessStream(provenance.actor.id), event, provenance: numbered });
      });
    }
  }

  /**
   * Appends what an outage left in the spool; for whoever sees that the log takes appends again, and before the process
   * ends. What it still does not take stays where it is, so that this never fails.
   */
  recover(): Promise<void> {
    if (this.spool.waiting.length === 0) return Promise.resolve();
    this.draining ??= this.spool
      .drain(({ stream, event, provenance }) => this.appendTo(stream, [event], provenance))
      .catch(() => undefined)
      .finally(() => (this.draining = undefined));
    return this.draining;
  }

  /** The newest trace of an earlier try of the same request. */
  findBySeed(principalId: string, seed: string): Promise<LoggedEvent | null> {
    return this.earlier.newest(accessStream(principalId), seed);
  }
}

export function accessStream(principalId: string): string {
  return `access-${principalId}`;
}
