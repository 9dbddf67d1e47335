/** `npm run check`: every static check, two at a time, all of them even where one fails. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ensureInstalled } from './lib/install.mjs';
import { run } from './lib/ready.mjs';
import { inRoot, root } from './lib/root.mjs';

const ROOMS = ['apps', 'libs', 'test'].filter((room) => existsSync(inRoot(room)));
const CHECKS = [
  ['lint', 'eslint/bin/eslint.js', '.'],
  ['types', 'typescript7/bin/tsc', '--noEmit', '-p', 'tsconfig.json'],
  ['format', 'prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '--cache', '.'],
  ['borders', 'dependency-cruiser/bin/dependency-cruise.mjs', ...ROOMS],
  [
    'libraries',
    'dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.libraries.mjs',
    'libs',
  ],
  ['dead code', 'knip/bin/knip.js', '--no-progress'],
];
const AT_ONCE = 2;

await run(async () => {
  await ensureInstalled();
  const waiting = [...CHECKS];
  const results = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(report(await check(...next)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  summarise(results);
});

async function check(name, script, ...args) {
  const started = performance.now();
  const child = spawn(process.execPath, [inRoot('node_modules', script), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  const seconds = (performance.now() - started) / 1000;
  return { name, passed: code === 0, seconds, output: Buffer.concat(output).toString().trim() };
}

function report(result) {
  if (!result.passed) console.log(`── ${result.name} ──\n${result.output}\n`);
  return result;
}

function summarise(results) {
  for (const { name, passed, seconds } of results) {
    console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name.padEnd(10)} ${seconds.toFixed(1).padStart(5)} s`);
  }
  if (results.some(({ passed }) => !passed)) process.exitCode = 1;
}
