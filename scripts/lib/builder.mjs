import { existsSync, readFileSync, rmSync } from 'node:fs';
import { sep } from 'node:path';
import { ARCHIVE, writeArchive } from './archive.mjs';
import { writeAtomically } from './atomic-file.mjs';
import { isCurrent, MANIFEST, outputOf, plan } from './build-plan.mjs';
import { joined } from './joined.mjs';
import { withLock } from './lock.mjs';
import { oneFile } from './one-file.mjs';
import { inRoot, progress } from './root.mjs';

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
 *
 * The archive (archive.mjs) is made where everything is built anew, or it is asked for; what changes a few files takes
 * it away, and programs are loaded from their files.
 * @param archive whether it must be there
 * @throws Error naming every file that does not compile; the others are built all the same
 */
export async function ensureBuilt({ archive = false } = {}) {
  if (isReady(plan(), archive)) return;
  // Under the lock look again: another process may have built meanwhile.
  await withLock('build', async () => {
    const todo = plan();
    if (!isCurrent(todo)) await carryOut(todo);
    if (!existsSync(ARCHIVE.at(-1)) && (archive || todo.changed.length > SOME)) await writeArchive();
  });
}

const isReady = (todo, archive) => isCurrent(todo) && (!archive || existsSync(ARCHIVE.at(-1)));
/** As many files as somebody changes between two builds. */
const SOME = 200;

async function carryOut({ key, files, changed, removed, isOld, oneFiles, joins }) {
  const started = Date.now();
  if (isOld) for (const file of ARCHIVE.toReversed()) rmSync(file, { force: true });
  if (changed.length > 20) progress(`building ${changed.length} files …`);
  const { transformFile } = await import('@swc/core');
  const results = await Promise.allSettled(changed.map((file) => buildOne(file, transformFile)));
  for (const file of removed) for (const end of ['', '.map']) rmSync(outputOf(file) + end, { force: true });

  const failures = results.flatMap(({ reason }, i) => (reason ? [{ file: changed[i], reason }] : []));
  for (const { file } of failures) delete files[file];
  const isWhole = ({ folder }) => !failures.some(({ file }) => file.startsWith(`${folder}/`));
  for (const each of oneFiles.filter(isWhole)) failures.push(...made(each, oneFile));
  if (failures.length === 0) for (const each of joins) failures.push(...made(each, joined));
  else for (const { output } of joins) rmSync(output, { force: true });
  writeAtomically(MANIFEST, JSON.stringify({ key, files }));
  if (failures.length > 0) throw new Error(failures.map(readable).join('\n'));
  if (changed.length > 20) progress(`built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** One that was not made is missing, and so is made by the next build. */
function made({ main, output }, join) {
  try {
    writeAtomically(output, join(main, output));
    return [];
  } catch (reason) {
    rmSync(output, { force: true });
    return [{ file: output, reason }];
  }
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
