import { existsSync } from 'node:fs';
import module from 'node:module';
import { pathToFileURL } from 'node:url';
import { isBuilt } from './builder.mjs';
import { makeReady, run } from './ready.mjs';
import { inRoot } from './root.mjs';

/** Runs a program of dist/ in this process, so that signals, stdin and the exit code are its own. */
export async function startBuilt(...path) {
  await run(makeReady);
  await start(path);
}

/**
 * The same of a program that loads no package, and nothing of this project but one folder: where that is built, nothing
 * else is looked at.
 */
export async function startAlone(folder, ...path) {
  if (!isBuilt(folder)) await run(makeReady);
  await start([folder, ...path]);
}

async function start(path) {
  if (process.exitCode) return;
  const program = inRoot('dist', ...path);
  if (!existsSync(program)) return run(() => Promise.reject(new Error(`${path.join('/')} has no source`)));
  // Node 22 and later keep compiled code, which halves the time to load.
  module.enableCompileCache?.(inRoot('node_modules', '.cache', 'v8'));
  await import(pathToFileURL(program).href);
}
