import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeAtomically } from './atomic-file.mjs';
import { bundle, BUNDLES } from './bundle.mjs';
import { withLock } from './lock.mjs';
import { DIST, inRoot, progress, slashed } from './root.mjs';

const ROOMS = ['apps', 'libs', 'test'];
/** The client's, of which nothing is left once they are compiled. */
const TYPES = inRoot('libs', 'client', 'src', 'api.ts');
const MANIFEST = join(DIST, '.build.json');
/** Another one of these builds everything anew. */
const BUILDER = ['./build.mjs', './bundle.mjs', './packages.mjs'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);
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
 * more, and bundles what must start quickly. The manifest holds size and mtime of each source as built.
 * @throws Error naming every file that does not compile; the others are built all the same
 */
export async function ensureBuilt() {
  if (isCurrent(plan())) return;
  // Under the lock look again: another process may have built meanwhile.
  await withLock('build', async () => {
    const todo = plan();
    if (!isCurrent(todo)) await build(todo);
  });
}

/** What there is to build, and what is built of files that are gone. */
function plan() {
  const key = createHash('sha256')
    .update(`${readFileSync(inRoot('package-lock.json'))} ${BUILDER.map(stampOf)}`)
    .digest('hex');
  const manifest = readManifest();
  const before = manifest.key === key ? manifest.files : {};
  const files = Object.fromEntries(ROOMS.flatMap((room) => [...sourcesIn(inRoot(room))]).map(stamped));
  const changed = Object.keys(files).filter((file) => files[file] !== before[file] || !existsSync(outputOf(file)));
  const removed = Object.keys(manifest.files).filter((file) => !(file in files));
  const isOld = [...changed, ...removed].some((file) => !/^test\/|\.spec\.ts$/.test(file));
  return { key, files, changed, removed, bundles: isOld || manifest.isBundled === false || !BUNDLES.every(existsSync) };
}

const isCurrent = ({ changed, removed, bundles }) => changed.length + removed.length === 0 && !bundles;

async function build({ key, files, changed, removed, bundles }) {
  const started = Date.now();
  if (changed.length > 20) progress(`building ${changed.length} files …`);
  const { transformFile } = await import('@swc/core');
  const results = await Promise.allSettled(changed.map((file) => buildOne(file, transformFile)));
  for (const file of removed) for (const end of ['', '.map']) rmSync(outputOf(file) + end, { force: true });
  const failures = results.flatMap(({ reason }, i) => (reason ? [`${changed[i]}: ${readable(reason)}`] : []));
  changed.forEach((file, i) => results[i].reason && delete files[file]);
  if (failures.length === 0 && bundles) await bundle();
  // Bundles that are older than their sources are made by the next build; a running server may still need them.
  writeAtomically(MANIFEST, JSON.stringify({ key, files, isBundled: failures.length === 0 }));
  if (failures.length > 0) throw new Error(failures.join('\n'));
  if (changed.length > 20) progress(`built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

async function buildOne(file, transformFile) {
  const output = outputOf(file);
  if (!file.endsWith('.ts')) return writeAtomically(output, readFileSync(inRoot(file)));
  const { code, map } = await transformFile(inRoot(file), SWC_OPTIONS);
  writeAtomically(`${output}.map`, map);
  writeAtomically(output, `${code}//# sourceMappingURL=${output.split(/[\\/]/).at(-1)}.map\n`);
}

/** swc appends its own stack to what a reader needs. */
function readable({ message }) {
  return message.split('\n\nCaused by:')[0].trim();
}

/** Sources, and the data files that lie among them. */
function* sourcesIn(folder) {
  for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* sourcesIn(path);
    else if (path !== TYPES && /(?<!\.d)\.ts$|\/(?:src|test)\/.*\.(?:json|proto)$/.test(slashed(path))) yield path;
  }
}

function readManifest() {
  try {
    return JSON.parse(readFileSync(MANIFEST, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return { key: '', files: {} };
    throw error;
  }
}

function stampOf(file) {
  const { size, mtimeMs } = statSync(file);
  return `${size} ${mtimeMs}`;
}

const stamped = (path) => [slashed(relative(inRoot(), path)), stampOf(path)];
const outputOf = (file) => join(DIST, file.replace(/\.ts$/, '.js'));
