import { type EventStore, type Position, START } from '#lib/event-store';
import type { JsonObject, KeyRing } from '#lib/kernel';

import { signatureOf } from '../signed-event.js';
import { streamOf } from '../stream-of.js';

export interface RecordedRestore {
  /** That the log was given. */
  readonly origin: string;
  readonly position: Position;
}

/** The restores that are on record, as far as a key of the ring has signed them, in order. */
export async function recordedRestores(events: EventStore, ring: KeyRing): Promise<readonly RecordedRestore[]> {
  const restores: RecordedRestore[] = [];
  for await (const event of streamOf(events, 'system-log')) {
    if (event.type !== 'LOG_RESTORED' || !signatureOf(event, ring).holds) continue;
    const { data } = JSON.parse(event.text) as { readonly data: JsonObject };
    restores.push({ origin: data['origin'] as string, position: event.position });
  }
  return restores;
}

/** Of the last restore; START where there was none. */
export function lastRestored(restores: readonly RecordedRestore[]): Position {
  return restores.at(-1)?.position ?? START;
}
