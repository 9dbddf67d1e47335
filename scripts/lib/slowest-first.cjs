const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Files that take longest, begun first: one that begins last holds up the end of a run while the other workers have
 * nothing to do. Jest itself orders by what the last run took, which a fresh clone does not know, and else by size.
 */
const SLOWEST = [
  'test/golden/many-jobs.spec.ts',
  'test/crash/kill-under-load.e2e.spec.ts',
  'test/crash/several-processes.e2e.spec.ts',
  'test/e2e/canary.e2e.spec.ts',
  'test/e2e/bad-days.e2e.spec.ts',
  'test/crash/two-rooms.e2e.spec.ts',
  'apps/cli/src/commands/migrate.int.spec.ts',
  'apps/cli/src/cli.int.spec.ts',
  'apps/cli/src/commands/tour.int.spec.ts',
  'test/e2e/operations.e2e.spec.ts',
  'libs/proof/src/killed-restore.int.spec.ts',
  'test/crash/negotiation-steps.e2e.spec.ts',
  'test/crash/negotiation.e2e.spec.ts',
  'apps/api/src/integrity/integrity.int.spec.ts',
  'apps/cli/src/commands/doctor.int.spec.ts',
  'apps/negotiation/src/negotiation-room.int.spec.ts',
  'apps/worker/src/worker-stop.int.spec.ts',
  'test/e2e/overdue-requests.e2e.spec.ts',
  'apps/worker/src/worker-poison.int.spec.ts',
  'apps/cli/src/commands/eventstore-apply.int.spec.ts',
  'apps/worker/src/worker-rebuilds.int.spec.ts',
  'apps/worker/src/worker-full-disk.int.spec.ts',
  'test/e2e/negotiation-vectors.e2e.spec.ts',
  'test/deploy/stopping.e2e.spec.ts',
  'test/fuzz/graphql.spec.ts',
  'apps/api/src/graphql/links.int.spec.ts',
  'test/e2e/negotiation-wire.e2e.spec.ts',
  'test/e2e/asked-elsewhere.e2e.spec.ts',
  'apps/api/src/read-store-server.int.spec.ts',
  'test/simulation/simulation.spec.ts',
  'apps/cli/src/commands/adopt.int.spec.ts',
  'apps/api/src/event-store-server.int.spec.ts',
  'test/e2e/eventstoredb-tls.e2e.spec.ts',
  'test/crash/outside-critics.e2e.spec.ts',
  'apps/worker/src/worker.int.spec.ts',
  'apps/api/src/tracing/exported.int.spec.ts',
  'test/golden/failure-table.spec.ts',
  'apps/cli/src/commands/integrity.int.spec.ts',
  'test/linearity/detection.spec.ts',
  'test/crash/negotiation-clock.e2e.spec.ts',
  'apps/cli/src/commands/backup.int.spec.ts',
  'test/fuzz/rest.spec.ts',
  'test/e2e/secrets.e2e.spec.ts',
  'libs/proof/src/start-guard.int.spec.ts',
  'apps/cli/src/commands/proof.int.spec.ts',
  'test/golden/signed-odd-forms.spec.ts',
  'test/capabilities/capabilities.spec.ts',
  'libs/event-store/src/sqlite/crash.int.spec.ts',
  'test/e2e/witness.e2e.spec.ts',
  'test/e2e/erasure.e2e.spec.ts',
  'apps/api/src/aside/carried-erasures.int.spec.ts',
  'apps/api/src/start.int.spec.ts',
  'apps/api/src/auth/access-matrix.int.spec.ts',
  'test/golden/answers-refused.spec.ts',
  'apps/api/src/graphql/sockets/sockets.int.spec.ts',
  'test/crash/tail.e2e.spec.ts',
  'apps/cli/src/commands/keys.int.spec.ts',
  'apps/api/src/jobs/explain.int.spec.ts',
  'apps/api/src/integrity/folder-walk.int.spec.ts',
];

module.exports = class SlowestFirst extends Sequencer {
  sort(tests) {
    const place = new Map(SLOWEST.map((path, i) => [path, i]));
    const of = ({ path, context }) => place.get(path.slice(context.config.rootDir.length + 1)) ?? SLOWEST.length;
    // Jest's order stays among the others.
    return super.sort(tests).sort((a, b) => of(a) - of(b));
  }
};
