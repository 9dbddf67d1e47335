import type { EventToAppend, ExpectedVersion } from '../port.js';

/** What main thread and worker exchange. */

/** An event as the writing thread gets it, its text in UTF-8. */
export interface EventToWrite {
  readonly id: string;
  readonly type: string;
  readonly text: string | Uint8Array;
}

export interface AppendRequest<E extends EventToWrite = EventToAppend> {
  readonly stream: string;
  readonly expected: ExpectedVersion;
  /** Of the texts, UTF-8. */
  readonly bytes: number;
  readonly events: readonly E[];
}

export type AppendAnswer =
  | {
      readonly outcome: 'appended';
      readonly version: number;
      readonly position: number;
      /** Milliseconds since the Unix epoch, one moment for all of a batch. */
      readonly recordedAt: number;
    }
  | { readonly outcome: 'repeated'; readonly version: number; readonly position: number }
  | { readonly outcome: 'conflict'; readonly version: number }
  | { readonly outcome: 'duplicate'; readonly id: string }
  | { readonly outcome: 'full'; readonly reason: string };

export interface EventLogWorkerData {
  readonly path: string;
  readonly quotaBytes: number | null;
}

/**
 * A batch as one string, one list of numbers and one piece of bytes. Copying 64 appends as objects took a third of the
 * time of committing them. Texts travel in UTF-8, in which they were signed and are stored: neither thread makes a string
 * of them.
 */
export interface PackedAppends {
  /** Stream, then id and type of each event, of each request in turn. */
  readonly text: string;
  /** For each request: expected version, bytes, length of stream, number of events; for each event: length of type, bytes. */
  readonly numbers: readonly number[];
  /** The texts one after another. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const EXISTS = -1;
/** checkAppend lets no other id through. */
const ID_LENGTH = 64;

export function packAppends(requests: readonly AppendRequest[]): PackedAppends {
  let text = '';
  const numbers: number[] = [];
  let size = 0;
  for (const request of requests) size += request.bytes;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const { stream, expected, bytes: ofRequest, events } of requests) {
    const version = expected === 'exists' ? EXISTS : expected === 'none' ? 0 : expected;
    numbers.push(version, ofRequest, stream.length, events.length);
    text += stream;
    for (const event of events) {
      const { id, type } = event;
      const utf8 = event.utf8 ?? Buffer.from(event.text);
      bytes.set(utf8, at);
      at += utf8.length;
      text += id + type;
      numbers.push(type.length, utf8.length);
    }
  }
  return { text, numbers, bytes };
}

export function unpackAppends({ text, numbers, bytes }: PackedAppends): readonly AppendRequest<EventToWrite>[] {
  const requests: AppendRequest<EventToWrite>[] = [];
  let [n, at, byte] = [0, 0, 0];
  const string = (length: number): string => text.slice(at, (at += length));
  while (n < numbers.length) {
    const expected = numbers[n++]!;
    const size = numbers[n++]!;
    const stream = string(numbers[n++]!);
    const events: EventToWrite[] = [];
    for (let left = numbers[n++]!; left > 0; left--) {
      const id = string(ID_LENGTH);
      const type = string(numbers[n++]!);
      events.push({ id, type, text: bytes.subarray(byte, (byte += numbers[n++]!)) });
    }
    requests.push({ stream, expected: expected === EXISTS ? 'exists' : expected, bytes: size, events });
  }
  return requests;
}
