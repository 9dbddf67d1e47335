import type { Provenance } from '#lib/kernel';

import type { CommandContext } from './principal.js';

/**
 * Where the events of a person's command come from.
 * @param sequenceIndex of the first of them
 */
export function provenanceOf(ctx: CommandContext, sequenceIndex = 0): Provenance {
  const { seed: jobSeed, actor, traceId, requestDigest, earlierDigests } = ctx;
  return {
    jobSeed,
    sequenceIndex,
    actor,
    traceId,
    requestDigest,
    ...(earlierDigests === undefined ? {} : { earlierDigests }),
  };
}
