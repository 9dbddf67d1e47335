import type { RecordedEvent } from '#lib/event-store';

import type { StoredCheckpoint } from './proof-reader.js';

/** What main thread and worker exchange. */
export type ProofRequest =
  | {
      readonly kind: 'leaves';
      /** Number of leaves before these; others than those that are there are refused. */
      readonly from: number;
      readonly events: readonly FollowedEvent[];
    }
  | { readonly kind: 'checkpoint'; readonly checkpoint: StoredCheckpoint }
  /** The same checkpoint with more signatures. */
  | { readonly kind: 'note'; readonly number: number; readonly note: string };

export type FollowedEvent = Pick<RecordedEvent, 'stream' | 'revision' | 'position' | 'id' | 'type' | 'text'>;

export type ProofAnswer =
  | { readonly kind: 'leaves'; readonly size: number; readonly root: string }
  | { readonly kind: 'written' }
  /** Another writer has the file, or it does not end where the request begins. Nothing was written. */
  | { readonly kind: 'fenced'; readonly reason: string };

/** Requests as they travel: events as one string and one list of numbers, which a thread takes over in a twentieth. */
export type PackedRequest =
  | { readonly kind: 'leaves'; readonly from: number; readonly text: string; readonly numbers: readonly number[] }
  | Exclude<ProofRequest, { readonly kind: 'leaves' }>;

export function packRequests(requests: readonly ProofRequest[]): readonly PackedRequest[] {
  return requests.map((request) => {
    if (request.kind !== 'leaves') return request;
    const strings: string[] = [];
    const numbers: number[] = [];
    for (const { stream, revision, position, id, type, text } of request.events) {
      strings.push(stream, id, type, text);
      numbers.push(revision, Number(position), stream.length, id.length, type.length, text.length);
    }
    return { kind: 'leaves', from: request.from, text: strings.join(''), numbers };
  });
}

export function unpackRequests(packed: readonly PackedRequest[]): readonly ProofRequest[] {
  return packed.map((request) => {
    if (request.kind !== 'leaves') return request;
    const { text, numbers } = request;
    const events: FollowedEvent[] = [];
    let at = 0;
    const string = (length: number): string => text.slice(at, (at += length));
    for (let n = 0; n < numbers.length; n += 6) {
      events.push({
        revision: numbers[n]!,
        position: String(numbers[n + 1]!) as FollowedEvent['position'],
        stream: string(numbers[n + 2]!),
        id: string(numbers[n + 3]!),
        type: string(numbers[n + 4]!),
        text: string(numbers[n + 5]!),
      });
    }
    return { kind: 'leaves', from: request.from, events };
  });
}
