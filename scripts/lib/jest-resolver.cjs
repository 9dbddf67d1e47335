const { existsSync } = require('node:fs');
const { dirname, join, resolve, sep } = require('node:path');

const libraries = join(dirname(dirname(__dirname)), 'libs');

/**
 * Our own imports lead to our sources. Packages that can only be imported, not required, are found too: Jest's transform
 * makes them fit for require. A moduleNameMapper would do the first half, but asks the disk again for each import of
 * each test file: its answers are not kept.
 */
module.exports = (request, options) => {
  const source = sourceOf(request, options.basedir);
  if (source !== null) return source;
  try {
    return options.defaultResolver(request, options);
  } catch (error) {
    const conditions = [...(options.conditions ?? []), 'import'];
    try {
      return options.defaultResolver(request, { ...options, conditions });
    } catch {
      throw error;
    }
  }
};

/** #lib/x is the index of a library, ./x.js is written as ./x.ts, and fast-check has its seed; null for the rest. */
function sourceOf(request, basedir) {
  if (request.startsWith('#lib/')) return join(libraries, request.slice('#lib/'.length), 'src', 'index.ts');
  if (request === 'fast-check' && basedir !== __dirname) return join(__dirname, 'fast-check.cjs');
  if (!/^\.{1,2}\/.*\.js$/.test(request) || basedir.includes(`${sep}node_modules${sep}`)) return null;
  const source = resolve(basedir, `${request.slice(0, -'.js'.length)}.ts`);
  return existsSync(source) ? source : null;
}
