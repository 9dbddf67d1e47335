import type { Provenance } from '#lib/kernel';

import type { CallContext } from './ports.js';

/** Under which the events of a call are recorded. */
export function provenanceOf({ caller, seed, traceId }: CallContext): Provenance {
  return { jobSeed: seed, sequenceIndex: 0, actor: { id: caller.principal, role: caller.role }, traceId };
}
