import { FLAG_TYPES, snapshotStream } from '#lib/governance';
import { definitionRules, type IntegrityRules } from '#lib/integrity';
import { jobStream } from '#lib/jobs';
import type { EventRegistry } from '#lib/kernel';

/**
 * What an integrity walk must know of the domains, by their own definitions.
 * @param retired positions after which a key of events signs no more, by kid
 */
export function integrityRules(
  registry: EventRegistry,
  retired: Readonly<Record<string, string>> = {},
): IntegrityRules {
  return {
    ...definitionRules(registry.all()),
    // The embedded store numbers its events without gaps.
    dense: true,
    leaves: true,
    retired: Object.fromEntries(Object.entries(retired).map(([kid, position]) => [kid, Number(position)])),
    jobs: {
      prefix: jobStream(''),
      sealed: 'JOB_SEALED',
      log: 'REFLECTIVE_LOG_WRITTEN',
      ids: ['event_refs'],
      hashed: ['agent_outputs', 'council_votes'],
    },
    snapshots: { prefix: snapshotStream(''), created: 'SNAPSHOT_CREATED', flags: FLAG_TYPES },
    artifacts: {
      FORENSIC_KEPT: ['evidence_ref'],
      SUBJECT_ERASED: ['deletion_manifest', 'events', 'list'],
      ACTION_REQUESTED: ['payload', 'held'],
    },
  };
}
