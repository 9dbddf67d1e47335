import { type LeaseOptions, newLease } from '#lib/projections';

import type { Config } from './platform.config.js';

/** Who of the processes that share the stores does what one at a time does: projections, reactors, due times. */
export interface Hosting {
  /** False where others do it, and this process only looks on. */
  readonly isHere: boolean;
  /** Where others do it too; undefined where no other process may. */
  readonly lease: LeaseOptions | undefined;
}

export function hostingOf({ role, projectionLeaseMs }: Pick<Config, 'role' | 'projectionLeaseMs'>): Hosting {
  return {
    isHere: role !== 'api',
    lease: projectionLeaseMs === undefined ? undefined : newLease(projectionLeaseMs),
  };
}

/** The same as the options of runners and reactors. */
export function hostedBy({ isHere, lease }: Hosting): {
  readonly isElsewhere: boolean;
  readonly lease?: LeaseOptions;
} {
  return { isElsewhere: !isHere, ...(lease && { lease }) };
}
