import { type EventLog, type EventStore, type Position, START } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';

const PAGE = 1000;
const TYPES = ['SUBJECT_KEYS_DESTROYED', 'SUBJECT_ERASED'];

/** Since when no process can have a data key any more, by kid: the position of the SUBJECT_ERASED that ended its erasure. */
class EndedKeys {
  private readonly since = new Map<string, Position>();
  private readonly underway = new Map<string, readonly string[]>();
  private after: Position = START;
  private last: Promise<void> = Promise.resolve();

  async of(log: EventLog): Promise<ReadonlyMap<string, Position>> {
    // One after another; each reads only what was appended since.
    this.last = this.last.catch(() => undefined).then(() => this.follow(log));
    await this.last;
    return this.since;
  }

  private async follow(log: EventLog): Promise<void> {
    for (let atHead = false; !atHead;) {
      const page = await log.store.readAll({ after: this.after, limit: PAGE, types: TYPES });
      // What nobody signed is a walk's to name, and ends no key.
      for (const recorded of page.events)
        this.take(recorded.type, log.codec.signedAlone(recorded)?.data, recorded.position);
      this.after = page.scannedTo;
      atHead = page.atHead;
    }
  }

  private take(type: string, { dsr_id, kids }: JsonObject = {}, position: Position): void {
    if (typeof dsr_id !== 'string') return;
    if (type === 'SUBJECT_KEYS_DESTROYED') this.underway.set(dsr_id, Array.isArray(kids) ? (kids as string[]) : []);
    else for (const kid of this.underway.get(dsr_id) ?? []) if (!this.since.has(kid)) this.since.set(kid, position);
  }
}

const known = new WeakMap<EventStore, EndedKeys>();

/** As signed events say it; what is not signed is passed over. */
export function endedKeys(log: EventLog): Promise<ReadonlyMap<string, Position>> {
  const keys = known.get(log.store) ?? new EndedKeys();
  known.set(log.store, keys);
  return keys.of(log);
}
