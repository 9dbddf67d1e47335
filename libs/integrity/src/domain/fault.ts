import { sha256Hex } from '#lib/kernel';

/** What of a record is checked, in the order in which one event is; the first that fails names its fault. */
export const DETECTORS = [
  /** A page of the file cannot be read, or an index does not lead to the event. */
  'store',
  /** Positions of the log are missing. */
  'positions',
  /** The text is no event. */
  'text',
  /** Stream, type or id beside the text say otherwise than the text. */
  'columns',
  /** The event_id does not follow from seed, index and type. */
  'event-id',
  /** The key is unknown, revoked or for something else. */
  'key',
  'signature',
  /** The text is not in canonical form. */
  'canonical',
  /** A member of the envelope is missing, unknown or of another form, or no release up to this one writes such events. */
  'form',
  /** Events of a stream are missing, or there twice. */
  'revision',
  /** The prev_hash is not the hash of the event before. */
  'chain',
  /** JOB_SEALED counts otherwise, or names another last event. */
  'seal',
  /** A snapshot's hash, id or signature. */
  'snapshot',
  /** A reflective log refers to what the job does not hold. */
  'log-reference',
  /** An artifact is missing or has another digest. */
  'artifact',
  /** The Merkle tree over the log is not what the newest checkpoint says. */
  'proof',
  /** A witness holds another history that the log's key has signed. */
  'witness',
  /** The clock ran back between an event and the one before it, or the store dates it otherwise. No damage. */
  'time',
] as const;
export type Detector = (typeof DETECTORS)[number];

/** One thing that is not as it was signed, and where. */
export interface Fault {
  readonly detector: Detector;
  /** Null where it is not one stream's. */
  readonly stream: string | null;
  readonly revision: number | null;
  /** Position in the log, or the first of a range; null where it is none's. */
  readonly position: string | null;
  readonly reason: string;
}

/** Whether what was found makes a log unsound: a clock that ran back does not, as its times decide nothing. */
export function isDamage({ detector }: Pick<Fault, 'detector'>): boolean {
  return detector !== 'time';
}

/** Most findings that are listed one by one. */
export const LISTED_FAULTS = 100;

/** What is listed once more was found: damage first, so that nothing else takes its place. */
export function listed(before: readonly Fault[], more: readonly Fault[]): readonly Fault[] {
  const all = [...before, ...more];
  return [...all.filter(isDamage), ...all.filter((one) => !isDamage(one))].slice(0, LISTED_FAULTS);
}

/** Of the event that a fault is of, whichever check found it. */
export function faultPlace({ stream, revision }: Pick<Fault, 'stream' | 'revision'>): string {
  return `${revision ?? ''}\n${stream ?? ''}`;
}

/**
 * The same for the same fault, whenever and by whichever walk it is found: by place and detector, not by words. A tree
 * that is not the signed one has another root with each event that is appended, and is one fault all the same.
 */
export function faultKey({ detector, stream, revision, position }: Fault): string {
  const place = stream === null ? position : revision;
  return sha256Hex(`${detector}\n${stream ?? ''}\n${place ?? ''}`);
}
