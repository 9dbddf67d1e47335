import { existsSync } from 'node:fs';
import module from 'node:module';
import { pathToFileURL } from 'node:url';
import { makeReady, run } from './ready.mjs';
import { inRoot } from './root.mjs';

/**
 * Runs a program of dist/ in this process, so that signals, stdin and the exit code are its own.
 * @param path relative to dist/
 * @param wanted as of `makeReady`
 */
export async function startBuilt(path, wanted) {
  await run(() => makeReady(wanted));
  if (process.exitCode) return;
  const program = inRoot('dist', path);
  if (!existsSync(program)) return run(() => Promise.reject(new Error(`${path} has no source`)));
  // Node 22 and later keep compiled code, which halves the time to load.
  module.enableCompileCache?.(inRoot('node_modules', '.cache', 'v8'));
  await import(pathToFileURL(program).href);
}
