import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Jest's global setup: a folder for what the tests of one run share (test/support/data-folder.ts), gone with the run. */
export default function begin() {
  const folder = mkdtempSync(join(tmpdir(), 'mace-tests-'));
  // Workers are started later and take the environment with them.
  process.env.MACE_TEST_SHARED = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}
