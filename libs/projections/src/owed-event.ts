import { positionOf, type RecordedEvent } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';

import { comparePositions } from './positions.js';

/** An event that is to be answered once another stream, or whatever its answer fails at, is put right. */
export interface OwedEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  /** Everything up to here had been answered, or is owed too, when it was met. */
  readonly before: string;
  /** The stream that was last found not to be what was signed; its own id where something else failed. */
  readonly needs: string;
}

export function owedEvent({ id, stream, revision, position }: RecordedEvent, before: string, needs: string): OwedEvent {
  return { id, stream, revision, position, before, needs };
}

/** As it is kept, without its id. */
export function keptOwed({ id: _, ...place }: OwedEvent): JsonObject {
  return place;
}

/** What was kept under an id; undefined where that is no event of ours: whoever can write there may have changed it. */
export function owedIn(id: string, kept: JsonObject): OwedEvent | undefined {
  const { stream, revision, position, before, needs } = kept;
  if (typeof stream !== 'string' || typeof needs !== 'string' || !isRevision(revision)) return undefined;
  if (!isPosition(position) || !isPosition(before) || comparePositions(before, position) >= 0) return undefined;
  return { id, stream, revision, position, before, needs };
}

export function isPosition(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  try {
    return positionOf(value) === value;
  } catch {
    return false;
  }
}

function isRevision(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
