/**
 * `npm test [-- JEST ARGUMENTS]`: installs, builds, then runs Jest. Jest compiles the sources itself, but worker threads
 * and child processes that a test starts run from dist/, so the build comes first.
 * Where CI is set, a file that failed beside others is run a second time, alone (docs/decisions/0014).
 * The last line is `Tests: N passed, N failed`; the exit code is 1 where a test failed or none ran.
 */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { makeReady, run } from './lib/ready.mjs';
import { inRoot, root } from './lib/root.mjs';
import { specsOnEventStoreDb } from './lib/on-eventstoredb.mjs';
import { newTestFolder } from './lib/test-folder.mjs';
import { whatRan } from './lib/what-ran.mjs';

/** More failing files than this are no chance: they fail at once. */
const SECOND_RUNS = 4;
/** So many files are named with their times. */
const SLOWEST = 20;
/** Of what a failed test said, as much as tells why where the end of the output is all that somebody has. */
const LINES_OF_FAILURE = 12;

// Hundreds of processes are started, each in half the time with the archive.
await run(() => makeReady({ archive: true }));
summarise(process.exitCode ? null : await runTests(argumentsOf(process.argv.slice(2))));

/** On a double of EventStoreDB, without arguments of one's own, what opens an application; everything else ran before. */
function argumentsOf(given) {
  if (process.env.MACE_TEST_EVENT_STORE !== 'eventstoredb' || given.length > 0) return given;
  return ['--runTestsByPath', ...specsOnEventStoreDb((line) => process.stderr.write(`${line}\n`))];
}

/** The account of the run; in it, a file that failed and then passed alone has its second account. */
async function runTests(args) {
  const first = await runJest(args);
  const failing = first?.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name) ?? [];
  if (!process.env.CI || failing.length === 0 || failing.length > SECOND_RUNS) return first;
  const alone = new Map();
  for (const name of failing) {
    console.log(`\nRun again, alone: ${short(name)}`);
    // What a failed test left open must not hold the run up.
    const second = await runJest(['--runInBand', '--forceExit', '--runTestsByPath', name]);
    if (second !== null) alone.set(name, second.testResults[0]);
  }
  return withSecond(first, alone);
}

function withSecond(first, alone) {
  const unsteady = first.testResults.filter(({ name }) => alone.get(name)?.status === 'passed');
  const testResults = first.testResults.map((result) => (unsteady.includes(result) ? alone.get(result.name) : result));
  const failed = testResults.filter(({ status }) => status === 'failed');
  const count = (status) => testResults.flatMap((one) => one.assertionResults).filter((test) => test.status === status);
  return {
    testResults,
    unsteady,
    numPassedTests: count('passed').length,
    numFailedTests: count('failed').length,
    numRuntimeErrorTestSuites: failed.filter(({ assertionResults }) => assertionResults.length === 0).length,
    numPendingTests: count('pending').length,
    numTodoTests: count('todo').length,
  };
}

function short(path) {
  return path.slice(root.length + 1);
}

/** Jest's own account of the run, or null where it left none. */
async function runJest(args) {
  const folder = newTestFolder();
  const report = join(folder, 'report.json');
  try {
    await jest(['--json', `--outputFile=${report}`, ...args], { MACE_TEST_DISK: tmpdir(), TMPDIR: folder });
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch (error) {
    process.stderr.write(`Jest left no report: ${error.message}\n`);
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function jest(args, settings) {
  const child = spawn(process.execPath, [inRoot('node_modules', 'jest', 'bin', 'jest.js'), ...args], {
    cwd: root,
    env: { ...process.env, ...settings },
    // Jest's stdout would be its JSON a second time; what a person reads is on stderr.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
}

function summarise(report) {
  if (report === null) return finish(0, 1, 0);
  const slowest = report.testResults
    .map(({ name, startTime, endTime }) => ({ name: short(name), ms: endTime - startTime }))
    .sort((a, b) => b.ms - a.ms);
  const inSeconds = (ms) => `${(ms / 1000).toFixed(1).padStart(7)} s`;
  const all = slowest.reduce((sum, { ms }) => sum + ms, 0);
  console.log(`\nSlowest of ${slowest.length} files, which took ${inSeconds(all).trim()} together:`);
  for (const { name, ms } of slowest.slice(0, SLOWEST)) console.log(`${inSeconds(ms)}  ${name}`);

  for (const line of whatRan(report.testResults)) console.log(line);
  if (report.unsteady) list('Unsteady, a defect to be mended (failed beside others, passed alone):', report.unsteady);
  list(
    'Failed:',
    report.testResults.filter(({ status }) => status === 'failed'),
  );
  // A file that could not be loaded has no tests to fail, so it counts as one.
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  finish(report.numPassedTests, failed, report.numPendingTests + report.numTodoTests);
}

function list(heading, failures) {
  if (failures.length > 0) console.log(`\n${heading}`);
  for (const { name, assertionResults } of failures) {
    console.log(`  ${short(name)}`);
    for (const test of assertionResults.filter(({ status }) => status === 'failed')) {
      console.log(`    ✕ ${test.fullName}`);
      for (const message of test.failureMessages) console.log(beginningOf(message));
    }
  }
}

function beginningOf(message) {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, LINES_OF_FAILURE);
  return lines.map((line) => `        ${line}`).join('\n');
}

function finish(passed, failed, skipped) {
  if (failed > 0 || passed === 0) process.exitCode = 1;
  console.log(`\nTests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}
