const { createHash } = require('node:crypto');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Begun first: one of these that began last would hold up the end of a run, while the other workers have nothing to do. */
const SLOWEST = [
  'test/crash/several-processes.slow.spec.ts',
  'test/crash/kill-under-load.slow.spec.ts',
  'test/e2e/bad-days.slow.spec.ts',
  'test/e2e/canary.slow.spec.ts',
  'test/golden/many-jobs.slow.spec.ts',
  'test/crash/two-rooms.slow.spec.ts',
  'test/console/console.slow.spec.ts',
  'test/console/operating.slow.spec.ts',
  'apps/cli/src/cli.slow.spec.ts',
  'apps/cli/src/commands/tour.slow.spec.ts',
  'test/simulation/simulation.spec.ts',
  'apps/negotiation/src/negotiation-room.int.spec.ts',
  'apps/api/src/integrity/integrity.int.spec.ts',
  'apps/api/src/graphql/sockets/sockets.int.spec.ts',
  'test/integrity/signed-odd-forms.spec.ts',
  'test/golden/failure-table.spec.ts',
];

/** The others in an order that follows from the seed of the run: another seed tries another order. */
module.exports = class SeededSequencer extends Sequencer {
  sort(tests) {
    const { MACE_TEST_SEED: seed = '1' } = process.env;
    const drawn = (path) => createHash('sha256').update(`${seed} ${path}`).digest('hex');
    const placed = tests.map((test) => {
      const path = test.path.slice(test.context.config.rootDir.length + 1).replaceAll('\\', '/');
      const place = SLOWEST.indexOf(path);
      return { test, key: place < 0 ? drawn(path) : String(place).padStart(3, ' ') };
    });
    return placed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ test }) => test);
  }
};
