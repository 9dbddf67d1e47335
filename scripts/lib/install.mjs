import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { writeAtomically } from './atomic-file.mjs';
import { withLock } from './lock.mjs';
import { npm } from './npm.mjs';
import { inRoot, progress } from './root.mjs';

const MODULES = inRoot('node_modules');
/** Written last, so that a broken installation has none. */
const STAMP = inRoot('node_modules', '.mace-stamp');

/**
 * Installs the locked dependencies unless they are there.
 * @param dev whether those for tests and checks are wanted too, three times as many
 */
export async function ensureInstalled({ dev = false } = {}) {
  if (isInstalled(dev)) return;
  await withLock('install', async () => {
    if (isInstalled(dev)) return;
    const found = read(STAMP);
    const isWhole = isByHand(true);
    if (!isWhole && !isByHand(dev)) {
      refuseLink();
      // `npm ci` would first remove what a running server may still load.
      await (found === stampOf(false)
        ? install('install', '--no-save', '--include=dev')
        : install('ci', dev ? '--include=dev' : '--omit=dev'));
    }
    writeAtomically(STAMP, stampOf(dev || isWhole));
  });
}

function isInstalled(dev) {
  const found = read(STAMP);
  return found === stampOf(true) || (!dev && found === stampOf(false));
}

/** Names what is installed: the lock file's hash, and whether it is all. No package depends on the release of Node. */
function stampOf(dev) {
  const hash = createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex');
  return `${hash} ${dev ? 'all' : 'what runs'}\n`;
}

/** Whether an `npm ci` or `npm install` by hand left what the lock file names, for this Node. */
function isByHand(dev) {
  if (read(STAMP) !== null) return false;
  const installed = packagesIn(inRoot('node_modules', '.package-lock.json'));
  if (!installed) return false;
  const wanted = Object.entries(packagesIn(inRoot('package-lock.json'))).filter(
    ([name, { dev: isDev, optional }]) => name !== '' && !optional && (dev || !isDev),
  );
  return wanted.every(([name, { integrity }]) => installed[name]?.integrity === integrity);
}

const packagesIn = (file) => JSON.parse(read(file) ?? '{}').packages;

/** npm empties the folder first: through a link that would be somebody else's. */
function refuseLink() {
  if (!lstatSync(MODULES, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const target = existsSync(MODULES) ? `to ${realpathSync(MODULES)}` : 'that leads nowhere';
  throw new Error(
    `node_modules is a symbolic link ${target}, and npm ci would empty what it leads to. ` +
      'Remove the link and start again: the dependencies are then installed here. ' +
      'Or install there what this package-lock.json names, with this version of Node.',
  );
}

async function install(...args) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  progress('installing dependencies, once …');
  const ticker = setInterval(() => progress(`  installing, ${seconds()} s`), 5000);
  try {
    const { code } = await npm([...args, '--no-audit', '--no-fund', '--loglevel=error']);
    if (code !== 0) throw new Error(`npm ${args[0]} failed; its message stands above`);
  } finally {
    clearInterval(ticker);
  }
  progress(`dependencies installed in ${seconds()} s`);
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}
