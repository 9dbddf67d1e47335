/** One byte says whether a message is compressed, four how long it is. */
const PREFIX_BYTES = 5;

/** A message as its prefix announces it. */
export interface Announced {
  readonly isCompressed: boolean;
  readonly bytes: number;
}

/** Reads where messages begin in the bytes of a call (gRPC over HTTP/2, "Length-Prefixed-Message"). */
export class MessagePrefixes {
  private readonly prefix = Buffer.alloc(PREFIX_BYTES);
  private known = 0;
  private rest = 0;

  /** Messages whose prefix ends in these bytes. */
  in(chunk: Uint8Array): readonly Announced[] {
    const found: Announced[] = [];
    let at = 0;
    while (at < chunk.length) {
      const passed = Math.min(this.rest, chunk.length - at);
      this.rest -= passed;
      at += passed;
      if (this.rest > 0 || at === chunk.length) break;
      this.prefix[this.known++] = chunk[at++]!;
      if (this.known < PREFIX_BYTES) continue;
      this.known = 0;
      this.rest = this.prefix.readUInt32BE(1);
      found.push({ isCompressed: this.prefix[0] === 1, bytes: this.rest });
    }
    return found;
  }
}
