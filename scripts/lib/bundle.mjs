import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { writeAtomically } from './atomic-file.mjs';
import { packageBundles } from './packages.mjs';
import { DIST, slashed } from './root.mjs';

const DAY_MS = 86_400_000;

const PROGRAM = { main: 'apps/cli/src/main.js', output: 'mace/main.js' };
const VERIFIER = { main: 'libs/verifier/src/main.js', output: 'libs/verifier/mace-verify.cjs' };
/** Threads for which each start of a server or a command waits. */
const THREADS = [
  'apps/api/src/replay/sweep.worker',
  'libs/event-store/src/sqlite/event-log.worker',
  'libs/event-store/src/sqlite/subject-keys.worker',
  'libs/integrity/src/threads/range.worker',
  'libs/integrity/src/threads/walk.worker',
  'libs/proof/src/store/proof.worker',
  'libs/read-store/src/sqlite/digest.worker',
  'libs/read-store/src/sqlite/read-store.worker',
].map((path) => ({ main: `${path}.js`, output: `${path}.cjs` }));

/** What people start, what that starts, and what others install. */
export const BUNDLES = [PROGRAM, VERIFIER, ...THREADS, ...packageBundles].map(({ output }) => join(DIST, output));

/**
 * Packages that are loaded from where they lie: those that find files by their own place, those that a module asks for
 * by `createRequire` or only some installation needs, and those that Nest looks for and does without.
 */
const FROM_PACKAGES = [
  '@eventstore/db-client',
  '@fastify/multipart',
  '@fastify/view',
  '@grpc/*',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  '@opentelemetry/*',
  'class-transformer',
  'class-validator',
  'grpc-health-check',
  'ioredis',
  'mongodb',
  // Bundled it would come after classes whose decorators need it.
  'reflect-metadata',
];
const REQUIRE = `import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);`;

/**
 * Writes the bundles: threads and verifier as one file each, the program in chunks that a command loads when it needs
 * them. Each file is written whole, and those of BUNDLES last, so that what is there is complete. Chunks of the build before
 * stay: a server that runs may still load one.
 */
export async function bundle() {
  const { build } = await import('esbuild');
  const common = { bundle: true, write: false, platform: 'node', target: 'node20', keepNames: true, logLevel: 'error' };
  const one = ({ main, output }) =>
    build({
      ...common,
      entryPoints: [join(DIST, main)],
      outfile: join(DIST, output),
      format: 'cjs',
      packages: 'external',
      plugins: [inPlace(dirname(join(DIST, output)), `require('node:url').pathToFileURL(__filename)`)],
    });
  const program = build({
    ...common,
    entryPoints: { main: join(DIST, PROGRAM.main) },
    outdir: join(DIST, dirname(PROGRAM.output)),
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    banner: { js: REQUIRE },
    external: FROM_PACKAGES,
    plugins: [inPlace(join(DIST, dirname(PROGRAM.output)), 'import.meta.url')],
  });
  const installed = ({ main, output }) =>
    build({
      ...common,
      entryPoints: [join(DIST, main)],
      outfile: join(DIST, output),
      format: 'esm',
      keepNames: false,
      plugins: [inPlace(dirname(join(DIST, output)), 'import.meta.url')],
    });
  const bundles = [program, one(VERIFIER), ...THREADS.map(one), ...packageBundles.map(installed)];
  const results = await Promise.all(bundles);
  const files = results.flatMap(({ outputFiles }) => outputFiles);
  files.push(...packageBundles.map(({ manifest }) => manifest()));
  const before = statSync(BUNDLES[0], { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  const isLast = ({ path }) => BUNDLES.includes(path);
  for (const file of files.sort((a, b) => isLast(a) - isLast(b))) writeAtomically(file.path, file.contents);
  removeChunks(before - DAY_MS, new Set(files.map(({ path }) => path)));
}

function removeChunks(before, current) {
  const folder = join(DIST, dirname(PROGRAM.output));
  for (const path of readdirSync(folder).map((name) => join(folder, name)))
    if (!current.has(path) && statSync(path).mtimeMs < before) rmSync(path, { force: true });
}

/** Modules of ours keep their `import.meta.url`, by which they find threads and data files, wherever they are bundled. */
function inPlace(folder, here) {
  return {
    name: 'in-place',
    setup(build) {
      build.onResolve({ filter: /^#lib\// }, ({ path }) => ({
        path: join(DIST, 'libs', path.slice('#lib/'.length), 'src', 'index.js'),
      }));
      build.onLoad({ filter: /[\\/]dist[\\/](?:apps|libs)[\\/].*\.js$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (!text.includes('import.meta.url')) return undefined;
        const place = JSON.stringify(slashed(relative(folder, path)));
        return { contents: text.replaceAll('import.meta.url', `new URL(${place}, ${here}).href`), loader: 'js' };
      });
    },
  };
}
