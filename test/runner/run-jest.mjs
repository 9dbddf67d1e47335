import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { accessSync, constants, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { inRoot, root } from '../../scripts/lib/root.mjs';

/** So many files are named with their times. */
const SLOWEST = 12;
/** Of each failure so many lines are repeated at the end of the output, which may be all that somebody has. */
const LINES_OF_FAILURE = 12;
/** Contract suites say so in the title under which an adapter enrols. */
const CONTRACT = /\bcontract\b/;
const MEMORY = '/dev/shm';
const GIB = 2 ** 30;
/**
 * Room for what is new, in MiB: with Node's own 16 most of what a test makes is copied twice before it is garbage, which
 * takes up to a quarter of its processor time.
 */
const NEW_SPACE = '--max-semi-space-size=64';
/** What the folders of the tests that run at a time take at most, and what their processes take beside them. */
const ROOM = { folders: 4 * GIB, processes: 6 * GIB };

/**
 * Runs Jest in a process of its own, whose stderr goes to ours. The run keeps its files in a folder that is gone
 * afterwards, in memory where the machine has room: on a disk a run waits for thousands of syncs, each of which would only
 * matter to a machine that loses its power. A killed process leaves the same in memory, since the kernel goes on;
 * test/crash stays on the disk all the same (MACE_TEST_DISK names the folder there).
 * @param name of the run, for who reads what failed
 * @param settings of its environment
 * @param node the Node that runs it and whatever it starts
 * @returns its report, with its name and whether Jest ended well
 */
export async function runJest(name, args, settings = {}, node = process.execPath) {
  const folder = mkdtempSync(join(hasRoomInMemory() ? MEMORY : tmpdir(), 'mace-test-'));
  // As open as the system's own folder for what is temporary: tests act as other users in it.
  chmodSync(folder, 0o1777);
  const output = join(folder, 'report.json');
  const leave = () => remove(folder);
  process.once('exit', leave);
  // As `mace` keeps it (scripts/lib/start-built.mjs), for the processes that tests start; Node 20 takes no notice.
  const compiled = inRoot('node_modules', '.cache', 'v8');
  const own = { MACE_TEST_DISK: tmpdir(), MACE_TEST_SEED: '1', NODE_COMPILE_CACHE: compiled };
  const env = { ...own, ...process.env, ...settings };
  try {
    const code = await jest(node, ['--json', `--outputFile=${output}`, ...args], { ...env, TMPDIR: folder });
    return { name, code, testResults: JSON.parse(readFileSync(output, 'utf8')).testResults };
  } catch (error) {
    process.stderr.write(`Jest left no report: ${error.message}\n`);
    return { name, code: 1, testResults: [] };
  } finally {
    process.off('exit', leave);
    remove(folder);
  }
}

/** What a process that has not quite ended still writes is removed by a further try. */
function remove(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** A signal ends each Jest that runs, its workers and what they started; with the first of them this process ends too. */
async function jest(node, args, env) {
  const child = spawn(node, [NEW_SPACE, inRoot('node_modules', 'jest', 'bin', 'jest.js'), ...args], {
    cwd: root,
    env,
    // Jest's stdout would be its JSON a second time; what a person reads is on stderr.
    stdio: ['ignore', 'ignore', 'inherit'],
    // A group of its own, which a signal reaches as a whole.
    detached: process.platform !== 'win32',
  });
  const passOn = (signal) => {
    process.exitCode = signal === 'SIGINT' ? 130 : 143;
    endGroup(child, signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, passOn);
  const end = () => endGroup(child, 'SIGKILL');
  process.prependOnceListener('exit', end);
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, passOn);
  process.off('exit', end);
  end();
  if (process.exitCode > 128) process.exit();
  return code;
}

function endGroup({ pid }, signal) {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    // Nothing of it is left.
    if (error.code !== 'ESRCH') throw error;
  }
}

function hasRoomInMemory() {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM.folders && freemem() >= ROOM.folders + ROOM.processes;
  } catch (error) {
    // Not every system has it, or lets everybody write there.
    if (['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'EROFS'].includes(error.code)) return false;
    throw error;
  }
}

/** Specs that `npm test` leaves out. */
export function slowFiles() {
  const below = (room) => readdirSync(inRoot(room), { recursive: true });
  return ['apps', 'libs', 'test'].flatMap(below).filter((name) => name.endsWith('.slow.spec.ts'));
}

/**
 * Tells which files took long, which adapter kept which contract, what was skipped and why, and what failed.
 * @param notRun what these runs leave out, and which command runs it
 */
export function summarise(reports, notRun = '') {
  const files = reports.flatMap(({ name, testResults }) => testResults.map((file) => ({ ...file, run: name })));
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
  const skipped = tests.filter(({ status }) => status === 'pending' || status === 'todo');
  section('Skipped:', [...new Set(skipped.map((test) => test.fullName))].sort());
  const failing = files.filter(({ status }) => status === 'failed');
  section('Failed:', failing.flatMap(failuresOf));
  // A file may fail without a failing test: where it cannot be loaded, or at its end.
  const broken = failing.filter(({ assertionResults }) => !assertionResults.some(({ status }) => status === 'failed'));
  const unexplained = reports.filter(({ code, testResults }) => code !== 0 && !testResults.some(hasFailed));
  for (const { name, code } of unexplained) console.log(`\nJest ended with ${code} (${name}), and no file failed.`);
  const failed = count('failed') + broken.length + unexplained.length;
  if (failed > 0 || count('passed') === 0) process.exitCode = 1;
  if (notRun) console.log(`\nNot run here: ${notRun}`);
  console.log(`Drawn from MACE_TEST_SEED=${process.env.MACE_TEST_SEED ?? '1'}.`);
  console.log(
    `Tests: ${count('passed')} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`,
  );
}

const hasFailed = ({ status }) => status === 'failed';

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

function failuresOf({ run, name, message, assertionResults }) {
  const failed = assertionResults.filter(hasFailed);
  const file = `${short(name)} (${run})`;
  if (failed.length === 0) return [file, beginningOf(message)];
  return [file, ...failed.flatMap((test) => [`  ✕ ${test.fullName}`, ...test.failureMessages.map(beginningOf)])];
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
