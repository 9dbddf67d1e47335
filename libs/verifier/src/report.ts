/** What does not agree, first of all: which check, where, and the two sides of it. */
export interface DifferenceView {
  readonly check: string;
  /** An event by stream, revision and type, or the part of the bundle. */
  readonly at: string;
  readonly expected: string;
  readonly found: string;
}

/** How much of what a job holds encrypted was erased, as far as the log itself says so (spec/privacy.md). */
export interface ErasureView {
  /** Data keys under which the job holds something. */
  readonly keys: number;
  /** Of how many of them their destruction is on record behind the job, with its place in the signed tree. */
  readonly proven: number;
  /** When the erasure was complete, by its own record; of several the last. */
  readonly erased_at: string | null;
}

/** The answer of a check; every member is always there. */
export interface Report {
  readonly verdict: 'verified' | 'diverges' | 'cannot tell';
  readonly job_id: string | null;
  readonly log: LogView | null;
  /** How many things each check looked at, in order; the last one is that of the difference. */
  readonly checked: readonly { readonly check: string; readonly count: number }[];
  /** What the maker of the bundle says that an audit replay of the job found. */
  readonly replay: string | null;
  /** What of the job was erased, as the log's own events prove it; null where nobody came to look. */
  readonly erasure: ErasureView | null;
  /** How much of what was said of the job's log later the bundle leaves out, by the word of its maker. */
  readonly left_out: number | null;
  readonly difference: DifferenceView | null;
  /** Why nothing can be told. */
  readonly reason: string | null;
}

/** The checkpoint under which everything was verified. */
export interface LogView {
  readonly origin: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly root: string;
  readonly checkpointed_at: string;
  /** Verifier keys of the log that signed it. */
  readonly signed_by: readonly string[];
  readonly cosigned_by: readonly { readonly vkey: string; readonly time: string }[];
  /**
   * Whether a key of the log was named from outside, and so believed for another reason than that it stands in the file.
   * Only then does somebody who is known answer for what has no place in the tree: the manifest, and with it the replay's
   * verdict, versions, key intervals and times.
   */
  readonly pinned: boolean;
  /** The same of a witness's key, which answers for the events: they are in the one log that it watches. */
  readonly witness_pinned: boolean;
}

export class Difference extends Error {
  override readonly name = 'Difference';

  constructor(readonly view: DifferenceView) {
    super(`${view.check}: ${view.at}`);
  }
}

const LONGEST = 200;

/** @throws Difference unless both are the same */
export function same(check: string, at: string, expected: unknown, found: unknown): void {
  if (expected !== found) throw new Difference({ check, at, expected: shown(expected), found: shown(found) });
}

/** @throws Difference for a name that stands twice: the second would be looked at by nobody */
export function eachOnce(check: string, names: readonly string[]): void {
  const seen = new Set<string>();
  const again = names.find((name) => seen.has(name) || !seen.add(name));
  if (again !== undefined) throw new Difference({ check, at: shown(again), expected: 'each once', found: 'twice' });
}

/** Control characters, marks that turn the direction of writing, and what takes no room: they make a text look like another. */
const DECEIVING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text on one line in which everything can be seen; whoever forged a file chose what stands in it. */
export function visible(text: string): string {
  return text.replace(DECEIVING, (char) => {
    const hex = char.codePointAt(0)!.toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });
}

/** A text as it is, anything else as JSON. */
export function word(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}

function shown(value: unknown): string {
  const text = word(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
