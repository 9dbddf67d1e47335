/**
 * Specs that run once more with their events in a double of EventStoreDB: the golden journeys that touch a store, and
 * whole applications of each kind. The contract of the port and the traps of client and server run on it in any case.
 */
export const ON_EVENTSTOREDB = [
  'test/golden/answer-council.spec.ts',
  'test/golden/brainstate.spec.ts',
  'test/golden/cache.spec.ts',
  'test/golden/dsr.spec.ts',
  'test/golden/failures.spec.ts',
  'test/golden/failures-modules.spec.ts',
  'test/golden/governance.spec.ts',
  'test/golden/integrity-halts.spec.ts',
  'test/golden/jobs.spec.ts',
  'test/golden/personal-fields.spec.ts',
  'test/golden/privacy.spec.ts',
  'test/golden/queries.spec.ts',
  'test/golden/reflective-log.spec.ts',
  'test/golden/replay-divergence.spec.ts',
  'test/golden/replay-erased.spec.ts',
  'test/golden/replay-match.spec.ts',
  'test/golden/sem.spec.ts',
  'test/e2e/erasure.slow.spec.ts',
  'test/e2e/jobs.e2e.spec.ts',
  'test/e2e/rest.e2e.spec.ts',
  'apps/api/src/dsr/erasure-in-flight.int.spec.ts',
  'apps/api/src/incidents/incidents.int.spec.ts',
  'apps/api/src/integrity/integrity.int.spec.ts',
  'apps/api/src/jobs/job-recovery.unit.spec.ts',
  'apps/api/src/jobs/reflective-logs.int.spec.ts',
  'apps/api/src/live/tail.int.spec.ts',
];
