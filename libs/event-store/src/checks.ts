import { isUtf8 } from 'node:buffer';

import {
  AppendTooLargeError,
  DuplicateEventError,
  type EventToAppend,
  type ExpectedVersion,
  MAX_APPEND_BYTES,
} from './port.js';

const EVENT_ID = /^[0-9a-f]{64}$/;

/**
 * What every store refuses before it touches anything; answers the bytes of the texts.
 * @throws TypeError for what no caller of ours may produce
 * @throws DuplicateEventError for an id that occurs twice in one append
 * @throws AppendTooLargeError
 */
export function checkAppend(stream: string, expected: ExpectedVersion, events: readonly EventToAppend[]): number {
  checkUnsealed(stream, expected, events);
  let bytes = 0;
  for (const event of events) {
    const { id, utf8 } = event;
    // Of bytes this is one look, and of a text that was put together of parts it would be a copy first.
    if (!(utf8 ? isUtf8(utf8) && utf8.indexOf(0) < 0 : isStorable(event.text))) {
      throw new TypeError(`the text of event ${id} is not Unicode text without NUL`);
    }
    bytes += utf8?.length ?? Buffer.byteLength(event.text);
  }
  if (bytes > MAX_APPEND_BYTES) throw new AppendTooLargeError(bytes);
  return bytes;
}

/**
 * As `checkAppend`, of everything but the texts: what the codec writes is canonical JSON, which holds neither a lone
 * surrogate nor a NUL, and is found to be small enough before it is sealed.
 */
export function checkUnsealed(stream: string, expected: ExpectedVersion, events: readonly EventToAppend[]): void {
  if (stream === '' || !isStorable(stream)) throw new TypeError('a stream name is non-empty Unicode text without NUL');
  if (typeof expected === 'number' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw new TypeError(`an expected version is a whole number from 0, 'none' or 'exists', not ${expected}`);
  }
  if (events.length === 0) throw new TypeError('an append has at least one event');
  for (const { id, type } of events) {
    if (!EVENT_ID.test(id)) throw new TypeError('an event id is 64 lower-case hex digits');
    if (type === '' || !isStorable(type)) throw new TypeError('an event type is non-empty Unicode text without NUL');
  }
  if (events.length > 1) refuseRepeatedIds(events);
}

/** UTF-8 has no lone surrogates, and SQLite cuts bound text at a NUL: either would come back as something else. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function refuseRepeatedIds(events: readonly EventToAppend[]): void {
  const seen = new Set<string>();
  for (const { id } of events) {
    if (seen.has(id)) throw new DuplicateEventError(id);
    seen.add(id);
  }
}

const MAX_LIMIT = 4096;

/** @throws RangeError */
export function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new RangeError(`a limit is a whole number from 1 to ${MAX_LIMIT}, not ${limit}`);
  }
}
