import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeReady } from '../../scripts/lib/ready.mjs';

/**
 * Before a run of Jest: builds, holds the seed that everything is drawn from to its form, and makes the folder that the
 * files of the run share (test/support/data-folder.ts). Workers are started later and take the environment with them.
 */
export default async function begin() {
  await makeReady({ dev: true });
  process.env.MACE_TEST_SEED ??= '1';
  if (!/^\d{1,9}$/.test(process.env.MACE_TEST_SEED))
    throw new Error(`MACE_TEST_SEED: a whole number of at most nine digits, not ${process.env.MACE_TEST_SEED}`);
  process.env.MACE_TEST_DISK ??= tmpdir();
  const folder = mkdtempSync(join(tmpdir(), 'mace-shared-'));
  process.env.MACE_TEST_SHARED = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}
