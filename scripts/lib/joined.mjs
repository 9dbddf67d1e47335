import { readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { Script } from 'node:vm';
import { inRoot } from './root.mjs';

const FROM = ` from '([^']+)'(?: with \\{[^}]*\\})?;\\n`;
const IMPORT = new RegExp(`(^|\\*/ )import (?:(\\w+)|\\{([^}]*)\\})${FROM}`, 'gm');
const PASSED = new RegExp(`(^|\\*/ )export (?:\\*|\\{([^}]*)\\})${FROM}`, 'gm');
const LISTED = /(^|\*\/ )export \{([^}]*)\};\n/gm;
const DECLARED = /(^|\*\/ )export (?=(?:const|class|(?:async )?function\*?) +(\w+))/gm;
const MAP = /^\/\/# sourceMappingURL=.*\n?/gm;

/**
 * A program of many modules as one CommonJS file; each is a function of its own, called once, those first that others need.
 * What an index passes on is taken from the module that declares it, and what else the index names is not in the file: so no
 * module may do anything by being loaded that another relies on.
 * @param main built ES module
 * @param output where the file will lie, since modules find other files from their own places
 * @throws Error naming what is written otherwise than this takes
 */
export function joined(main, output) {
  const program = new Program(output);
  program.add(main);
  return checked(program.text(), main);
}

class Program {
  #parts = [];
  /** By path; null of one whose needs are being added. */
  #numbers = new Map();
  #read = new Map();

  constructor(output) {
    this.folder = dirname(output);
  }

  text() {
    const urlOf = `const urlOf = (path) => require('node:url').pathToFileURL(require('node:path').join(__dirname, path)).href;\n`;
    return `'use strict';\n${urlOf}${this.#parts.join('')}`;
  }

  add(path) {
    const known = this.#numbers.get(path);
    if (known === null) throw new Error(`${path} needs itself`);
    if (known !== undefined) return known;
    this.#numbers.set(path, null);
    const { body, imports, own } = this.#moduleAt(path);
    const heads = imports.map((one) => this.#head(path, one));
    const place = relative(this.folder, path).split(sep).join('/');
    const given = [...own].map(([name, local]) => `${name}: ${local}`).join(', ');
    const inside = `${heads.join('')}${body.replaceAll('import.meta.url', `urlOf('${place}')`)}`;
    const number = this.#parts.length;
    this.#parts.push(`const $${number} = (() => {\n${inside}return { ${given} };\n})();\n`);
    this.#numbers.set(path, number);
    return number;
  }

  #head(path, { from, whole, names }) {
    const inner = located(path, from);
    if (inner === null) return `const ${whole ?? `{ ${names.map(([a, b]) => `${a}: ${b}`)} }`} = require('${from}');\n`;
    if (whole) throw new Error(`${path}: imports ${whole}, the default of ${from}`);
    return names
      .map(([name, local]) => {
        const found = this.#declaring(inner, name);
        if (!found) throw new Error(`${path}: no ${name} is in ${from}`);
        return `const ${local} = $${this.add(found.path)}.${found.name};\n`;
      })
      .join('');
  }

  /** Where a name that a module gives comes from. */
  #declaring(path, name) {
    const { own, passed } = this.#moduleAt(path);
    if (own.has(name)) return { path, name };
    for (const { from, names } of passed) {
      const wanted = names ? names.find(([, as]) => as === name)?.[0] : name;
      const inner = located(path, from);
      const found = wanted !== undefined && inner !== null && this.#declaring(inner, wanted);
      if (found) return found;
    }
    return null;
  }

  #moduleAt(path) {
    const known = this.#read.get(path) ?? moduleOf(readFileSync(path, 'utf8'));
    this.#read.set(path, known);
    return known;
  }
}

/** What a module needs and gives, and what is left of its text without saying so. */
function moduleOf(text) {
  const imports = [];
  const passed = [];
  /** By the name under which others take it: its name in the module. */
  const own = new Map();
  const body = text
    .replace(MAP, '')
    .replace(IMPORT, (_all, before, whole, names, from) => {
      imports.push({ from, whole, names: pairs(names) });
      return before;
    })
    .replace(PASSED, (_all, before, names, from) => {
      passed.push({ from, names: names === undefined ? null : pairs(names) });
      return before;
    })
    .replace(LISTED, (_all, before, names) => {
      for (const [local, name] of pairs(names)) own.set(name, local);
      return before;
    })
    .replace(DECLARED, (_all, before, name) => {
      own.set(name, name);
      return before;
    });
  return { body, imports, passed, own };
}

/** `a, b as c` as pairs of the name there and the name here. */
function pairs(names = '') {
  const all = names.split(',').map((name) => name.trim());
  return all.filter(Boolean).map((name) => (name.includes(' as ') ? name.split(' as ') : [name, name]));
}

/** The built file that an import names; null for a package and for modules of Node. */
function located(path, from) {
  if (from.startsWith('#lib/')) return inRoot('dist', 'libs', from.slice('#lib/'.length), 'src', 'index.js');
  return from.startsWith('.') ? join(dirname(path), from) : null;
}

/** Compiled, not run: an import or export that was not understood is a fault of the syntax. */
function checked(text, main) {
  try {
    new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, { filename: main });
    return text;
  } catch (error) {
    throw new Error(`${main} cannot be joined: ${error.message}`);
  }
}
