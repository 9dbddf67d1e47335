/**
 * `npm run test:full [-- PART ...]`: what `npm test` leaves out, or these parts of it. The last line is
 * `Tests: N passed, N failed`; the exit code is 1 where a test failed or none ran.
 */
import { ON_EVENTSTOREDB } from './on-eventstoredb.mjs';
import { withRelease } from './releases.mjs';
import { runJest, summarise } from './run-jest.mjs';
import { makeReady, run } from '../../scripts/lib/ready.mjs';

const RELEASES = ['22', '24', '26'];
/** The golden tests, the tour, and a start by npm. */
const ON_EACH_RELEASE = [
  ...['test/golden/', 'commands/tour', 'test/deploy/npm-start'],
  ...['--testPathIgnorePatterns', 'golden/.*\\.slow'],
];
/** More than `npm test` draws, unless the environment says how many. */
const DRAWS = { MACE_FUZZ_REQUESTS: '5000', MACE_SIMULATION_SEEDS: '60' };
/** Two processors are busy with these: with more the same tests take more processor time, and each of them longer. */
const MORE_WORKERS = '--maxWorkers=3';
const FEWER_WORKERS = '--maxWorkers=2';
/** Each answers the reports of its runs. */
const PARTS = {
  slow: async () => [await runJest('slow', [MORE_WORKERS], { MACE_TEST_TIER: 'slow' })],
  draws: async () => [
    await runJest('draws', [FEWER_WORKERS, 'test/fuzz/', 'test/simulation/'], { ...DRAWS, ...process.env }),
  ],
  eventstoredb: async () => {
    const settings = { MACE_TEST_EVENT_STORE: 'eventstoredb' };
    return [await runJest('eventstoredb', [FEWER_WORKERS, '--runTestsByPath', ...ON_EVENTSTOREDB], settings)];
  },
  releases: async () => {
    const reports = [];
    for (const release of RELEASES) {
      const isThere = await withRelease(release, async (node, PATH) => {
        const settings = { PATH, MACE_TEST_NODE: release };
        reports.push(await runJest(`Node ${release}`, [FEWER_WORKERS, ...ON_EACH_RELEASE], settings, node));
      });
      if (!isThere) missing.push(`Node ${release}`);
    }
    return reports;
  },
};
/** Beside each other: while tests of the one wait, those of the other have the processors. */
const LANES = [['slow'], ['draws', 'eventstoredb', 'releases']];
const missing = [];

await run(async () => {
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined)
    throw new Error(
      `test:full: there is no part ${JSON.stringify(unknown)}; there are ${Object.keys(PARTS).join(', ')}`,
    );
  await makeReady({ dev: true });
  const reports = [];
  const asked = (name) => wanted.length === 0 || wanted.includes(name);
  const left = Object.keys(PARTS).filter((name) => !asked(name));
  const lanes = LANES.map(async (names) => {
    for (const name of names.filter(asked)) reports.push(...(await timed(name, PARTS[name])));
  });
  await Promise.all(lanes);
  const others = left.length === 0 ? '' : ` Parts: ${left.join(', ')}; \`npm run test:full\` runs them.`;
  const releases = missing.map((name) => ` ${name} could not be installed.`).join('');
  summarise(reports, `what \`npm test\` runs, and suites on servers of yours (docs/testing.md).${others}${releases}`);
});

async function timed(name, work) {
  const started = Date.now();
  console.log(`\n== ${name} ==`);
  const reports = await work();
  console.log(`== ${name}: ${Math.round((Date.now() - started) / 1000)} s ==`);
  return reports;
}
