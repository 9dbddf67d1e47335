import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { writeAtomically } from './atomic-file.mjs';
import { npm } from './npm.mjs';
import { DIST, inRoot } from './root.mjs';

/** Libraries that others install, and the folders of dist/packages in which they lie as packages. */
const PACKAGES = [
  { library: 'agent-server', name: 'agent' },
  { library: 'client', name: 'client' },
];
const folderOf = ({ name }) => join(DIST, 'packages', name);

/** The code of each package, with what it takes of structured-headers, and its package.json; types are `pack`'s. */
export const packageBundles = PACKAGES.map((one) => ({
  main: `libs/${one.library}/src/index.js`,
  output: join('packages', one.name, 'index.js'),
  manifest: () => ({ path: join(folderOf(one), 'package.json'), contents: JSON.stringify(manifestOf(one), null, 2) }),
}));

/** Completes the packages and makes an archive of each, as a registry would keep it. @returns the archives */
export async function pack() {
  const notice = readFileSync(inRoot('node_modules', 'structured-headers', 'LICENSE'), 'utf8');
  const license = `${readFileSync(inRoot('LICENSE'), 'utf8')}\nindex.js has parts of structured-headers:\n\n${notice}`;
  const archives = [];
  for (const one of PACKAGES) {
    const folder = folderOf(one);
    const readme = readFileSync(inRoot('libs', one.library, 'README.md'), 'utf8');
    rmSync(join(folder, 'types'), { recursive: true, force: true });
    for await (const { path, contents } of typesOf(one.library)) writeAtomically(join(folder, 'types', path), contents);
    writeAtomically(join(folder, 'package.json'), JSON.stringify(manifestOf(one), null, 2));
    writeAtomically(join(folder, 'LICENSE'), license);
    writeAtomically(join(folder, 'README.md'), readme);
    archives.push(await archived(folder));
  }
  return archives;
}

async function archived(folder) {
  const target = dirname(folder);
  mkdirSync(target, { recursive: true });
  const { code, output } = await npm(['pack', folder, '--pack-destination', target, '--json'], 'pipe');
  if (code !== 0) throw new Error(`npm pack ${folder} failed; its message stands above`);
  return join(target, JSON.parse(output)[0].filename.replace('@', '').replace('/', '-'));
}

function manifestOf({ library }) {
  const read = (...path) => JSON.parse(readFileSync(inRoot(...path), 'utf8'));
  const { version, license, engines } = read('package.json');
  const { name, description, ...own } = read('libs', library, 'package.json');
  return { name, version, description, license, engines, ...own };
}

/** What a file says of another one of ours; packages have of libs/signatures only its types of keys. */
const OURS = /(?<=from '|import\(')(?:\.[^']*|#lib\/signatures)(?=')/g;
const KEYS = 'signatures/src/response-key';

/** Declarations of a library's index, and of what they need. */
async function* typesOf(library) {
  const { transformFile } = await import('@swc/core');
  const files = new Set([`${library}/src/index`]);
  for (const file of files) {
    const { output } = await transformFile(inRoot('libs', `${file}.ts`), {
      swcrc: false,
      configFile: false,
      jsc: { target: 'es2023', parser: { syntax: 'typescript' }, experimental: { emitIsolatedDts: true } },
    });
    const contents = JSON.parse(output).__swc_isolated_declarations__.replaceAll(OURS, (name) => {
      files.add(name.startsWith('.') ? posix.join(posix.dirname(file), name.replace(/\.js$/, '')) : KEYS);
      return name.startsWith('.') ? name : `../../${KEYS}.js`;
    });
    yield { path: `${file}.d.ts`, contents };
  }
}
