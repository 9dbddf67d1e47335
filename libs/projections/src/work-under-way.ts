import { type JsonObject } from '#lib/kernel';
import { type Checkpoint, type Generation, type ReadStore } from '#lib/read-store';
import { Heartbeat, type LeaseOptions } from './lease.js';

/** Work of some length that one process does, as the others on the same stores see it. */
export interface WorkUnderWay {
  /**
   * Tells the others that it is under way here, and how far it is, until its end.
   * @param id `[a-z0-9-]`, at most 38; @param view how it stands, asked for at each beat
   * @throws what the store throws
   */
  begin(id: string, view: () => JsonObject): Promise<ToldWork>;
  /**
   * How work stands that another process does; null where none does. One that has ended without a word is known by its
   * beat, which stands still: it counts as under way until the lease's length has gone by since it was first looked at.
   * @throws what the store throws
   */
  elsewhere(id: string): Promise<JsonObject | null>;
}

export interface ToldWork {
  /** Says that it is over. */
  end(): Promise<void>;
}

/** Where no other process is on the stores. */
export const NO_OTHERS: WorkUnderWay = {
  begin: () => Promise.resolve({ end: () => Promise.resolve() }),
  elsewhere: () => Promise.resolve(null),
};

/** @param name `[a-z][a-z0-9_-]*`, at most 60: what kind of work; @param lease undefined where no other process is on the stores */
export function workUnderWay(
  documents: ReadStore,
  name: string,
  lease: LeaseOptions | undefined,
  onFault: (error: unknown) => void,
): WorkUnderWay {
  return lease ? new SharedWork(documents, name, lease, onFault) : NO_OTHERS;
}

interface Seen {
  readonly beat: number;
  readonly since: number;
}

class SharedWork implements WorkUnderWay {
  private readonly seen = new Map<string, Seen>();
  private readonly here = new Set<string>();

  constructor(
    private readonly documents: ReadStore,
    private readonly name: string,
    private readonly lease: LeaseOptions,
    private readonly onFault: (error: unknown) => void,
  ) {}

  async begin(id: string, view: () => JsonObject): Promise<ToldWork> {
    const place = this.placeOf(id);
    this.here.add(id);
    await this.documents.prepare(place, []);
    const teller = new Teller(this.documents, place, this.lease.holder, view);
    await teller.tell();
    const heartbeat = new Heartbeat(this.lease.durationMs / 4, () => teller.tell(), this.onFault);
    return {
      end: async () => {
        await heartbeat.end();
        this.here.delete(id);
        await this.documents.drop(place);
      },
    };
  }

  async elsewhere(id: string): Promise<JsonObject | null> {
    const told = this.here.has(id) ? null : await this.documents.runnerState(this.placeOf(id));
    const { beat, holder, view } = told ?? {};
    if (typeof beat !== 'number' || holder === this.lease.holder) {
      this.seen.delete(id);
      return null;
    }
    const now = performance.now();
    const seen = this.seen.get(id);
    if (seen?.beat !== beat) this.seen.set(id, { beat, since: now });
    else if (now - seen.since >= this.lease.durationMs) return null;
    return view as JsonObject;
  }

  private placeOf(id: string): Generation {
    return { projection: this.name, name: `w_${id.replaceAll('-', '_')}` };
  }
}

/** Writes how work stands where others look. */
class Teller {
  private at: Checkpoint | undefined;
  private beat = 0;

  constructor(
    private readonly documents: ReadStore,
    private readonly place: Generation,
    private readonly holder: string,
    private readonly view: () => JsonObject,
  ) {}

  async tell(): Promise<void> {
    // Whoever is fenced, because another began the same work at the same moment, takes its place again: both do it.
    this.at ??= await this.documents.claim(this.place);
    this.beat += 1;
    const runnerState = { holder: this.holder, beat: this.beat, view: this.view() };
    const batch = { changes: [], from: this.at, to: this.at.position, runnerState };
    if ((await this.documents.apply(this.place, batch)) === 'fenced') this.at = undefined;
  }
}
