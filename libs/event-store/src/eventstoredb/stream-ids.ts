/** So many ids are kept of all streams together, about 25 MB; the stream used longest ago goes first. */
const MAX_IDS = 500_000;
/** 52 bits: a number holds them exactly. */
const FINGERPRINT_DIGITS = 13;

const fingerprint = (id: string): number => parseInt(id.slice(0, FINGERPRINT_DIGITS), 16);

/** Where the ids of a stream stand, of its first `version` events. */
export class IdsOfStream {
  private readonly revisions = new Map<number, number>();
  version = 0;

  get size(): number {
    return this.revisions.size;
  }

  /** Taken in order; what is known already, or lies beyond a gap, is not taken. */
  take(revision: number, id: string): void {
    if (revision !== this.version) return;
    this.revisions.set(fingerprint(id), revision);
    this.version = revision + 1;
  }

  /** Where an id stands, if it does; another id may stand there, once in 10^15. */
  find(id: string): number | undefined {
    return this.revisions.get(fingerprint(id));
  }
}

/**
 * The ids of streams that this process has read or written. The server looks for an id only at the place where it is
 * asked to write it; elsewhere in the stream, looking is ours to do.
 */
export class StreamIds {
  private readonly streams = new Map<string, IdsOfStream>();
  private count = 0;

  constructor(private readonly maxIds = MAX_IDS) {}

  of(stream: string): IdsOfStream {
    const known = this.streams.get(stream);
    if (known) {
      this.streams.delete(stream);
      this.streams.set(stream, known);
      return known;
    }
    const fresh = new IdsOfStream();
    this.streams.set(stream, fresh);
    return fresh;
  }

  take(stream: string, events: readonly { readonly revision: number; readonly id: string }[]): void {
    if (events.length === 0) return;
    const ids = this.of(stream);
    const before = ids.size;
    for (const { revision, id } of events) ids.take(revision, id);
    this.count += ids.size - before;
    this.makeRoom(ids);
  }

  forget(stream: string): void {
    this.count -= this.streams.get(stream)?.size ?? 0;
    this.streams.delete(stream);
  }

  private makeRoom(used: IdsOfStream): void {
    for (const [stream, ids] of this.streams) {
      if (this.count <= this.maxIds) return;
      if (ids !== used) this.forget(stream);
    }
  }
}
