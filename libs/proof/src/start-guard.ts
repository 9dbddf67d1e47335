import { comparePositions, type EventStore, positionOf, START } from '#lib/event-store';
import { parseCheckpoint, parseNote, type VerifierKey, verifyNote } from '#lib/verifier';

import type { ProofReader } from './store/proof-reader.js';
import { eventPrefix } from './store/proof-schema.js';

/** A checkpoint that the log has signed, from a place that whoever changes the log does not change with it. */
export interface Anchor {
  /** Where it was found: a path, or the URL of a witness. */
  readonly from: string;
  readonly size: number;
  readonly root: string;
}

const REMEDY =
  'Put back the newest copy of the data folder, or of the database that holds the events. Where there is none, `mace restore --from DIR` begins a new log on an older copy, and `mace restore --adopt` on what that database holds now, on record';

/** The events are not those that were signed for, or nothing tells it; nothing is served. The message says what to do. */
export class LogGuardError extends Error {
  override readonly name = 'LogGuardError';

  /** @param remedy null where the problem says it */
  constructor(
    readonly problem: string,
    remedy: string | null = REMEDY,
  ) {
    super(remedy === null ? problem : `${problem}. ${remedy}`);
  }
}

/**
 * The checkpoint of a note, once a key of the log has signed it for that origin.
 * @throws LogGuardError where it was not: then somebody has changed it, or the keys
 */
export function anchorOf(note: string, from: string, origin: string, keys: readonly VerifierKey[]): Anchor {
  const refusal = (reason: string): LogGuardError => new LogGuardError(`the last checkpoint in ${from} ${reason}`);
  let signers: number;
  let text: string;
  try {
    const parsed = parseNote(note);
    text = parsed.text;
    signers = verifyNote(parsed, keys).length;
  } catch (error) {
    throw refusal(`cannot be trusted: ${(error as Error).message}`);
  }
  const checkpoint = parseCheckpoint(text);
  if (!checkpoint) throw refusal('is no checkpoint');
  if (checkpoint.origin !== origin) throw refusal(`is of ${checkpoint.origin}, and this log is ${origin}`);
  if (signers === 0) throw refusal('is signed by no key of this log’s ring');
  return { from, size: checkpoint.size, root: checkpoint.root.toString('hex') };
}

/** @throws LogGuardError where the log has fewer leaves than a checkpoint, or other ones */
export function refuseOtherLog(anchors: readonly Anchor[], reader: Pick<ProofReader, 'size' | 'root'>): void {
  const size = reader.size();
  for (const { from, size: signed, root } of anchors) {
    if (signed > size) throw shorter(size, from, signed, root);
    const found = reader.root(signed);
    if (found === root) continue;
    throw new LogGuardError(
      `the log is not the one that was signed: at ${signed} events its root is ${found}, and the last checkpoint in ${from} says ${root}`,
    );
  }
}

export function shorter(size: number, from: string, signed: number, root: string): LogGuardError {
  return new LogGuardError(
    `the log is older than its last checkpoint: it has ${size} events, and ${from} was signed over ${signed} (root ${root})`,
  );
}

/**
 * What is the matter with a refused log, where it is that events are missing between others; null where it is not. Told of
 * stores alone whose positions count events.
 */
export async function gapRefusal(
  events: Pick<EventStore, 'head' | 'count'>,
  anchors: readonly Anchor[],
): Promise<LogGuardError | null> {
  const count = await events.count?.(START);
  if (count === undefined) return null;
  const head = Number(await events.head());
  const signed = [...anchors].sort((a, b) => b.size - a.size)[0];
  if (head <= count || !signed) return null;
  const { from, size } = signed;
  const first = await firstGap(events as Required<typeof events>, count, head);
  return new LogGuardError(
    `the log has a gap: ${head - count} of ${head} events are missing, the first at position ${first}, and ${from} was signed over ${size} events`,
  );
}

/** The first position without an event. @param head the last that has one; there are fewer events than that */
async function firstGap(events: Pick<Required<EventStore>, 'count'>, count: number, head: number): Promise<number> {
  let [low, high] = [1, head];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const upTo = count - (await events.count(positionOf(middle)));
    if (upTo < middle) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether the log has an event beyond its first. */
export async function isBegun(events: EventStore): Promise<boolean> {
  return (await events.readAll({ after: START, limit: 2 })).events.length > 1;
}

/**
 * Refuses events under a name of which nothing was signed but that it began: a first start signs its first event before it
 * stores another (MerkleLog.begin), so they are of another log, or of this one before it took the name.
 * @param isBegun as it was before the anchors were read: another process may begin the log meanwhile
 * @throws LogGuardError
 */
export function refuseUnbegun(isBegun: boolean, anchors: readonly Anchor[]): void {
  const [known] = anchors;
  if (!isBegun || !known || anchors.some(({ size }) => size > 0)) return;
  throw new LogGuardError(
    `the log has events, and under its name nothing was signed but that it began (${known.from}): these are not its events`,
  );
}

const SAMPLES = 32;

/**
 * Whether a Merkle log was made of these events: it ends no later, none is gone, and those that are looked at are the
 * ones. Their content is not read again: the integrity walk does that.
 */
export async function fits(events: EventStore, reader: ProofReader): Promise<boolean> {
  const size = reader.size();
  if (size === 0) return true;
  const at = reader.position();
  if (comparePositions(at, await events.head()) > 0) return false;
  if (events.count && (await events.count(START)) - (await events.count(at)) !== size) return false;
  for (const leaf of sampled(size)) if (!(await isSame(events, reader, leaf))) return false;
  return true;
}

/** The last leaf, the first, and some between. */
function sampled(size: number): ReadonlySet<number> {
  const last = size - 1;
  return new Set(Array.from({ length: SAMPLES }, (_, i) => Math.round((last * (SAMPLES - 1 - i)) / (SAMPLES - 1))));
}

async function isSame(events: EventStore, reader: ProofReader, leaf: number): Promise<boolean> {
  const placed = reader.placed(leaf);
  if (!placed) return false;
  const [event] = (await events.readAll({ after: placed.after, limit: 1 })).events;
  if (event?.position !== placed.position || eventPrefix(event.id) !== placed.prefix) return false;
  return reader.candidates(event.id).some((found) => found.leaf === leaf);
}
