import { type ExpectedVersion } from '../port.js';

/** What main thread and worker exchange. */

export interface AppendRequest {
  readonly stream: string;
  readonly expected: ExpectedVersion;
  /** Of the texts, UTF-8. */
  readonly bytes: number;
  /** id, type, text of the first event, then of the second, and so on. */
  readonly fields: readonly string[];
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
 * A batch as one string and one list of numbers. Copying 64 appends as objects took a third of the time of committing
 * them; like this it is a twentieth.
 */
export interface PackedAppends {
  /** Stream, then fields, of each request in turn. */
  readonly text: string;
  /** For each request: expected version, bytes, number of fields, then the length of each of its strings. */
  readonly numbers: readonly number[];
}

const EXISTS = -1;

export function packAppends(requests: readonly AppendRequest[]): PackedAppends {
  const strings: string[] = [];
  const numbers: number[] = [];
  for (const { stream, expected, bytes, fields } of requests) {
    numbers.push(
      expected === 'exists' ? EXISTS : expected === 'none' ? 0 : expected,
      bytes,
      fields.length,
      stream.length,
    );
    strings.push(stream);
    for (const field of fields) {
      numbers.push(field.length);
      strings.push(field);
    }
  }
  return { text: strings.join(''), numbers };
}

export function unpackAppends({ text, numbers }: PackedAppends): readonly AppendRequest[] {
  const requests: AppendRequest[] = [];
  let n = 0;
  let at = 0;
  const string = (): string => text.slice(at, (at += numbers[n++]!));
  while (n < numbers.length) {
    const expected = numbers[n++]!;
    const bytes = numbers[n++]!;
    const count = numbers[n++]!;
    const stream = string();
    const fields = Array.from({ length: count }, string);
    requests.push({ stream, expected: expected === EXISTS ? 'exists' : expected, bytes, fields });
  }
  return requests;
}
