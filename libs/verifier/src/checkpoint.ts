/** C2SP tlog-checkpoint and the message of its Ed25519 cosignatures (c2sp.org/tlog-checkpoint, tlog-cosignature). */

export interface Checkpoint {
  /** Names the log; never empty. */
  readonly origin: string;
  /** Number of leaves. */
  readonly size: number;
  /** Root hash of RFC 9162, 32 bytes. */
  readonly root: Buffer;
  /** When it was signed, by the log's own word: ISO 8601 in UTC with milliseconds; null in a checkpoint of 0.1. */
  readonly madeAt: string | null;
  /** Lines after the third. */
  readonly extensions: readonly string[];
}

const ORIGIN = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;

/** What may name a log in its checkpoints: no spaces, no plus (C2SP signed-note), at most 200 characters. */
export function isOrigin(text: string): boolean {
  return ORIGIN.test(text);
}

const MADE_AT = /^time (\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)$/;

/**
 * The text that is signed: origin, decimal size, base64 root and, in an extension line, the time, each ended by a newline.
 * @param madeAt ISO 8601 in UTC with milliseconds; a checkpoint of 0.1 has none
 */
export function checkpointText(origin: string, size: number, root: Uint8Array, madeAt: string | null): string {
  const time = madeAt === null ? '' : `time ${madeAt}\n`;
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n${time}`;
}

/** Reads the text of a checkpoint, or answers null where it is not of that form. */
export function parseCheckpoint(text: string): Checkpoint | null {
  if (!text.endsWith('\n')) return null;
  const [origin = '', size = '', encoded = '', ...extensions] = text.slice(0, -1).split('\n');
  const root = Buffer.from(encoded, 'base64');
  const leaves = Number(size);
  if (origin === '' || !/^(0|[1-9][0-9]*)$/.test(size) || !Number.isSafeInteger(leaves)) return null;
  if (root.length !== 32 || root.toString('base64') !== encoded || extensions.includes('')) return null;
  const madeAt = MADE_AT.exec(extensions[0] ?? '')?.[1] ?? null;
  return { origin, size: leaves, root, madeAt, extensions };
}

/** What a cosigner signs at a time (POSIX seconds) over a checkpoint's whole text. */
export function cosignatureMessage(text: string, time: bigint | number): string {
  return `cosignature/v1\ntime ${time}\n${text}`;
}
