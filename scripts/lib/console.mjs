import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeAtomically } from './atomic-file.mjs';
import { withLock } from './lock.mjs';
import { DIST, inRoot } from './root.mjs';

/** What the page is made of. */
const SOURCES = [
  'apps/console/src',
  'libs/client/src',
  'libs/verifier/src',
  'scripts/lib/console.mjs',
  'package-lock.json',
];
/** The client's, of which nothing is left in the page. */
const TYPES = inRoot('libs', 'client', 'src', 'api.ts');
const FOLDER = join(DIST, 'console');
/** The files of the page, and what they were made of; written last, so that what is there is complete. */
const MANIFEST = join(FOLDER, 'manifest.json');

/** Browsers of the last two years and more. */
const TARGETS = ['chrome115', 'firefox115', 'safari17'];
const VERIFIER_PAGE = 'mace-verify.html';

const DAY_MS = 86_400_000;
const KB = 1000;
/** Bytes after gzip: of the script that the first view waits for, and of everything. */
const BUDGET = { first: 130 * KB, all: 250 * KB };
const MAIN = 'apps/console/src/main.tsx';

/**
 * Brings dist/console up to date with its sources.
 * @throws Error where a source does not compile, or the page has grown beyond its budget
 */
export async function ensureConsole() {
  const digest = digestOf(SOURCES.map((path) => inRoot(path)));
  if (isCurrent(digest)) return;
  await withLock('console', async () => {
    if (!isCurrent(digest)) await build(digest);
  });
}

function isCurrent(digest) {
  return existsSync(MANIFEST) && JSON.parse(readFileSync(MANIFEST, 'utf8')).digest === digest;
}

async function build(digest) {
  const esbuild = await import('esbuild');
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: inRoot(),
    entryPoints: { main: MAIN },
    tsconfig: inRoot('apps', 'console', 'tsconfig.json'),
    outdir: FOLDER,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: TARGETS,
    jsx: 'automatic',
    minify: true,
    metafile: true,
    write: false,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'error',
  });
  const files = outputFiles.map(({ path, contents }) => ({ name: path.slice(FOLDER.length + 1), contents }));
  files.push({ name: VERIFIER_PAGE, contents: Buffer.from(await verifierPage(esbuild)) });
  const first = loadedFirst(metafile.outputs);
  holdToBudget(files, first);
  for (const { name, contents } of files) writeAtomically(join(FOLDER, name), contents);
  const [script, ...preload] = first.filter((name) => name.endsWith('.js'));
  const style = files.find(({ name }) => name.endsWith('.css')).name;
  const names = files.map(({ name }) => name).sort();
  writeAtomically(MANIFEST, JSON.stringify({ digest, script, style, preload, files: names }));
  // A server that runs gives out the page of the build before, which loads its screens one by one.
  for (const name of readdirSync(FOLDER))
    if (!names.includes(name) && statSync(join(FOLDER, name)).mtimeMs < Date.now() - DAY_MS && name !== 'manifest.json')
      rmSync(join(FOLDER, name));
}

/** The page that verifies bundles: one file, with its script and style in it, which asks nobody for anything. */
async function verifierPage({ build: bundle }) {
  const folder = inRoot('apps', 'console', 'src', 'verify');
  const { outputFiles } = await bundle({
    absWorkingDir: inRoot(),
    entryPoints: [join(folder, 'main.ts')],
    tsconfig: inRoot('apps', 'console', 'tsconfig.json'),
    bundle: true,
    format: 'esm',
    target: TARGETS,
    minify: true,
    write: false,
    alias: {
      'node:crypto': join(folder, 'crypto.ts'),
      'node:buffer': join(folder, 'elsewhere.ts'),
      'node:zlib': join(folder, 'elsewhere.ts'),
    },
    inject: [join(folder, 'buffer.ts')],
    legalComments: 'none',
    logLevel: 'error',
  });
  const script = outputFiles[0].text.replaceAll('</script', '<\\/script').trim();
  const page = readFileSync(join(folder, 'page.html'), 'utf8').replace('</script>', () => `${script}</script>`);
  const [style] = /(?<=<style>)[^<]*/.exec(page);
  const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  // Only these very texts run, and nothing can be asked of anybody.
  return page.replace('{{policy}}', `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}`);
}

/** The script of the entry, then what it imports at once. */
function loadedFirst(outputs) {
  const named = (path) => path.slice(path.lastIndexOf('/') + 1);
  const entry = Object.keys(outputs).find((path) => outputs[path].entryPoint === MAIN);
  const found = new Set([entry]);
  for (const path of found)
    for (const { path: next, kind } of outputs[path].imports) if (kind === 'import-statement') found.add(next);
  return [...found].map(named);
}

function holdToBudget(files, first) {
  const sizes = new Map(files.map(({ name, contents }) => [name, gzipSync(contents).length]));
  const sum = (names) => names.reduce((total, name) => total + (sizes.get(name) ?? 0), 0);
  const measured = { first: sum(first), all: sum([...sizes.keys()]) };
  for (const [what, bytes] of Object.entries(measured))
    if (bytes > BUDGET[what])
      throw new Error(`the console takes ${bytes} bytes after gzip (${what}); at most ${BUDGET[what]} are allowed`);
}

function digestOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesIn)) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => file !== TYPES)
    .sort();
}
