const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Files that take longest, begun first: one that begins last holds up the end of a run while the other workers have
 * nothing to do. Jest itself orders by what the last run took, which a fresh clone does not know, and else by size.
 */
const SLOWEST = [
  'test/golden/many-jobs.spec.ts',
  'test/crash/kill-under-load.e2e.spec.ts',
  'test/crash/several-processes.e2e.spec.ts',
  'test/crash/two-rooms.e2e.spec.ts',
  'test/crash/tail.e2e.spec.ts',
  'apps/cli/src/cli.int.spec.ts',
  'test/e2e/operations.e2e.spec.ts',
  'test/e2e/canary.e2e.spec.ts',
  'test/capabilities/capabilities.spec.ts',
  'test/e2e/bad-days.e2e.spec.ts',
  'test/e2e/rest.e2e.spec.ts',
  'libs/event-store/src/eventstoredb/eventstoredb-event-store.int.spec.ts',
  'libs/read-store/src/mongodb/mongodb-read-store.int.spec.ts',
  'test/e2e/erasure.e2e.spec.ts',
  'apps/api/src/start.int.spec.ts',
  'apps/cli/src/commands/migrate.int.spec.ts',
  'apps/cli/src/commands/backup.int.spec.ts',
  'apps/cli/src/commands/tour.int.spec.ts',
  'apps/api/src/integrity/integrity.int.spec.ts',
  'apps/cli/src/commands/keys.int.spec.ts',
  'apps/cli/src/commands/proof.int.spec.ts',
  'apps/api/src/jobs/explain.int.spec.ts',
  'apps/api/src/jobs/outside-critics.int.spec.ts',
  'test/crash/outside-critics.e2e.spec.ts',
  'test/golden/answers-refused.spec.ts',
  'test/simulation/simulation.spec.ts',
  'libs/proof/src/start-guard.int.spec.ts',
  'apps/negotiation/src/hostile.int.spec.ts',
];

module.exports = class SlowestFirst extends Sequencer {
  sort(tests) {
    const place = new Map(SLOWEST.map((path, i) => [path, i]));
    const of = ({ path, context }) => place.get(path.slice(context.config.rootDir.length + 1)) ?? SLOWEST.length;
    // Jest's order stays among the others.
    return super.sort(tests).sort((a, b) => of(a) - of(b));
  }
};
