import { type JsonObject } from '#lib/kernel';
import { asideMark, isSame } from './aside.js';
import { type ProjectionDecisions } from './domain/decisions.js';
import { asidesOf, type HaltedAt, isHaltStanding, type ParkedFacts, type ParkedState } from './domain/parking.js';
import { comparePositions } from './positions.js';
import { haltedAt, haltIn } from './status.js';

/** An event that a projection cannot take, as its operator sees it. */
export interface ParkedView {
  readonly projection: string;
  readonly position: string;
  readonly event_id: string;
  readonly event_type: string;
  /** What could not be done with it: decoding, projecting or storing. */
  readonly reason_class: string;
  /** halted: the projection stands at it. parked: it and what follows it in its partition are held back. The others: decided. */
  readonly state: ParkedState | 'halted';
  /** Whether the live documents are by now what was decided. */
  readonly done: boolean;
  /** How often it was told to be tried again. */
  readonly replays: number;
  /** Up to where its partition was given up; null unless discarded. */
  readonly through: string | null;
  /** Who decided that last, and why; null where it is halted at and nothing was decided. */
  readonly by: string | null;
  readonly reason: string | null;
}

/** What the read store says of the live generation. */
export interface LiveParking {
  readonly kept: JsonObject | null;
  readonly position: string | null;
}

/** Newest position first. */
export function parkedViews(
  projection: string,
  decisions: ProjectionDecisions,
  live: LiveParking,
): readonly ParkedView[] {
  const halted = standingHalt(decisions, live);
  const positions = decisions.parked.map(({ position }) => position);
  const all = new Set(halted ? [halted.position, ...positions] : positions);
  return [...all].sort((a, b) => comparePositions(b, a)).map((at) => parkedView(projection, decisions, live, at));
}

/** Of a position where something is known. */
export function parkedView(
  projection: string,
  decisions: ProjectionDecisions,
  live: LiveParking,
  position: string,
): ParkedView {
  const facts = decisions.parked.find((one) => one.position === position);
  const halted = standingHalt(decisions, live);
  if (halted?.position === position) {
    const { event_id, event_type, reason_class, replays } = halted;
    const decided = { replays, through: null, by: facts?.by ?? null, reason: facts?.reason ?? null };
    return { projection, position, event_id, event_type, reason_class, state: 'halted', done: true, ...decided };
  }
  if (!facts) throw new RangeError(`nothing is known of position ${position} in projection ${projection}`);
  const { event_id, event_type, reason_class, state, replays, through, by, reason } = facts;
  const done = isDone(facts, decisions, live);
  return { projection, position, event_id, event_type, reason_class, state, done, replays, through, by, reason };
}

function standingHalt({ parked }: ProjectionDecisions, { kept }: LiveParking): HaltedAt | null {
  const halt = haltIn(kept);
  if (!halt) return null;
  const at = haltedAt(halt);
  return isHaltStanding(parked, at) ? at : null;
}

function isDone({ position, state }: ParkedFacts, { parked }: ProjectionDecisions, live: LiveParking): boolean {
  const { asides, settling } = asideMark(live.kept);
  if (settling !== null || haltIn(live.kept)?.report.position === position) return false;
  const wanted = asidesOf(parked).find((one) => one.position === position);
  const made = asides.find((one) => one.position === position);
  if (wanted ? !made || !isSame(wanted, made) : made) return false;
  return state !== 'replayed' || (live.position !== null && comparePositions(live.position, position) >= 0);
}
