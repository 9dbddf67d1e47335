import type { CommandContext } from '#lib/access';
import { REVALIDATION } from '#lib/jobs';
import { MaceError, reactionSeed } from '#lib/kernel';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import type { Replays } from './replays.js';

/**
 * Replays a job in audit mode, once for each amendment of its log that asks to look again (seed 001, ReflectiveLog D:
 * `revalidate`). What it came to, a refusal too, is on record under the id that the amendment names.
 * @param now real time, milliseconds since the Unix epoch
 */
export function revalidationReaction(replays: Pick<Replays, 'request'>, now: () => number): Reaction {
  return {
    name: REVALIDATION,
    types: ['AMENDMENT_ADDED'],
    async react({ data, metadata }: ProjectedEvent): Promise<void> {
      if (data['effect'] !== 'revalidate') return;
      try {
        await replays.request({ job_id: data['job_id'] as string, mode: 'audit' }, contextOf(metadata, now()));
      } catch (error) {
        if (!(error instanceof MaceError) || error.code === 'DATA_UNAVAILABLE') throw error;
      }
    },
  };
}

function contextOf({ event_id, trace_id: traceId }: ProjectedEvent['metadata'], now: number): CommandContext {
  return {
    principal: { id: 'system', roles: [], elevated: false },
    actor: { id: 'system', role: 'system' },
    seed: reactionSeed(REVALIDATION, event_id),
    keyed: false,
    // Nobody's body stands behind it: the amendment is what is asked.
    requestDigest: event_id,
    traceId,
    now,
  };
}
