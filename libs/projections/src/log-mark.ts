import { comparePositions, eventAt, type EventStore, positionOf, type RecordedEvent, START } from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';
import { type Checkpoint, type Generation, type ReadStore } from '#lib/read-store';

import { isPosition } from './owed-event.js';
import { REACTOR, seenTo } from './reactor-place.js';

export interface LogMarkOptions {
  readonly events: EventStore;
  readonly documents: ReadStore;
  /** Told why the read models were dropped. */
  readonly onForeign: (reason: string) => void;
  /** How often the mark follows the head; default 2000. */
  readonly everyMs?: number;
}

const MARK: Generation = { projection: 'log-mark', name: 'v1' };

/**
 * Ties a read store to the log that it was made from: beside the checkpoints it keeps the hash of an event near the head.
 * A checkpoint beyond the head, or an event that is not the one marked, is the work of another log or of a later state
 * of this one, as after a restored backup. What was made from it says nothing of this log and is dropped; projections
 * and reactors then begin at the start, where reactors find that what they would append is there.
 */
export class LogMark {
  private timer: NodeJS.Timeout | undefined;
  private keeping: Promise<void> = Promise.resolve();

  private constructor(
    private readonly events: EventStore,
    private readonly documents: ReadStore,
    private kept: Checkpoint,
  ) {}

  /** Before anything reads the read store; settles once it holds nothing of another log. */
  static async open({ events, documents, onForeign, everyMs = 2000 }: LogMarkOptions): Promise<LogMark> {
    const reason = await foreignness(events, documents);
    if (reason !== null) {
      await dropAll(documents);
      onForeign(reason);
    }
    await documents.prepare(MARK, []);
    const mark = new LogMark(events, documents, await documents.claim(MARK));
    await mark.keep();
    // A beat that is missed leaves an older mark, which is as true; the close reports what is wrong with the stores.
    const beat = (): void => void mark.keep().catch(() => undefined);
    mark.timer = setInterval(beat, everyMs).unref();
    return mark;
  }

  /** Marks the head as it is now. */
  keep(): Promise<void> {
    this.keeping = this.keeping.catch(() => undefined).then(() => this.moveToHead());
    return this.keeping;
  }

  /** Before the stores are closed; a mark that cannot be moved any more stays where it is. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.keep().catch(() => undefined);
  }

  private async moveToHead(): Promise<void> {
    const event = await lastEvent(this.events);
    if (!event || event.position === this.kept.position) return;
    const runnerState = { event_hash: hashOf(event) };
    const batch = { changes: [], from: this.kept, to: event.position, runnerState };
    // Of several processes whoever opened it last keeps it; an older mark is as true.
    if ((await this.documents.apply(MARK, batch)) === 'applied') this.kept = { ...this.kept, position: event.position };
  }
}

/** Why the read store is not of this log; null where nothing says so. */
async function foreignness(events: EventStore, documents: ReadStore): Promise<string | null> {
  for (const generation of await documents.generations()) {
    const answered: string = (await documents.checkpoint(generation))?.position ?? START;
    if (!isPosition(answered)) return `${generation.projection} is at no position`;
    const seen = await seenOf(documents, generation);
    const at = seen !== null && comparePositions(positionOf(seen), positionOf(answered)) > 0 ? seen : answered;
    // After the checkpoint: other processes may append, and move it, meanwhile.
    const head = await events.head();
    if (comparePositions(positionOf(at), head) <= 0) continue;
    return `${generation.projection} is at ${at}, beyond the last event at ${head}`;
  }
  const marked = await markIn(documents);
  if (!marked) return null;
  const event = await eventAt(events, positionOf(marked.position));
  return event && hashOf(event) === marked.hash ? null : `the event at ${marked.position} is another one`;
}

/** How far a reactor is that owes an answer to something behind that. */
async function seenOf(documents: ReadStore, generation: Generation): Promise<string | null> {
  return generation.name === REACTOR ? seenTo(await documents.runnerState(generation)) : null;
}

/** Position and hash as they were written together, though another process may write them now. */
async function markIn(documents: ReadStore): Promise<{ readonly position: string; readonly hash: unknown } | null> {
  for (;;) {
    const before = await documents.checkpoint(MARK);
    if (!before || before.position === START) return null;
    const hash = (await documents.runnerState(MARK))?.['event_hash'];
    if ((await documents.checkpoint(MARK))?.position === before.position) return { position: before.position, hash };
  }
}

/** The mark goes last: a drop that a crash breaks off is found and done again. */
async function dropAll(documents: ReadStore): Promise<void> {
  for (const generation of await documents.generations()) {
    if (generation.projection !== MARK.projection) await documents.drop(generation);
  }
  await documents.drop(MARK);
}

function hashOf({ stream, id, text }: RecordedEvent): string {
  return sha256Hex(`${stream}\n${id}\n${text}`);
}

async function lastEvent(events: EventStore): Promise<RecordedEvent | undefined> {
  const head = await events.head();
  return head === START ? undefined : eventAt(events, head);
}
