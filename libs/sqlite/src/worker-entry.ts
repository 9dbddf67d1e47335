import { fileURLToPath, pathToFileURL } from 'node:url';

/** The project's folder, seen from libs/sqlite/src; only ever asked for when this file runs as source. */
const ROOT = new URL('../../../', import.meta.url);

/**
 * The built file of a worker thread, named relative to the file that starts it: `workerEntry(import.meta.url,
 * './event-store.worker.js')`.
 *
 * A worker thread loads plain JavaScript; `.cjs` is what the build joins to one file. Built code finds its worker beside
 * itself; source code, which only Jest runs (as CommonJS, in memory), finds it at the same place under dist/. `npm test`
 * builds first, so dist/ is never older.
 */
export function workerEntry(importMetaUrl: string, relative: `./${string}.worker.${'js' | 'cjs'}`): URL {
  const beside = new URL(relative, importMetaUrl);
  if (!importMetaUrl.endsWith('.ts')) return beside;
  const inProject = fileURLToPath(beside).slice(fileURLToPath(ROOT).length);
  return new URL(inProject, new URL('dist/', pathToFileURL(fileURLToPath(ROOT))));
}
