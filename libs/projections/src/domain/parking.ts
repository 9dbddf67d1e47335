import { type DomainEvent, MaceError } from '#lib/kernel';

import { type DecisionEvent } from './decision-event.js';
import {
  EVENT_DISCARDED,
  EVENT_PARKED,
  EVENT_REPLAYED,
  EVENT_SKIPPED,
  type EventAside,
  eventDiscarded,
  type EventDiscarded,
  type EventParked,
  eventParked,
  eventReplayed,
  eventSkipped,
  type ReasonClass,
} from './parking.events.js';

/** What was last decided about an event. */
export type ParkedState = 'parked' | 'replayed' | 'discarded' | 'skipped';

export interface ParkedFacts {
  readonly position: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly reason_class: ReasonClass;
  readonly state: ParkedState;
  /** sha256 of the partition's name; null where the event was never parked. */
  readonly partition: string | null;
  /** Where it is discarded: up to where its partition was given up. */
  readonly through: string | null;
  /** How often it was told to be tried again. */
  readonly replays: number;
  /** Who decided that last, and why. */
  readonly by: string;
  readonly reason: string | null;
  /** The seed of the command that decided it: the same one again decides nothing. */
  readonly decided_by: string | null;
}

/** Events of a partition that a generation's documents are made without. */
export interface Aside {
  readonly position: string;
  /** Inclusive; null where every later one is held back too. */
  readonly through: string | null;
  /** Null where it is that one event, whatever its partition. */
  readonly partition: string | null;
}

/** What a generation is made without, by what was decided; in order of position. */
export function asidesOf(parked: readonly ParkedFacts[]): readonly Aside[] {
  const asides = parked.flatMap(({ state, position, partition, through }): Aside[] => {
    if (state === 'parked') return [{ position, through: null, partition }];
    if (state === 'discarded') return [{ position, through, partition }];
    return state === 'skipped' ? [{ position, through: position, partition: null }] : [];
  });
  return asides.sort((a, b) => a.position.length - b.position.length || (a.position < b.position ? -1 : 1));
}

export function isOpen({ through }: Aside): boolean {
  return through === null;
}

export function parkedAt(parked: readonly ParkedFacts[], position: string): ParkedFacts | null {
  return parked.find((one) => one.position === position) ?? null;
}

export function evolveParked(
  parked: readonly ParkedFacts[],
  { type, data, metadata }: DecisionEvent,
): readonly ParkedFacts[] {
  const state = STATES[type];
  if (state === undefined) return parked;
  const { position, event_id, event_type, reason_class, reason } = data as unknown as EventAside;
  const before = parkedAt(parked, position);
  const facts: ParkedFacts = {
    position,
    event_id,
    event_type,
    reason_class,
    state,
    partition: state === 'parked' ? (data as unknown as EventParked).partition : (before?.partition ?? null),
    through: state === 'discarded' ? (data as unknown as EventDiscarded).through : null,
    replays: (before?.replays ?? 0) + (state === 'replayed' ? 1 : 0),
    by: metadata.actor.id,
    reason,
    decided_by: metadata.job_seed ?? null,
  };
  return before ? parked.map((one) => (one === before ? facts : one)) : [...parked, facts];
}

const STATES: Readonly<Record<string, ParkedState>> = {
  [EVENT_PARKED]: 'parked',
  [EVENT_REPLAYED]: 'replayed',
  [EVENT_DISCARDED]: 'discarded',
  [EVENT_SKIPPED]: 'skipped',
};

/** An event at which the projection has halted, and how often it had been told to be tried again by then. */
export interface HaltedAt extends Pick<EventAside, 'position' | 'event_id' | 'event_type' | 'reason_class'> {
  readonly replays: number;
}

/** Whether nothing was decided yet about the event at which a projection has halted. */
export function isHaltStanding(parked: readonly ParkedFacts[], halt: Pick<HaltedAt, 'position' | 'replays'>): boolean {
  const facts = parkedAt(parked, halt.position);
  return facts === null || (facts.state === 'replayed' && facts.replays <= halt.replays);
}

/** What is ordered of one event. */
export interface ParkingOrder {
  readonly projection: string;
  readonly position: string;
  readonly reason: string | null;
  /** Seed of the command. */
  readonly seed: string;
  /** Where the projection has halted; null where it has not. */
  readonly halted: HaltedAt | null;
}

/** An event was met that cannot be taken, or an operator sets aside the one at which the projection has halted. */
export function park(parked: readonly ParkedFacts[], event: EventParked): readonly DomainEvent[] {
  const facts = parkedAt(parked, event.position);
  if (facts?.state === 'parked') return [];
  if (facts && facts.state !== 'replayed') throw conflict(facts, 'it is out of the way');
  return [eventParked(event)];
}

/** Applies a parked event and what was held back after it; or lets a halted projection try its event again. */
export function replay(parked: readonly ParkedFacts[], order: ParkingOrder): readonly DomainEvent[] {
  const { facts, event, isHalted } = targetOf(parked, order);
  if (isRepeated(facts, order)) return [];
  if (isHalted || !facts || facts.state === 'parked') return [eventReplayed(event)];
  if (facts.state === 'replayed') return [];
  throw conflict(facts, 'what is parked or halted at can be replayed');
}

/** Gives up a parked event and what was held back after it, up to `through`. */
export function discard(parked: readonly ParkedFacts[], order: ParkingOrder, through: string): readonly DomainEvent[] {
  const { facts, event } = targetOf(parked, order);
  if (facts?.state === 'discarded' || isRepeated(facts, order)) return [];
  if (!facts)
    throw new MaceError('CONFLICT', `position ${order.position} is halted at, not parked; park it first, or skip it`);
  if (facts.state !== 'parked') throw conflict(facts, 'what is parked can be discarded');
  return [eventDiscarded({ ...event, through })];
}

/** Passes over one event, named by its id; what was held back after it is applied. */
export function skip(parked: readonly ParkedFacts[], order: ParkingOrder, eventId: string): readonly DomainEvent[] {
  const { facts, event, isHalted } = targetOf(parked, order);
  if (event.event_id !== eventId)
    throw new MaceError('CONFLICT', `event_id: the event at position ${order.position} is ${event.event_id}`);
  if (facts?.state === 'skipped' || isRepeated(facts, order)) return [];
  if (facts && facts.state !== 'parked' && !isHalted)
    throw conflict(facts, 'what is parked or halted at can be skipped');
  return [eventSkipped(event)];
}

interface Target {
  readonly facts: ParkedFacts | null;
  readonly event: EventAside;
  readonly isHalted: boolean;
}

/** @throws MaceError NOT_FOUND where nothing was ever wrong at that position */
function targetOf(parked: readonly ParkedFacts[], { projection, position, reason, halted }: ParkingOrder): Target {
  const facts = parkedAt(parked, position);
  const isHalted = halted?.position === position && isHaltStanding(parked, halted);
  const found = facts ?? (isHalted ? halted : null);
  if (!found) throw new MaceError('NOT_FOUND', `projection ${projection} has nothing parked at position ${position}`);
  const { event_id, event_type, reason_class } = found;
  return { facts, isHalted, event: { projection, position, event_id, event_type, reason_class, reason } };
}

function isRepeated(facts: ParkedFacts | null, { seed }: ParkingOrder): boolean {
  return facts !== null && facts.decided_by === seed;
}

function conflict({ position, state }: ParkedFacts, allowed: string): MaceError {
  return new MaceError('CONFLICT', `the event at position ${position} is ${state}; ${allowed}`, { position, state });
}
