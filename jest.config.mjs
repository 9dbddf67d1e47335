import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Packages for Jest to turn into CommonJS: those of ES modules, and Mercurius, which imports one of them when it starts. */
const TRANSFORMED = [...esPackages('node_modules'), 'mercurius'];

/** Sources are ES modules, but Jest on Node 20 runs CommonJS: swc turns both ours and ES-only packages into it. */
export default {
  testEnvironment: 'node',
  roots: ['apps', 'libs', 'test'].filter((room) => existsSync(room)),
  testMatch: ['**/*.spec.ts'],
  moduleFileExtensions: ['js', 'mjs', 'cjs', 'ts', 'json', 'node'],
  transform: {
    '\\.ts$': ['@swc/jest', swc({ syntax: 'typescript', decorators: true })],
    '\\.m?js$': ['@swc/jest', swc({ syntax: 'ecmascript' })],
  },
  resolver: '<rootDir>/scripts/lib/jest-resolver.cjs',
  transformIgnorePatterns: [`/node_modules/(?!(${TRANSFORMED.map(escape).join('|')})/)`],
  globalSetup: '<rootDir>/scripts/lib/test-run.mjs',
  testSequencer: '<rootDir>/scripts/lib/slowest-first.cjs',
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  // One more than two cores: a file that waits, for a process it started or for a time to pass, leaves a core to others.
  maxWorkers: 3,
  // What Jest keeps of each file would come to two gigabytes a worker.
  workerIdleMemoryLimit: '1GB',
  reporters: ['default', '<rootDir>/scripts/lib/replay-reporter.mjs'],
  // No measure: a machine that is slow and loaded takes many times longer, and only what hangs should end here.
  testTimeout: 180_000,
};

function swc(parser) {
  return {
    swcrc: false,
    module: { type: 'commonjs' },
    jsc: {
      target: 'es2023',
      parser,
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
    },
  };
}

/** Names of the installed packages that say "type": "module", at any depth, as they stand after node_modules/. */
function esPackages(folder, prefix = '') {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name.startsWith('@')) return esPackages(path, `${name}/`);
    const manifest = readJson(join(path, 'package.json'));
    const nested = manifest ? safely(() => esPackages(join(path, 'node_modules')), []) : [];
    return manifest?.type === 'module' ? [prefix + name, ...nested] : nested;
  });
}

function readJson(file) {
  return safely(() => JSON.parse(readFileSync(file, 'utf8')), null);
}

/** Not every entry of node_modules is a package. */
function safely(read, otherwise) {
  try {
    return read();
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return otherwise;
    throw error;
  }
}

function escape(name) {
  return name.replace(/[.+]/g, '\\$&');
}
