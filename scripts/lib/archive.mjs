import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { writeAtomically } from './atomic-file.mjs';
import { packageEntry } from './package-entry.mjs';
import { inRoot, root } from './root.mjs';

const DIST = inRoot('dist');
const LOADER = fileURLToPath(new URL('archive-loader.cjs', import.meta.url));
const WARMING = fileURLToPath(new URL('archive-warming.cjs', import.meta.url));
const ASKED = /\brequire\((['"])([^'"\n]+)\1\)/g;
/** Of a script, which swc leaves as it is: what is scanned for requests and is in the archive must be required. */
const IMPORTED = /(?<![.\w$])import\((['"][^'"\n]+['"])\)/g;
const AS_REQUIRED = `Promise.resolve().then(() => ((all) => (all?.__esModule ? all : { ...all, default: all }))(require($1)))`;
const MAP = /^\/\/# sourceMappingURL=.*$/gm;
const AS_COMMONJS = {
  swcrc: false,
  configFile: false,
  module: { type: 'commonjs' },
  jsc: { target: 'es2023', parser: { syntax: 'ecmascript' }, keepClassNames: true },
};

/** The files of the archive, the one last by whose being there a program knows of it. */
export const ARCHIVE = ['archive.bin', 'archive.cjs'].map((name) => join(DIST, name));

/**
 * Puts all modules that the command line may ask for, those of packages too, into one file, each beside the code that V8
 * makes of it, and the loader next to it (scripts/lib/archive-loader.cjs).
 */
export async function writeArchive() {
  const modules = await modulesFrom(join(DIST, 'apps/cli/src/mace.js'));
  write(modules, { tag: null, codes: new Map() });
  // What V8 made of the modules that a first command took.
  write(modules, codesOf());
}

/** By path: text as CommonJS and what each request in it leads to, in the order in which they were found. */
async function modulesFrom(main) {
  const { transform } = await import('@swc/core');
  const modules = new Map();
  let next = [main];
  while (next.length > 0) {
    const read = await Promise.all(next.map((path) => moduleAt(path, transform)));
    next.forEach((path, i) => modules.set(path, read[i]));
    const asked = read.flatMap((module) => (module === null ? [] : [...module.asked.values()]));
    next = [...new Set(asked)].filter((path) => !modules.has(path));
  }
  return new Map([...modules].filter(([, module]) => module !== null));
}

/** null of one that Node has to load: an addon, and what cannot be CommonJS. */
async function moduleAt(path, transform) {
  if (path.endsWith('.node')) return null;
  const text = readFileSync(path, 'utf8')
    .replace(MAP, '')
    .replace(/^\ufeff/, '')
    .replace(/^#!.*/, '');
  if (path.endsWith('.json')) return { text, asked: new Map() };
  const given = wrapped(text.replace(IMPORTED, AS_REQUIRED));
  const whole = isScript(given) ? given : wrapped((await transform(text, AS_COMMONJS)).code);
  if (!isScript(whole)) return null;
  const requests = [...whole.matchAll(ASKED)].map(([, , request]) => request).filter((one) => !isBuiltin(one));
  const asked = requests.map((request) => [request, resolved(path, request)]).filter(([, found]) => found !== null);
  return { text: whole, asked: new Map(asked) };
}

function wrapped(text) {
  return `(function (exports, require, module, __filename, __dirname) {${text}
})`;
}

function isScript(text) {
  try {
    new Script(text);
    return true;
  } catch {
    return false;
  }
}

/** null where a package does without what is not installed. */
function resolved(path, request) {
  try {
    return createRequire(path).resolve(request);
  } catch {
    return packageEntry(path, request);
  }
}

/** What V8 made of the modules, by path, and which V8: a first command is run for it on a folder of its own. */
function codesOf() {
  const folder = mkdtempSync(join(tmpdir(), 'mace-archive-'));
  try {
    // Not the settings of whoever builds: they may name servers, or ask for keys.
    const { PATH, SystemRoot, TMPDIR } = process.env;
    const own = { MACE_DATA_DIR: join(folder, 'data'), MACE_ARCHIVE_CODES: join(folder, 'codes') };
    mkdirSync(own.MACE_DATA_DIR, { mode: 0o700 });
    const env = { PATH, SystemRoot, TMPDIR, ...own };
    const { status, stderr } = spawnSync(process.execPath, [WARMING], { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`a first command with the archive ended with ${status}: ${stderr}`);
    const { tag, sizes } = JSON.parse(readFileSync(join(folder, 'codes.json'), 'utf8'));
    const all = readFileSync(join(folder, 'codes'));
    let from = 0;
    return { tag, codes: new Map(sizes.map(([path, size]) => [path, all.subarray(from, (from += size))])) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function write(modules, { tag, codes }) {
  const numbers = new Map([...modules.keys()].map((path, i) => [path, i]));
  const folders = new Map();
  const parts = [];
  let at = 0;
  const places = [...modules].map(([path, { text, asked }]) => {
    const of = folders.get(dirname(path)) ?? {};
    folders.set(dirname(path), of);
    for (const [request, found] of asked) if (numbers.has(found)) of[request] = numbers.get(found);
    const code = codes.get(path) ?? Buffer.alloc(0);
    // By which V8 keeps it, and reads it fastest.
    const encoding = /[^\0-\xff]/.test(text) ? 'utf16le' : 'latin1';
    const bytes = Buffer.from(text, encoding);
    const place = [idOf(path), encoding, at, bytes.length, code.length];
    parts.push(bytes, code);
    at += bytes.length + code.length;
    return place;
  });
  const asked = [...folders].map(([path, requests]) => [idOf(path), requests]);
  const index = Buffer.from(JSON.stringify({ modules: places, folders: asked, tag }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(index.length);
  const [archive, loader] = ARCHIVE;
  writeAtomically(archive, Buffer.concat([length, index, ...parts]));
  writeAtomically(loader, readFileSync(LOADER));
}

/** As seen from the project, also where node_modules is a link. */
function idOf(path) {
  const packages = realpathSync(inRoot('node_modules')) + sep;
  const id = path.startsWith(packages)
    ? join('node_modules', path.slice(packages.length))
    : path.slice(root.length + 1);
  return id.split(sep).join('/');
}
