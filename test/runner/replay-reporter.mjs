import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Jest reporter: says at the end how many jobs the tests made that replayed to MATCH (test/support/replay-check.ts). */
export default class ReplayReporter {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'mace-replayed-'));
    // Workers are started later and take the environment with them.
    process.env.MACE_REPLAY_TALLY = this.folder;
  }

  onRunComplete() {
    const logs = readdirSync(this.folder).flatMap((name) =>
      readFileSync(join(this.folder, name), 'utf8').trim().split('\n').map(JSON.parse),
    );
    rmSync(this.folder, { recursive: true, force: true });
    if (logs.length === 0) return;
    const sum = (field) => logs.reduce((total, log) => total + log[field], 0);
    process.stderr.write(
      `Replayed in audit mode: ${sum('matched')} jobs of ${logs.length} logs, all MATCH; ${sum('tampered')} changed on purpose, none MATCH.\n`,
    );
  }
}
