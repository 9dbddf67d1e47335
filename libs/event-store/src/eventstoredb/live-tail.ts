import { setTimeout as rest } from 'node:timers/promises';

import { HeadSignal } from '../live-pages.js';
import { comparePositions, type Page, type Position, type ReadAllOptions, type RecordedEvent, START } from '../port.js';
import { catchUp, type CatchUpOptions } from './catch-up.js';
import type { Connection } from './connection.js';
import { quietly } from './failures.js';
import type { Reader } from './reader.js';
import { TailVersions } from './tail-versions.js';

/** Enough for what a burst of appends brings; who is further behind catches up on a subscription of its own. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const PAGE = 256;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 5_000;

/** Of who waits for a position: looks whether it has come, and waits no longer where that is over. */
type Look = (isOver: boolean) => void;

/** The head, asked for until the server answers; undefined where the signal comes first. */
export async function headWhenever(
  reader: Reader,
  signal: AbortSignal,
  onFault: CatchUpOptions['onDrop'],
): Promise<Position | undefined> {
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await reader.head();
    } catch (error) {
      if (signal.aborted) return undefined;
      onFault?.(error);
      await quietly(rest(pause, undefined, { signal }));
    }
  }
  return undefined;
}

/**
 * The live end of the log, followed once for all subscribers of this process. Each of a dozen would otherwise have every
 * event sent and decoded for itself, and the server drops a live subscriber that lags: this one only puts what comes
 * aside, so it does not, and who is slow here loses nothing but its place.
 */
export class LiveTail {
  readonly signal = new HeadSignal();
  /** Versions of the streams that were asked for, as of what `reached` waits for. */
  readonly versions = new TailVersions();
  private readonly ends = new AbortController();
  private readonly looking = new Set<Look>();
  private readonly events: RecordedEvent[] = [];
  private characters = 0;
  /** What lies behind this position, up to `last`, is here; undefined before the first answer of the server. */
  private begin: Position | undefined;
  private last: Position | undefined;
  private readonly following: Promise<void>;
  /** Settles once the tail has its beginning, or was closed. */
  readonly begun: Promise<void>;
  private tellBegun: () => void = () => undefined;

  constructor(
    private readonly connection: Connection,
    private readonly reader: Reader,
    private readonly onDrop: CatchUpOptions['onDrop'],
  ) {
    this.begun = new Promise((resolve) => (this.tellBegun = resolve));
    this.following = this.follow().finally(this.tellBegun);
  }

  /** Whether what lies behind a position is here. */
  reaches(position: Position): boolean {
    return this.begin !== undefined && comparePositions(position, this.begin) >= 0;
  }

  /** Where the tail begins: who has read up to here needs no other source. */
  get start(): Position | undefined {
    return this.begin;
  }

  /** What lies behind `after`, which this tail reaches. */
  read({ after, limit, types }: ReadAllOptions): Page {
    const last = this.last!;
    if (comparePositions(after, last) >= 0) return { events: [], scannedTo: after, atHead: true };
    const found: RecordedEvent[] = [];
    for (let i = this.indexAfter(after); i < this.events.length; i++) {
      const event = this.events[i]!;
      if (types && !types.includes(event.type)) continue;
      found.push(event);
      if (found.length === limit) return { events: found, scannedTo: event.position, atHead: event.position === last };
    }
    return { events: found, scannedTo: last, atHead: true };
  }

  /**
   * Waits until what stands up to a position has come, for as long as anything comes and the connection stands.
   * @param stillMs without anything that comes
   * @returns whether it has
   */
  reached(position: Position, stillMs: number): Promise<boolean> {
    const hasCome = (): boolean => this.last !== undefined && comparePositions(this.last, position) >= 0;
    if (hasCome()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const look: Look = (isOver) => {
        if (!isOver && !hasCome()) return void timer.refresh();
        clearTimeout(timer);
        this.looking.delete(look);
        resolve(hasCome());
      };
      const timer = setTimeout(look, stillMs, true);
      this.looking.add(look);
    });
  }

  async close(): Promise<void> {
    this.signal.close();
    this.ends.abort();
    this.lookAll(true);
    await this.following;
  }

  private async follow(): Promise<void> {
    const { signal } = this.ends;
    const head = await headWhenever(this.reader, signal, this.onDrop);
    if (head === undefined) return;
    this.begin = this.last = head;
    if (head === START) this.versions.beginsWithTheLog();
    this.tellBegun();
    const onCut = (stream: string): void => this.versions.forget(stream);
    const onDrop = (error: unknown): void => this.dropped(error);
    for await (const item of catchUp(this.connection, { after: head, pageSize: PAGE, signal, onDrop, onCut })) {
      if (item.kind !== 'page') continue;
      for (const event of item.page.events) this.push(event);
      this.wake();
    }
  }

  /** Behind another connection may be another server, or a database that was put back. */
  private dropped(error: unknown): void {
    this.versions.forgetAll();
    this.lookAll(true);
    this.onDrop?.(error);
  }

  private push(event: RecordedEvent): void {
    this.events.push(event);
    this.characters += event.text.length;
    this.last = event.position;
    this.versions.saw(event.stream, event.revision);
    while (this.characters > MAX_CHARACTERS && this.events.length > 1) {
      const oldest = this.events.shift()!;
      this.characters -= oldest.text.length;
      this.begin = oldest.position;
    }
  }

  private wake(): void {
    this.reader.saw(this.last!);
    this.signal.moveTo(this.last!);
    this.lookAll(false);
  }

  private lookAll(isOver: boolean): void {
    for (const look of this.looking) look(isOver);
  }

  /** Index of the first event behind a position; looked for from the end, where readers are. */
  private indexAfter(position: Position): number {
    let i = this.events.length;
    while (i > 0 && comparePositions(this.events[i - 1]!.position, position) > 0) i--;
    return i;
  }
}
