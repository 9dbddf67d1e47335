import { DifferentBodyError, DuplicateEventError } from '#lib/event-store';
import { reactionSeed, traceId } from '#lib/kernel';
import type { Reaction } from '#lib/projections';

import { decideFlag, decideOfflineAfter, decideRecovery } from './domain/decide.js';
import { unhealthyDependencies } from './domain/dependencies.js';
import { moduleStream, STATUS_EVENT_TYPES } from './domain/module.events.js';
import type { ModuleDirectory } from './module-directory.js';
import type { ModuleStreams } from './module-streams.js';

const NAME = 'selfrep-dependents';
/** Its seeds stand among a module's commands: who restores a module is not undone by a reaction that is repeated. */
const VIOLATIONS = 'policy-violations';
const RECOVERIES = 'selfrep-recoveries';

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

/**
 * Takes a module offline for what it tried in a job (seed 000, E). Its NODE_OFFLINE is caused by the job's
 * POLICY_VIOLATION, so that one violation is one incident.
 */
export function violationsReaction(streams: ModuleStreams): Reaction {
  return {
    name: VIOLATIONS,
    types: ['POLICY_VIOLATION'],
    async react({ stream, data, metadata }) {
      const nodeId = data['node_id'] as string;
      // One that somebody reported stands in the module's own stream, and took it offline in the same append.
      if (stream === moduleStream(nodeId)) return;
      const jobSeed = reactionSeed(VIOLATIONS, metadata.event_id);
      const provenance = {
        jobSeed,
        sequenceIndex: 0,
        actor: { id: 'system', role: 'system' },
        traceId: metadata.trace_id,
        causationId: metadata.event_id,
      };
      await streams.execute(nodeId, provenance, (module, { commands }) => {
        const isDone = !module || commands.some(({ seed }) => seed === jobSeed);
        return isDone ? [] : decideOfflineAfter(module, data['job_id'] as string);
      });
    },
  };
}

/**
 * Brings back what went offline by failures of its language engine alone: as the engine is back, and where the failures
 * were counted only after that (spec/decisions.md "An engine that fails").
 * @param recovery event_id of the last recovery on record; null while an outage is open, and where there was none
 */
export function recoveriesReaction(
  streams: ModuleStreams,
  directory: ModuleDirectory,
  recovery: () => Promise<string | null>,
): Reaction {
  const bringBack = async (nodeId: string, causationId: string, reactsTo: string): Promise<void> => {
    const jobSeed = reactionSeed(`${RECOVERIES}:${nodeId}`, reactsTo);
    const provenance = {
      jobSeed,
      sequenceIndex: 0,
      actor: { id: 'system', role: 'system' },
      traceId: traceId(jobSeed),
      causationId,
    };
    try {
      await streams.execute(nodeId, provenance, (module) => (module ? decideRecovery(module) : []));
    } catch (error) {
      // This event brought it back before, and it went offline since: another event brings it back.
      if (!(error instanceof DuplicateEventError || error instanceof DifferentBodyError)) throw error;
    }
  };
  return {
    name: RECOVERIES,
    types: ['SERVICE_UNAVAILABLE', 'NODE_OFFLINE'],
    async react(event) {
      const { data, metadata } = event;
      if (event.type === 'NODE_OFFLINE') {
        directory.apply(event);
        const recovered = await recovery();
        if (recovered !== null) await bringBack(data['node_id'] as string, recovered, metadata.event_id);
      } else if (data['service'] === 'language-engine' && data['state'] === 'up') {
        for (const { node_id, health } of directory.all())
          if (health.status === 'offline') await bringBack(node_id, metadata.event_id, metadata.event_id);
      }
    },
  };
}
