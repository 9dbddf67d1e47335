import type { Unsealed } from '../codec/sealing.js';
import type { EventToAppend, ExpectedVersion } from '../port.js';
import {
  KEY_BYTES,
  type MessageReader,
  PackedKeys,
  packOrder,
  type SealedTexts,
  sealPacked,
  textsOf,
} from './order-messages.js';

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
  /** Of the texts, UTF-8, or of what they are still to be made of. */
  readonly bytes: number;
  readonly events: readonly E[];
}

/** As the main thread asks. */
export interface AppendAsked extends AppendRequest {
  /** What the texts of the events are still to be made of. */
  readonly unsealed?: Unsealed | null;
}

/** As the writing thread has it. */
export interface AppendToWrite extends AppendRequest<EventToWrite> {
  /** The texts of the events, where they were made here. */
  readonly sealed?: SealedTexts;
}

export type AppendAnswer =
  | {
      readonly outcome: 'appended';
      readonly version: number;
      readonly position: number;
      /** Milliseconds since the Unix epoch, one moment for all of a batch. */
      readonly recordedAt: number;
      readonly sealed?: SealedTexts;
    }
  | { readonly outcome: 'repeated'; readonly version: number; readonly position: number }
  | { readonly outcome: 'conflict'; readonly version: number }
  | { readonly outcome: 'duplicate'; readonly id: string }
  | { readonly outcome: 'full'; readonly reason: string };

export interface EventLogWorkerData {
  readonly path: string;
}

/**
 * A batch as one string, one list of numbers and one piece of bytes. Copying 64 appends as objects took a third of the
 * time of committing them. Texts that are sealed travel in UTF-8, in which they were signed and are stored: neither thread
 * makes a string of them. What is to be sealed travels as it was written, with its keys.
 */
export interface PackedAppends {
  /** Stream, then id and type of each event, then what its order says, of each request in turn. */
  readonly text: string;
  /**
   * For each request: expected version, bytes, length of stream, number of events, 1 where an order follows; for each
   * event: length of type, and without an order its bytes.
   */
  readonly numbers: Float64Array<ArrayBuffer>;
  /** The texts that are sealed, and what the others are made of, one after another. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What the others are sealed with; overwritten where they are. */
  readonly keys: Uint8Array<ArrayBuffer>;
}

const EXISTS = -1;
/** checkAppend lets no other id through. */
const ID_LENGTH = 64;

export function packAppends(requests: readonly AppendAsked[]): PackedAppends {
  let text = '';
  const numbers: number[] = [];
  const keys = new PackedKeys();
  let size = 0;
  for (const request of requests) size += request.bytes;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const { stream, expected, bytes: ofRequest, events, unsealed } of requests) {
    const version = expected === 'exists' ? EXISTS : expected === 'none' ? 0 : expected;
    numbers.push(version, ofRequest, stream.length, events.length, unsealed ? 1 : 0);
    text += stream;
    for (const event of events) {
      const { id, type } = event;
      text += id + type;
      numbers.push(type.length);
      if (unsealed) continue;
      const utf8 = event.utf8 ?? Buffer.from(event.text);
      bytes.set(utf8, at);
      at += utf8.length;
      numbers.push(utf8.length);
    }
    if (!unsealed) continue;
    text += packOrder(unsealed, numbers, keys);
    bytes.set(unsealed.utf8, at);
    at += unsealed.utf8.length;
  }
  return { text, numbers: new Float64Array(numbers), bytes, keys: keys.together() };
}

/** The requests as they are written: what was to be sealed is. The message's keys are gone then. */
export function unpackAppends(packed: PackedAppends): readonly AppendToWrite[] {
  const requests: AppendToWrite[] = [];
  const message = new Message(packed);
  try {
    while (!message.isRead) requests.push(readRequest(message));
  } finally {
    packed.keys.fill(0);
  }
  return requests;
}

function readRequest(message: Message): AppendToWrite {
  const version = message.number();
  const bytes = message.number();
  const stream = message.string(message.number());
  const count = message.number();
  const isOrder = message.number() === 1;
  const expected = version === EXISTS ? 'exists' : version;
  const events: EventToWrite[] = [];
  for (let i = 0; i < count; i++) {
    const id = message.string(ID_LENGTH);
    const type = message.string(message.number());
    events.push({ id, type, text: isOrder ? '' : message.bytes(message.number()) });
  }
  if (!isOrder) return { stream, expected, bytes, events };
  const ids = events.map(({ id }) => id);
  const sealed = sealPacked(message, ids);
  const texts = textsOf(sealed);
  const written = events.map(({ id, type }, i) => ({ id, type, text: texts[i]! }));
  return { stream, expected, bytes: sealed.bytes.length, events: written, sealed };
}

class Message implements MessageReader {
  private readonly at = { text: 0, numbers: 0, bytes: 0, keys: 0 };

  constructor(private readonly packed: PackedAppends) {}

  get isRead(): boolean {
    return this.at.numbers === this.packed.numbers.length;
  }

  string(length: number): string {
    return this.packed.text.slice(this.at.text, (this.at.text += length));
  }

  number(): number {
    return this.packed.numbers[this.at.numbers++]!;
  }

  bytes(length: number): Buffer {
    const { buffer, byteOffset } = this.packed.bytes;
    const from = byteOffset + this.at.bytes;
    this.at.bytes += length;
    return Buffer.from(buffer, from, length);
  }

  key(): Buffer {
    const { buffer, byteOffset } = this.packed.keys;
    return Buffer.from(buffer, byteOffset + KEY_BYTES * this.at.keys++, KEY_BYTES);
  }
}
