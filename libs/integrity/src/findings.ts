import type { Fault } from './domain/fault.js';
import type { IntegrityRecord } from './integrity-record.js';

/** Takes a kind of record out of use that was found to be other than it was signed. */
export interface Quarantine {
  /** What the names of its streams begin with. */
  readonly prefix: string;
  /** Whether what it appends for a fault says itself what was found, so that nothing else needs to. */
  records(fault: Fault): boolean;
  /**
   * Again is no error.
   * @param causeId event_id of the INTEGRITY_FAILURE that this follows from; null where this is what records it
   */
  take(fault: Fault, causeId: string | null): Promise<void>;
}

/** Puts faults on record, each once, and what they are of out of use. The alert is a reactor's. */
export class Findings {
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly record: IntegrityRecord,
    private readonly quarantines: readonly Quarantine[],
    /** Told of what could not be recorded or quarantined; the walk goes on. */
    private readonly onTrouble: (error: unknown) => void,
  ) {}

  /** In the order in which they are given; `settled` waits for them. */
  take(faults: readonly Fault[]): void {
    for (const fault of faults) this.last = this.last.then(() => this.one(fault)).catch(this.onTrouble);
  }

  /** Takes out of use what these are of, without a record of each in `system-integrity`; resolves when it is. */
  withdraw(faults: readonly Fault[]): Promise<void> {
    for (const fault of faults)
      this.last = this.last.then(() => this.quarantineOf(fault)?.take(fault, null)).catch(this.onTrouble);
    return this.last;
  }

  settled(): Promise<void> {
    return this.last;
  }

  private async one(fault: Fault): Promise<void> {
    const quarantine = this.quarantineOf(fault);
    const records = quarantine?.records(fault) ?? false;
    if (quarantine && records) {
      try {
        return await quarantine.take(fault, null);
      } catch (error) {
        // Where its own stream cannot say it, the general one does.
        this.onTrouble(error);
      }
    }
    const { eventId } = await this.record.failure(fault);
    if (quarantine && !records) await quarantine.take(fault, eventId);
  }

  private quarantineOf({ stream }: Fault): Quarantine | undefined {
    return this.quarantines.find(({ prefix }) => stream?.startsWith(prefix));
  }
}
