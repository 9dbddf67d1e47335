import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';

import { NO_ROOM } from '../no-room.js';
import { comparePositions, type EventStore, type Position, START } from '../port.js';

/** Room an event takes beside its text: row, index entries and its share of half-filled pages, rounded up. */
export const EVENT_OVERHEAD_BYTES = 512;

const PAGE = 256;
const FLUSH_MS = 10_000;
/** Names and numbers of 100,000 principals take some 6 MiB; of others beyond them only the log would know. */
const MOST_PRINCIPALS = 100_000;

interface Kept {
  readonly position: Position;
  readonly bytes: Readonly<Record<string, number>>;
}

/**
 * How many bytes each principal's events and artifacts take, in a file of the data folder that is made again from the log
 * where it is missing. What is not in the file yet is counted from the log at the next start; of artifacts, the last ten
 * seconds before a kill are not.
 */
export class PrincipalUsage {
  private readonly bytes = new Map<string, number>();
  private position: Position;
  private isCounted = false;
  private isChanged = false;
  private ended = false;
  private readonly timer: NodeJS.Timeout;
  private counting: Promise<void> = Promise.resolve();

  /** @param file its path. @param onFault told of what could not be counted or kept; the next start counts it again */
  constructor(
    private readonly file: string,
    private readonly onFault: (error: unknown) => void,
  ) {
    const kept = readKept(file);
    this.position = kept.position;
    for (const [principal, bytes] of Object.entries(kept.bytes)) this.add(principal, bytes);
    this.timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  of(principal: string): number {
    return this.bytes.get(principal) ?? 0;
  }

  add(principal: string, bytes: number): void {
    const known = this.bytes.get(principal);
    if (bytes === 0 || (known === undefined && this.bytes.size >= MOST_PRINCIPALS)) return;
    this.bytes.set(principal, Math.max(0, (known ?? 0) + bytes));
    this.isChanged = true;
  }

  /** Everything up to here is counted. */
  reach(position: string): void {
    if (comparePositions(position as Position, this.position) > 0) this.position = position as Position;
  }

  /** Counts what the log has up to now and the file has not, a page at a time beside other work. */
  countFrom(store: Pick<EventStore, 'head' | 'readAll'>): void {
    const from = this.position;
    this.counting = this.countUpTo(store, from).catch(this.onFault);
  }

  /** Without a log of its own: what others store is counted where they are. */
  countOwn(): void {
    this.isCounted = true;
  }

  /** Once what the log had at the call of `countFrom` is counted. */
  settled(): Promise<void> {
    return this.counting;
  }

  async close(): Promise<void> {
    this.ended = true;
    clearInterval(this.timer);
    await this.counting;
    await this.flush();
  }

  private async countUpTo(store: Pick<EventStore, 'head' | 'readAll'>, from: Position): Promise<void> {
    const head = await store.head();
    let after = from;
    if (comparePositions(after, head) > 0) {
      // The log was put back to what it was before.
      this.bytes.clear();
      after = START;
      this.position = head;
    }
    while (!this.ended && comparePositions(after, head) < 0) {
      const { events, scannedTo, atHead } = await store.readAll({ after, limit: PAGE });
      for (const { position, text } of events) {
        if (comparePositions(position, head) > 0) break;
        this.add(actorOf(text), Buffer.byteLength(text) + EVENT_OVERHEAD_BYTES);
      }
      after = scannedTo;
      if (atHead) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.ended) return;
    this.reach(head);
    this.isCounted = true;
  }

  /** Where it has not been counted to the end the file stays as it was. */
  private async flush(): Promise<void> {
    if (!this.isCounted || !this.isChanged) return;
    const kept: Kept = { position: this.position, bytes: Object.fromEntries(this.bytes) };
    try {
      this.isChanged = false;
      await writeFile(`${this.file}.new`, JSON.stringify(kept), { mode: 0o600 });
      await rename(`${this.file}.new`, this.file);
    } catch (error) {
      this.isChanged = true;
      // Without room it is written later; who refuses writes tells of the shortage.
      if (!NO_ROOM.has((error as NodeJS.ErrnoException).code ?? '')) this.onFault(error);
    }
  }
}

function readKept(file: string): Kept {
  try {
    const { position, bytes } = JSON.parse(readFileSync(file, 'utf8')) as Kept;
    const isForm = /^\d{1,20}$/.test(position) && Object.values(bytes).every((one) => Number.isSafeInteger(one));
    if (isForm) return { position, bytes };
  } catch {
    // Missing or torn: it is made again from the log.
  }
  return { position: START, bytes: {} };
}

/** An event that does not parse is told where it is verified. */
function actorOf(text: string): string {
  try {
    const { metadata } = JSON.parse(text) as { readonly metadata: { readonly actor: { readonly id: string } } };
    return metadata.actor.id;
  } catch {
    return 'system';
  }
}
