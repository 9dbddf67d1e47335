/**
 * Loads programs of dist/ and their packages from one file with the code that V8 made of them (scripts/lib/archive.mjs
 * writes both beside this file): no file is looked for, and little is compiled. Modules are those of Node's own loader of
 * CommonJS, by their own names and places; what is not in the archive is loaded from where it lies.
 */
const { openSync, readSync, realpathSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join, sep } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const { constants, Script } = require('node:vm');

const ROOT = dirname(__dirname);
/** Modules find each other by the real place of a package. */
const PACKAGES = join(realpathSync(join(ROOT, 'node_modules')), sep);

/**
 * @param name of a module of dist/, such as `apps/cli/src/mace.js`
 * @returns what it exports
 */
exports.load = function load(name) {
  if (!isOpen) takeOver(openSync(join(__dirname, 'archive.bin'), 'r'));
  return Module.createRequire(__filename)(`./${name}`);
};

let isOpen = false;

function takeOver(file) {
  isOpen = true;
  const length = bytesOf(file, 0, 4).readUInt32LE();
  const { modules, folders, tag } = JSON.parse(bytesOf(file, 4, length).toString());
  const isOwnCode = tag === cachedDataVersionTag();
  const places = new Map(modules.map(([id, ...place]) => [pathOf(id), place]));
  const found = new Map(folders.map(([id, asked]) => [pathOf(id), asked]));
  const { _resolveFilename: resolve } = Module;
  const { load } = Module.prototype;

  Module._resolveFilename = function (request, parent, isMain, options) {
    const asked = options === undefined && found.get(parent?.path);
    if (asked && Object.hasOwn(asked, request)) return pathOf(modules[asked[request]][0]);
    return resolve.call(this, request, parent, isMain, options);
  };
  Module.prototype.load = function (path) {
    const place = places.get(path);
    if (place === undefined) return load.call(this, path);
    this.filename = path;
    this.paths = Module._nodeModulePaths(dirname(path));
    const [encoding, from, ofText, ofCode] = place;
    const bytes = bytesOf(file, 4 + length + from, isOwnCode ? ofText + ofCode : ofText);
    const text = bytes.toString(encoding, 0, ofText);
    if (path.endsWith('.json')) this.exports = JSON.parse(text);
    else run(this, path, text, isOwnCode && ofCode > 0 ? bytes.subarray(ofText) : undefined);
    this.loaded = true;
  };
}

function pathOf(id) {
  return id.startsWith('node_modules/') ? PACKAGES + id.slice('node_modules/'.length) : join(ROOT, id);
}

function bytesOf(file, from, length) {
  const bytes = Buffer.allocUnsafe(length);
  if (readSync(file, bytes, 0, length, from) !== length) throw new Error('dist/archive.bin is cut short');
  return bytes;
}

/** @param code what V8 made of the text, where this is the V8, with the flags, that made it */
function run(module, filename, text, code) {
  const script = new Script(text, {
    filename,
    cachedData: code,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  exports.onScript?.(filename, script);
  script
    .runInThisContext()
    .call(module.exports, module.exports, requireOf(module), module, filename, dirname(filename));
}

function requireOf(module) {
  const require = (id) => module.require(id);
  require.resolve = (id, options) => Module._resolveFilename(id, module, false, options);
  require.main = process.mainModule;
  require.cache = Module._cache;
  require.extensions = Module._extensions;
  return require;
}
