/**
 * What a log and its witness say to each other of data keys that were destroyed (docs/proof.md, "The witness"). A key is
 * named by a mark, a keyed hash that the log alone can make: the id of a data key holds that of its person.
 */

/** The log's report, signed by it. */
export interface ErasedKeysReport {
  readonly origin: string;
  /** 64 lower-case hex digits each. */
  readonly marks: readonly string[];
}

/** What was reported, asked by the log, signed by it. */
export interface ErasedKeysQuestion {
  readonly origin: string;
  /** 32 lower-case hex digits, drawn for this question: an answer to another one is none to this. */
  readonly nonce: string;
  /** Number of reports that the log has had already. */
  readonly after: number;
}

/** The witness's answer, cosigned by it. */
export interface ErasedKeysAnswer extends ErasedKeysQuestion {
  /** Signed notes of the log, as they were reported. */
  readonly reports: readonly string[];
  /** Whether there are more. */
  readonly more: boolean;
}

const REPORT = 'mace erased keys/v1';
const QUESTION = 'mace erased keys question/v1';
const ANSWER = 'mace erased keys answer/v1';
const MARK = /^[0-9a-f]{64}$/;
const NONCE = /^[0-9a-f]{32}$/;
const COUNT = /^(0|[1-9][0-9]{0,8})$/;

/** In one report; a note is limited, and so is an answer that holds it. */
export const MAX_MARKS = 500;

export function reportText({ origin, marks }: ErasedKeysReport): string {
  return linesOf(REPORT, origin, ...marks);
}

export function questionText({ origin, nonce, after }: ErasedKeysQuestion): string {
  return linesOf(QUESTION, origin, nonce, String(after));
}

export function answerText({ origin, nonce, after, reports, more }: ErasedKeysAnswer): string {
  const encoded = reports.map((note) => Buffer.from(note).toString('base64'));
  return linesOf(ANSWER, origin, nonce, String(after), more ? 'more' : 'end', ...encoded);
}

/** Null where the text is of another form; so for the two below. */
export function parseReport(text: string): ErasedKeysReport | null {
  const [head, origin, ...marks] = split(text);
  if (head !== REPORT || !origin || marks.length > MAX_MARKS || !marks.every((mark) => MARK.test(mark))) return null;
  return { origin, marks };
}

export function parseQuestion(text: string): ErasedKeysQuestion | null {
  const [head, origin, nonce = '', after = '', ...more] = split(text);
  if (head !== QUESTION || !origin || more.length > 0 || !NONCE.test(nonce) || !COUNT.test(after)) return null;
  return { origin, nonce, after: Number(after) };
}

export function parseAnswer(text: string): ErasedKeysAnswer | null {
  const [head, origin, nonce = '', after = '', rest = '', ...encoded] = split(text);
  if (head !== ANSWER || !origin || !NONCE.test(nonce) || !COUNT.test(after)) return null;
  if (rest !== 'more' && rest !== 'end') return null;
  const reports = encoded.map((line) => Buffer.from(line, 'base64').toString());
  return { origin, nonce, after: Number(after), reports, more: rest === 'more' };
}

function linesOf(...lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

function split(text: string): readonly string[] {
  return text.endsWith('\n') ? text.slice(0, -1).split('\n') : [];
}
