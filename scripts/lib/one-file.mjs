import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

const IMPORT = /^import \{([^}]*)\} from '([^']+)';\n/gm;
const EXPORT = /(^|\*\/ )export (?=(?:const|let|class|function|async function)\b)/gm;
const MAP = /^\/\/# sourceMappingURL=.*\n/gm;

/**
 * A program of some modules as one CommonJS file, which Node loads in a fraction of the time: no file is looked for but
 * this one, and the loader of ES modules is not begun. The modules share one scope.
 * @param main built ES module; what it imports is Node's own, or lies beside it
 * @throws Error naming what is written otherwise than this takes: two modules with the same name in them, an import of
 * another form
 */
export function oneFile(main) {
  const own = new Map();
  const outside = new Map();
  const add = (path) => {
    if (own.has(path)) return;
    own.set(path, '');
    const text = readFileSync(path, 'utf8').replace(MAP, '');
    const body = text.replace(IMPORT, (_all, names, from) => {
      if (from.startsWith('./')) addUnrenamed(join(dirname(path), from), names);
      else outside.set(from, new Set([...(outside.get(from) ?? []), ...listed(names)]));
      return '';
    });
    // Again at the end: a module stands behind those that it needs.
    own.delete(path);
    own.set(path, body.replace(EXPORT, '$1'));
  };
  const addUnrenamed = (path, names) => {
    if (/\sas\s/.test(names)) throw new Error(`${path}: imported under another name: ${names.trim()}`);
    add(path);
  };
  add(main);
  const requires = [...outside].map(([from, names]) => `const { ${[...names].join(', ')} } = require('${from}');\n`);
  return checked(`'use strict';\n${requires.join('')}${[...own.values()].join('')}`, main);
}

const listed = (names) => names.split(',').map((name) => name.trim().replace(' as ', ': '));

/** Compiled, not run: a name that is there twice and an import that was not understood are faults of the syntax. */
function checked(text, main) {
  try {
    new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, { filename: main });
    return text;
  } catch (error) {
    throw new Error(`${main} cannot be made one file: ${error.message}`);
  }
}
