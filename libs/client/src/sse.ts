/** Server-sent events (WHATWG HTML, "Server-sent events"), as they are read off a connection. */

import { ForeignAnswerError } from './errors.js';

/** What a stream says at once: an event, where to go on, after how long to come again; absent where it says nothing of it. */
export interface SseMessage {
  readonly event: string;
  /** Where to go on after it. */
  readonly id: string | undefined;
  /** undefined where the id alone moved. */
  readonly data: string | undefined;
  readonly retryMs: number | undefined;
}

/** A message of more characters than this is none of ours. */
const MAX_LENGTH = 32 * 1024 * 1024;
/** What a line takes besides its characters, in characters. */
const LINE_LENGTH = 32;

/** The whole messages of a stream; one that is cut off is none. @throws ForeignAnswerError for one without end */
export async function* sseMessages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SseMessage, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let lines: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    // A line that came in many parts is looked through once.
    let from = rest.length;
    rest += decoder.decode(chunk, { stream: true });
    let begin = 0;
    for (let end = rest.indexOf('\n', from); end >= 0; end = rest.indexOf('\n', from)) {
      const line = rest.slice(begin, rest[end - 1] === '\r' && end > begin ? end - 1 : end);
      begin = from = end + 1;
      if (line !== '') {
        length += line.length + LINE_LENGTH;
        lines.push(line);
      } else if (lines.length > 0) {
        yield messageOf(lines);
        lines = [];
        length = 0;
      }
    }
    rest = rest.slice(begin);
    if (length + rest.length > MAX_LENGTH) throw new ForeignAnswerError(200, 'a message of the stream has no end');
  }
}

function messageOf(lines: readonly string[]): SseMessage {
  const found = { event: 'message', id: undefined as string | undefined, retryMs: undefined as number | undefined };
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'event') found.event = value;
    else if (name === 'id') found.id = value;
    else if (name === 'data') data.push(value);
    else if (name === 'retry' && /^[0-9]{1,9}$/.test(value)) found.retryMs = Number(value);
  }
  return { ...found, data: data.length === 0 ? undefined : data.join('\n') };
}
