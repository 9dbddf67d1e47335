import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { inRoot, root } from '../../scripts/lib/root.mjs';

/** So many files are named with their times. */
const SLOWEST = 12;
/** Of what a failed test said, as much as tells why where the end of the output is all that somebody has. */
const LINES_OF_FAILURE = 12;
/** Contract suites say so in the title under which an adapter enrols. */
const CONTRACT = /\bcontract\b/;

/**
 * Runs Jest in a process of its own, whose stderr goes to ours.
 * @param settings of its environment
 * @param node the Node that runs it and whatever it starts
 * @returns its report; null where it left none
 */
export async function runJest(args, settings = {}, node = process.execPath) {
  const folder = mkdtempSync(join(tmpdir(), 'mace-report-'));
  const report = join(folder, 'report.json');
  try {
    await jest(node, ['--json', `--outputFile=${report}`, ...args], settings);
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch (error) {
    process.stderr.write(`Jest left no report: ${error.message}\n`);
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function jest(node, args, settings) {
  const child = spawn(node, [inRoot('node_modules', 'jest', 'bin', 'jest.js'), ...args], {
    cwd: root,
    env: { ...process.env, ...settings },
    // Jest's stdout would be its JSON a second time; what a person reads is on stderr.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
}

/** Specs that `npm test` leaves out. */
export function slowFiles() {
  const below = (room) => readdirSync(inRoot(room), { recursive: true });
  return ['apps', 'libs', 'test'].flatMap(below).filter((name) => name.endsWith('.slow.spec.ts'));
}

/**
 * Says of some runs what took long, which adapter kept which contract, what was skipped and why, and what failed.
 * @param notRun what these runs leave out, and which command runs it
 */
export function summarise(reports, notRun = '') {
  const files = reports.flatMap((report) => report?.testResults ?? []);
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const count = (wanted) => tests.filter(({ status }) => status === wanted).length;
  const times = files.map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }));
  const all = times.reduce((sum, { seconds }) => sum + seconds, 0);
  const slowest = times.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  section(
    `Slowest of ${files.length} files, which took ${all.toFixed(0)} s together:`,
    slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(5)} s  ${short(name)}`),
  );
  section('Contracts, and what kept them:', contractsOf(tests));
  section(
    'Skipped:',
    [...new Set(tests.filter(({ status }) => status === 'pending').map((test) => test.fullName))].sort(),
  );
  section('Failed:', files.filter(({ status }) => status === 'failed').flatMap(failuresOf));
  // A file that could not be loaded has no tests to fail, so it counts as one; so does a run without a report.
  const broken = files.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0);
  const failed = count('failed') + broken.length + reports.filter((report) => report === null).length;
  const skipped = count('pending') + count('todo');
  if (failed > 0 || count('passed') === 0) process.exitCode = 1;
  const seed = process.env.MACE_TEST_SEED ?? '1';
  if (notRun) console.log(`\nNot run here: ${notRun}`);
  console.log(`Drawn from MACE_TEST_SEED=${seed}.`);
  console.log(`Tests: ${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}

function contractsOf(tests) {
  const contracts = new Map();
  for (const { ancestorTitles, status } of tests) {
    const title = ancestorTitles.find((one) => CONTRACT.test(one));
    if (title === undefined) continue;
    const { passed = 0, of = 0 } = contracts.get(title) ?? {};
    contracts.set(title, { passed: passed + (status === 'passed'), of: of + 1 });
  }
  return [...contracts].map(([title, { passed, of }]) => `${title}: ${passed} of ${of} passed`).sort();
}

function failuresOf({ name, message, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return [short(name), beginningOf(message)];
  const lines = failed.flatMap((test) => [`  ✕ ${test.fullName}`, ...test.failureMessages.map(beginningOf)]);
  return [short(name), ...lines];
}

function beginningOf(message) {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, LINES_OF_FAILURE);
  return lines.map((line) => `      ${line}`).join('\n');
}

function section(heading, lines) {
  if (lines.length > 0) console.log(['', heading, ...lines.map((line) => `  ${line}`)].join('\n'));
}

function short(path) {
  return path.slice(root.length + 1);
}
