import { type JsonObject } from '#lib/kernel';
import { type ReadStore } from '#lib/read-store';
import { type Aside } from './domain/parking.js';
import { liveGeneration, type ProjectionVersion } from './ownership.js';
import { comparePositions } from './positions.js';

/** Which events a generation's documents are made without; asked for each event. */
export class AsideList {
  private readonly positions: ReadonlySet<string>;
  private readonly ranges: ReadonlyMap<string, readonly Aside[]>;

  constructor(readonly asides: readonly Aside[]) {
    this.positions = new Set(asides.map(({ position }) => position));
    const ranges = new Map<string, Aside[]>();
    for (const aside of asides) {
      if (aside.partition !== null) ranges.set(aside.partition, [...(ranges.get(aside.partition) ?? []), aside]);
    }
    this.ranges = ranges;
  }

  /** Whether it is one of those that something was decided about by itself. */
  names(position: string): boolean {
    return this.positions.size > 0 && this.positions.has(position);
  }

  /** Whether partitions have to be known at all. */
  get hasRanges(): boolean {
    return this.ranges.size > 0;
  }

  holds(position: string, partition: string): boolean {
    const within = ({ position: from, through }: Aside): boolean =>
      comparePositions(position, from) >= 0 && (through === null || comparePositions(position, through) <= 0);
    return this.names(position) || (this.ranges.get(partition)?.some(within) ?? false);
  }
}

/** What is kept beside a generation of the events that it is made without. */
export interface AsideMark {
  readonly asides: readonly Aside[];
  /**
   * Where what was held back is being applied: up to where, by the position of what was parked. Until that is done the
   * documents are of neither kind.
   */
  readonly settling: Readonly<Record<string, string>> | null;
}

export function asideMark(kept: JsonObject | null): AsideMark {
  const { aside, settling } = kept ?? {};
  return {
    asides: Array.isArray(aside) ? aside : [],
    settling: (settling ?? null) as Record<string, string> | null,
  };
}

/** The members of a generation's runner state that say it; absent where there is nothing to say. */
export function keptAside({ asides, settling }: AsideMark): JsonObject {
  return { aside: asides.length > 0 ? asides.map((one) => ({ ...one })) : null, settling: settling && { ...settling } };
}

export function sameAsides(a: readonly Aside[], b: readonly Aside[]): boolean {
  return a.length === b.length && a.every((one, i) => isSame(one, b[i]!));
}

export function isSame(a: Aside, b: Aside): boolean {
  return a.position === b.position && a.through === b.through && a.partition === b.partition;
}

/** Without which events the live documents are made, and so the scratch ones too. */
export async function liveMark(documents: ReadStore, projection: ProjectionVersion): Promise<AsideMark> {
  return asideMark(await documents.runnerState(await liveGeneration(documents, projection)));
}

/** Null where the live documents are made without the same events as before. */
export function whyOtherAsides(before: AsideMark, after: AsideMark): string | null {
  const isSame = before.settling === null && after.settling === null && sameAsides(before.asides, after.asides);
  return isSame ? null : 'which events are parked changed meanwhile';
}
