/**
 * `npm run check [-- NAME ...]`: the static checks of those names, or all, two at a time, all of them even where one
 * fails.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { makeReady, run } from './lib/ready.mjs';
import { inRoot, root } from './lib/root.mjs';

const ROOMS = ['apps', 'libs', 'test'].filter((room) => existsSync(inRoot(room)));
const CHECKS = [
  ['lint', 'node_modules/eslint/bin/eslint.js', '.'],
  ['types', 'node_modules/typescript7/bin/tsc', '--noEmit', '-p', 'tsconfig.json'],
  ['console', 'node_modules/typescript7/bin/tsc', '--noEmit', '-p', 'apps/console/tsconfig.json'],
  ['format', 'node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '--cache', '.'],
  ['borders', 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs', ...ROOMS],
  [
    'libraries',
    'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.libraries.mjs',
    'libs',
  ],
  ['dead code', 'node_modules/knip/bin/knip.js', '--no-progress'],
  ['audit', 'scripts/audit.mjs'],
];
const AT_ONCE = 2;
/** Room for what is new, in MiB: much of what a check makes would be copied twice before it is garbage. */
const NEW_SPACE = '--max-semi-space-size=64';
/** Only the audit needs somebody else's answer; without one it says so, loudly, and fails nothing. */
const NOT_MADE = { audit: 3 };

await run(async () => {
  const wanted = process.argv.slice(2);
  const names = CHECKS.map(([name]) => name);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(`check: there is no ${JSON.stringify(unknown)}; there are ${names.join(', ')}`);
  await makeReady({ dev: true });
  await make(CHECKS.filter(([name]) => wanted.length === 0 || wanted.includes(name)));
});

async function make(checks) {
  const waiting = [...checks];
  const results = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(report(await check(...next)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  summarise(results);
}

async function check(name, script, ...args) {
  const started = performance.now();
  const child = spawn(process.execPath, [NEW_SPACE, inRoot(script), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  const seconds = (performance.now() - started) / 1000;
  const wasMade = code !== NOT_MADE[name];
  return { name, wasMade, passed: code === 0 || !wasMade, seconds, output: Buffer.concat(output).toString().trim() };
}

function report(result) {
  if (!result.passed || !result.wasMade) console.log(`── ${result.name} ──\n${result.output}\n`);
  return result;
}

function summarise(results) {
  for (const { name, wasMade, passed, seconds } of results) {
    console.log(
      `${!wasMade ? 'UNKNOWN' : passed ? 'ok     ' : 'FAILED '} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(5)} s`,
    );
  }
  if (results.some(({ passed }) => !passed)) process.exitCode = 1;
}
