import { canonicalize, equalInConstantTime, HmacKey, type KeyRing } from '#lib/kernel';

import type { SpooledEvent } from './ports.js';

const PURPOSE = 'failure-spool';

/** A line that is not what this server spooled; the message says why. */
export class SpoolLineError extends Error {
  override readonly name = 'SpoolLineError';
}

/**
 * Events as lines of a file, under a MAC: what stands there is signed and appended by the server, so that whoever could
 * write a line of their own would have any event signed. Nor may a key that was rotated away speak for the one that signs.
 */
export class SpoolLines {
  private readonly kid: string;
  private readonly mac: HmacKey;

  constructor(ring: KeyRing) {
    // Whatever the clock says: nothing is signed as of a time.
    const key = ring.all().find(({ purpose, state }) => purpose === 'event-hmac' && state === 'active');
    if (!key) throw new RangeError('a ring without a key that signs events');
    this.kid = key.kid;
    this.mac = new HmacKey(ring.subkey(key, PURPOSE));
  }

  lineOf({ stream, event, provenance }: SpooledEvent): string {
    const spooled = { event, provenance, stream };
    return JSON.stringify({ ...spooled, kid: this.kid, mac: this.macOf(JSON.parse(JSON.stringify(spooled))) });
  }

  /** @throws SpoolLineError */
  eventIn(line: string): SpooledEvent {
    const { stream, event, provenance, kid, mac } = membersOf(line);
    const texts = [stream, event?.type, provenance?.jobSeed, provenance?.traceId, provenance?.actor?.id];
    const isComplete = texts.every((text) => typeof text === 'string') && typeof event?.data === 'object';
    if (!isComplete || !Number.isSafeInteger(provenance?.sequenceIndex)) throw new SpoolLineError('no spooled event');
    if (typeof kid !== 'string' || typeof mac !== 'string') throw new SpoolLineError('an event under no MAC');
    if (kid !== this.kid) throw new SpoolLineError('under a key that signs no events now');
    if (!equalInConstantTime(this.macOf({ event, provenance, stream }), mac))
      throw new SpoolLineError('not what the server wrote');
    return { stream, event, provenance } as SpooledEvent;
  }

  private macOf(spooled: unknown): string {
    return this.mac.hex(canonicalize(spooled));
  }
}

type Members = Partial<SpooledEvent> & { readonly kid?: unknown; readonly mac?: unknown };

function membersOf(line: string): Members {
  try {
    return (JSON.parse(line) as Members | null) ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) throw new SpoolLineError('cut off, or no JSON');
    throw error;
  }
}
