import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeAtomically } from './atomic-file.mjs';
import { wantedStamp } from './install.mjs';
import { withLock } from './lock.mjs';
import { inRoot, progress, root } from './root.mjs';

const SOURCES = ['apps', 'libs', 'test'];
const DIST = inRoot('dist');
const MANIFEST = join(DIST, '.build.json');

const SWC_OPTIONS = {
  swcrc: false,
  configFile: false,
  sourceMaps: true,
  module: { type: 'es6' },
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
    // Without it `import x from './x.json' with { type: 'json' }` loses its second half.
    experimental: { keepImportAttributes: true },
  },
};

/**
 * Brings dist/ up to date with the sources: compiles what changed, copies data files, removes what has no source any
 * more. The manifest holds size and mtime of each source as built; another dependency tree, Node or this file builds
 * everything anew.
 * @throws Error naming every file that does not compile; the others are built all the same
 */
export async function ensureBuilt() {
  if (isCurrent(plan())) return;
  // Under the lock look again: another process may have built meanwhile.
  await withLock('build', async () => {
    const todo = plan();
    if (!isCurrent(todo)) await carryOut(todo);
  });
}

/**
 * Whether dist/ holds what one folder's sources say now.
 * @param folder such as `libs/verifier`
 */
export function isBuilt(folder) {
  return isCurrent(plan([folder]));
}

function plan(folders = SOURCES) {
  const key = `${wantedStamp()}${stampOf(fileURLToPath(import.meta.url))}`;
  const manifest = readManifest();
  const before = manifest.key === key ? manifest.files : {};
  const files = {};
  for (const folder of folders) for (const file of sourcesIn(inRoot(folder))) files[slashed(file)] = stampOf(file);
  return {
    key,
    files,
    changed: Object.keys(files).filter((file) => files[file] !== before[file] || !existsSync(outputOf(file))),
    removed: Object.keys(manifest.files).filter(
      (file) => !(file in files) && folders.some((folder) => file.startsWith(`${folder}/`)),
    ),
  };
}

const isCurrent = ({ changed, removed }) => changed.length === 0 && removed.length === 0;

async function carryOut({ key, files, changed, removed }) {
  const started = Date.now();
  if (changed.length > 20) progress(`building ${changed.length} files …`);
  const { transformFile } = await import('@swc/core');
  const results = await Promise.allSettled(changed.map((file) => buildOne(file, transformFile)));
  for (const file of removed) for (const end of ['', '.map']) rmSync(outputOf(file) + end, { force: true });

  const failures = results.flatMap(({ reason }, i) => (reason ? [{ file: changed[i], reason }] : []));
  for (const { file } of failures) delete files[file];
  writeAtomically(MANIFEST, JSON.stringify({ key, files }));
  if (failures.length > 0) throw new Error(failures.map(readable).join('\n'));
  if (changed.length > 20) progress(`built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** swc appends its own stack to what a reader needs. */
function readable({ file, reason }) {
  return `${file}: ${reason.message.split('\n\nCaused by:')[0].trim()}`;
}

async function buildOne(file, transformFile) {
  const output = outputOf(file);
  if (!file.endsWith('.ts')) return writeAtomically(output, readFileSync(inRoot(file)));
  const { code, map } = await transformFile(inRoot(file), SWC_OPTIONS);
  writeAtomically(`${output}.map`, map);
  writeAtomically(output, `${code}//# sourceMappingURL=${output.slice(output.lastIndexOf(sep) + 1)}.map\n`);
}

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

const slashed = (path) => relative(root, path).split(sep).join('/');
const outputOf = (file) => join(DIST, file.replace(/\.ts$/, '.js'));
