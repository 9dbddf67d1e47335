import { spawn } from 'node:child_process';
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { writeAtomically } from './atomic-file.mjs';
import { wantedStamp } from './build-plan.mjs';
import { withLock } from './lock.mjs';
import { inRoot, progress, root } from './root.mjs';

const LOCK_FILE = inRoot('package-lock.json');
const STAMP = inRoot('node_modules', '.mace-stamp');
/** What npm says it has installed; written last, so a broken install has none. */
const INSTALLED = inRoot('node_modules', '.package-lock.json');

/** Installs the locked dependencies unless they are there. */
export async function ensureInstalled() {
  if (read(STAMP) === wantedStamp()) return;
  await withLock('install', async () => {
    const [found, wanted] = [read(STAMP), wantedStamp()];
    if (found === wanted) return;
    const otherNode = found !== null && !found.endsWith(` ${process.version}\n`);
    if (otherNode || !matchesLockFile()) {
      refuseLink();
      await npmCi();
    }
    writeAtomically(STAMP, wanted);
  });
}

/** `npm ci` empties the folder first: through a link that would be somebody else's. */
function refuseLink() {
  const folder = inRoot('node_modules');
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new Error(
    `node_modules is a symbolic link${targetOf(folder)}, and npm ci would empty what it leads to. ` +
      'Remove the link and start again: the dependencies are then installed here. ' +
      'Or install there what this package-lock.json names, with this version of Node.',
  );
}

function targetOf(link) {
  try {
    return ` to ${realpathSync(link)}`;
  } catch (error) {
    if (error.code === 'ENOENT') return ' that leads nowhere';
    throw error;
  }
}

/** Whether a hand-made `npm ci` or `npm install` left exactly what the lock file names. */
function matchesLockFile() {
  const installed = packagesIn(INSTALLED);
  if (!installed) return false;
  const locked = packagesIn(LOCK_FILE);
  const names = Object.keys(locked).filter((name) => name !== '');
  return (
    Object.keys(installed).every((name) => name in locked) &&
    names.every((name) =>
      installed[name] ? installed[name].integrity === locked[name].integrity : locked[name].optional === true,
    )
  );
}

function packagesIn(file) {
  const text = read(file);
  return text === null ? null : JSON.parse(text).packages;
}

async function npmCi() {
  progress('installing dependencies, once; this takes about half a minute …');
  const started = Date.now();
  const ticker = setInterval(() => progress(`  installing, ${seconds(started)} s`), 5000);
  try {
    // --include=dev: with NODE_ENV=production npm would leave out what `npm test` needs.
    await npm('ci', '--no-audit', '--no-fund', '--include=dev', '--loglevel=error');
  } finally {
    clearInterval(ticker);
  }
  progress(`dependencies installed in ${seconds(started)} s`);
}

/** The npm that started us, else the one on the path. Its output goes to stderr. */
function npm(...args) {
  const script = process.env.npm_execpath;
  const byPath = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const [command, before] = script?.endsWith('.js') ? [process.execPath, [script]] : [byPath, []];
  const options = { cwd: root, stdio: ['ignore', 2, 2], shell: command === 'npm.cmd' };
  return new Promise((resolve, reject) => {
    spawn(command, [...before, ...args], options)
      .on('error', reject)
      .on('exit', (code) => (code === 0 ? resolve() : reject(new Error('npm ci failed; its message stands above'))));
  });
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

const seconds = (since) => Math.round((Date.now() - since) / 1000);
