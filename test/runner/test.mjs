/**
 * `npm test [-- --tag TAG] [JEST ARGUMENTS]`: installs and builds what is missing, then runs what every change must pass. The last
 * line is `Tests: N passed, N failed`; the exit code is 1 where a test failed or none ran.
 */
import { tagged } from './tagged.mjs';
import { runJest, slowFiles, summarise } from './run-jest.mjs';
import { makeReady, run } from '../../scripts/lib/ready.mjs';

const args = process.argv.slice(2);

await run(async () => {
  await makeReady({ dev: true });
  // Whoever names a tag or files wants those.
  if (args[0] === '--tag') {
    return summarise([await runJest('npm test', [...tagged(args[1]), ...args.slice(2)])], 'what has no such tag.');
  }
  if (args.length > 0) return summarise([await runJest('npm test', args)], 'what was not named.');
  summarise(
    [await runJest('npm test', [], { MACE_TEST_TIER: 'fast' })],
    `${slowFiles().length} slow files (*.slow.spec.ts), the suite on a double of EventStoreDB, and the golden tests on ` +
      'other releases of Node. `npm run test:full` runs them.',
  );
});
