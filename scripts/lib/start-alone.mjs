import { createRequire } from 'node:module';
import { isBuilt, ONE_FILES } from './build-plan.mjs';

/**
 * Runs a program that is one file and loads no package, in this process: where its folder is built, nothing else is looked
 * at, and what builds is not even loaded.
 * @param folder such as `libs/verifier`
 */
export async function startAlone(folder) {
  if (!isBuilt(folder)) {
    const { makeReady, run } = await import('./ready.mjs');
    await run(makeReady);
  }
  if (process.exitCode) return;
  const { output } = ONE_FILES.find((one) => one.folder === folder);
  createRequire(import.meta.url)(output);
}
