/**
 * `npm run test:full`: what `npm test` leaves out. The last line is `Tests: N passed, N failed`; the exit code is 1 where
 * a test failed or none ran.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { runJest, summarise } from '../test/runner/run-jest.mjs';
import { ON_EVENTSTOREDB } from '../test/runner/on-eventstoredb.mjs';
import { npm } from './lib/npm.mjs';
import { makeReady, run } from './lib/ready.mjs';

const RELEASES = ['22', '24', '26'];
/** The golden tests, the tour, and a start by npm. */
const ON_EACH_RELEASE = [
  'test/golden/',
  'commands/tour',
  'test/deploy/npm-start',
  '--testPathIgnorePatterns',
  'golden/.*\\.slow',
];

await run(async () => {
  await makeReady({ dev: true });
  const reports = [await part('what is slow', () => runJest([], { MACE_TEST_TIER: 'slow' }))];
  const long = { MACE_FUZZ_REQUESTS: process.env.MACE_FUZZ_REQUESTS ?? '2000' };
  reports.push(await part('longer draws', () => runJest(['test/fuzz/.*(?<!unit)\\.spec'], long)));
  const onStore = { MACE_TEST_EVENT_STORE: 'eventstoredb' };
  const files = ['--runTestsByPath', ...ON_EVENTSTOREDB];
  reports.push(await part('on a double of EventStoreDB', () => runJest(files, onStore)));
  const left = [];
  for (const release of RELEASES) {
    const report = await part(`on Node ${release}`, () => onNode(release));
    if (report === undefined) left.push(release);
    else reports.push(report);
  }
  const missing = left.length === 0 ? '' : ` Node ${left.join(' and ')} could not be installed.`;
  summarise(reports, `what \`npm test\` runs, and suites on servers of yours (docs/testing.md).${missing}`);
});

async function part(name, work) {
  const started = Date.now();
  console.log(`\n== ${name} ==`);
  const report = await work();
  console.log(`== ${name}: ${Math.round((Date.now() - started) / 1000)} s ==`);
  return report;
}

/** Another release, from the package that carries its binary, in a folder outside the project; undefined where it cannot be had. */
async function onNode(release) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = mkdtempSync(join(tmpdir(), `mace-node-${release}-`));
  try {
    const { code } = await npm(['install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@${release}`]);
    if (code !== 0) return void console.log(`NOT RUN: ${name}@${release} could not be installed`);
    const bin = join(folder, 'node_modules', name, 'bin');
    const settings = { PATH: `${bin}${delimiter}${process.env.PATH}` };
    return await runJest(ON_EACH_RELEASE, settings, join(bin, 'node'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
