import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inRoot, root } from './root.mjs';

const SOURCES = ['apps', 'libs', 'test'];
/** What says how a source is built: another one builds everything anew. */
const BUILDER = [
  'archive-loader.cjs',
  'archive-warming.cjs',
  'archive.mjs',
  'build-plan.mjs',
  'builder.mjs',
  'joined.mjs',
  'one-file.mjs',
  'package-entry.mjs',
];
const DIST = inRoot('dist');
export const MANIFEST = join(DIST, '.build.json');

/** Programs that also come as one file: of which folder, from where it starts, and what it is called. */
export const ONE_FILES = [
  { folder: 'libs/verifier', main: 'libs/verifier/src/main.js', output: 'libs/verifier/mace-verify.cjs' },
].map(({ folder, main, output }) => ({ folder, main: join(DIST, main), output: join(DIST, output) }));

/**
 * Threads for which somebody waits, each start of a server or a command for those of its stores: they come as one file,
 * without what they would load by the indexes of libraries, and without the loader of ES modules.
 */
const JOINED = [
  'apps/api/src/replay/sweep.worker',
  'libs/event-store/src/sqlite/event-log.worker',
  'libs/event-store/src/sqlite/subject-keys.worker',
  'libs/integrity/src/threads/range.worker',
  'libs/integrity/src/threads/walk.worker',
  'libs/proof/src/store/proof.worker',
  'libs/read-store/src/sqlite/digest.worker',
  'libs/read-store/src/sqlite/read-store.worker',
].map((path) => ({
  main: join(DIST, `${path}.js`),
  output: join(DIST, `${path}.cjs`),
}));

/** Names what must be installed: the lock file's hash and the Node version. */
export function wantedStamp() {
  return `${createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex')} ${process.version}\n`;
}

/**
 * Whether dist/ holds what one folder's sources say now.
 * @param folder such as `libs/verifier`
 */
export function isBuilt(folder) {
  return isCurrent(plan([folder]));
}

/** What there is to build of some folders. */
export function plan(folders = SOURCES) {
  const key = `${wantedStamp()}${BUILDER.map(stampOfOwn).join()}`;
  const manifest = readManifest();
  const before = manifest.key === key ? manifest.files : {};
  const files = {};
  for (const folder of folders) for (const file of sourcesIn(inRoot(folder))) files[slashed(file)] = stampOf(file);
  const changed = Object.keys(files).filter((file) => files[file] !== before[file] || !existsSync(outputOf(file)));
  const removed = Object.keys(manifest.files).filter((file) => !(file in files) && isBelow(file, folders));
  const isOld = [...changed, ...removed].some((file) => !isBelow(file, ['test']));
  const oneFiles = ONE_FILES.filter(
    ({ folder, output }) =>
      (folders === SOURCES || folders.includes(folder)) &&
      (!existsSync(output) || [...changed, ...removed].some((file) => isBelow(file, [folder]))),
  );
  const joins = folders === SOURCES ? JOINED.filter(({ output }) => isOld || !existsSync(output)) : [];
  return { key, files, changed, removed, isOld, oneFiles, joins };
}

export const isCurrent = ({ changed, removed, oneFiles, joins }) =>
  [changed, removed, oneFiles, joins].every(({ length }) => length === 0);

function* sourcesIn(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') yield* sourcesIn(path);
    } else if (isSource(slashed(path))) yield path;
  }
}

/** Programs (specs run from source, under Jest) and the data files that lie among them. */
function isSource(path) {
  if (path.endsWith('.ts')) return !/\.(spec|d)\.ts$/.test(path);
  return /\.(json|proto)$/.test(path) && /^(apps|libs)\/[^/]+\/src\/|^test\//.test(path);
}

function stampOf(file) {
  const { size, mtimeMs } = statSync(file);
  return `${size} ${mtimeMs}`;
}

function readManifest() {
  try {
    return JSON.parse(readFileSync(MANIFEST, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return { key: '', files: {} };
    throw error;
  }
}

const stampOfOwn = (file) => stampOf(fileURLToPath(new URL(file, import.meta.url)));
const isBelow = (file, folders) => folders.some((folder) => file.startsWith(`${folder}/`));
const slashed = (path) => relative(root, path).split(sep).join('/');
export const outputOf = (file) => join(DIST, file.replace(/\.ts$/, '.js'));
