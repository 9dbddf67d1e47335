import { reactionSeed, traceId } from '#lib/kernel';
import type { Reaction } from '#lib/projections';

import { decideFlag } from './domain/decide.js';
import { unhealthyDependencies } from './domain/dependencies.js';
import { STATUS_EVENT_TYPES } from './domain/module.events.js';
import type { ModuleDirectory } from './module-directory.js';
import type { ModuleStreams } from './module-streams.js';

const NAME = 'selfrep-dependents';

/** Flags, or clears, those that require a module whose status may have changed (seed 000, B). */
export function dependentsReaction(streams: ModuleStreams, directory: ModuleDirectory): Reaction {
  return {
    name: NAME,
    types: STATUS_EVENT_TYPES,
    async react(event) {
      directory.apply(event);
      const { event_id } = event.metadata;
      for (const nodeId of directory.requiredBy(event.data['node_id'] as string)) {
        // A seed for each dependent: which of them there are may differ when the reaction is repeated.
        const jobSeed = reactionSeed(`${NAME}:${nodeId}`, event_id);
        const provenance = {
          jobSeed,
          sequenceIndex: 0,
          actor: { id: 'system', role: 'system' },
          traceId: traceId(jobSeed),
          causationId: event_id,
        };
        await streams.execute(nodeId, provenance, (module) =>
          module ? decideFlag(module, unhealthyDependencies(module.dependencies, directory)) : [],
        );
      }
    },
  };
}
