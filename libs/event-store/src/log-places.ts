import { createHash, type Hash } from 'node:crypto';

import { sha256Hex } from '#lib/kernel';

/** Of an event_id, what is kept beside the place of its event. */
export const ID_PREFIX_LENGTH = 16;

/** Which event stands at which position, of the events of a log from its first on, as one digest. */
export interface LogPlaces {
  /** Over the digests of the ranges, each with that of those before it; empty for no events. */
  readonly digest: string;
  /** Events that a range spans, but for the last. */
  readonly every: number;
}

/** Which event stands at which position, of one range: of events as they come. */
export class RangePlaces {
  private readonly hash: Hash = createHash('sha256');
  private text = '';

  /** @param idPrefix the first ID_PREFIX_LENGTH digits of its event_id, or more */
  add(position: string, idPrefix: string): void {
    this.text += `${position} ${idPrefix.slice(0, ID_PREFIX_LENGTH)}\n`;
  }

  /** Takes up what was added since; for who adds many, so that it does not stay in memory. */
  flush(): void {
    this.hash.update(this.text);
    this.text = '';
  }

  /** Once, at its end. */
  digest(): string {
    this.flush();
    return this.hash.digest('hex');
  }
}

/** The digest of a log's places once a range has joined those before it. */
export function placesAfter(before: string, range: string): string {
  return sha256Hex(before + range);
}
