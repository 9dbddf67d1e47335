import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { JobApp } from './job-app.js';
import { recordScenario, type ReleasedAnswers } from './release-scenario.js';

/** A data folder of each released version, with what it must still answer; none is ever made again. */
const LOGS = join('test', 'fixtures', 'logs');
const ANSWERS = 'answers.json';
/** What every start makes for itself. */
const PASSING =
  /^(?:lock\.db.*|holder\.json|mace\.sock|read\.db.*|failure-spool\.jsonl|usage\.json|scratch|.*-(?:shm|wal))$/;

export function releasedVersions(): readonly string[] {
  return existsSync(LOGS) ? readdirSync(LOGS).sort() : [];
}

/** `0.1` of `0.1.3`. */
export function thisVersion(): string {
  return lineOf(versionInFull());
}

/** Whether package.json names what comes after a release, `0.2.0-dev` say, and no release. */
export function isUnderWay(): boolean {
  return versionInFull().includes('-');
}

/** `0.1` of every release that CHANGELOG.md has a heading for. */
export function releasesInChangelog(): readonly string[] {
  const headings = readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## \[(\d[^\]]*)\]/gm);
  return [...headings].map(([, version]) => lineOf(version!));
}

function versionInFull(): string {
  return (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;
}

function lineOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

export function releasedAnswers(version: string): ReleasedAnswers {
  return JSON.parse(readFileSync(join(LOGS, version, ANSWERS), 'utf8')) as ReleasedAnswers;
}

/** A copy that may be written to. */
export function copyOf(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), `mace-released-${version}-`));
  cpSync(join(LOGS, version, 'data'), folder, { recursive: true });
  // Git keeps no such modes, and a key file that others may read is refused.
  chmodSync(join(folder, 'keys', 'ring.json'), 0o600);
  return folder;
}

/** Makes the folder of this version by living through the scenario. */
export async function record(version: string): Promise<void> {
  let clock = Date.now();
  const app = await JobApp.open({ now: () => clock });
  try {
    const answers = await recordScenario(app, (ms) => (clock += ms)).finally(() => app.close());
    const kept = join(LOGS, version, 'data');
    cpSync(app.folder, kept, { recursive: true });
    for (const name of readdirSync(kept)) if (PASSING.test(name)) rmSync(join(kept, name), { recursive: true });
    writeFileSync(join(LOGS, version, ANSWERS), `${JSON.stringify(answers, null, 2)}\n`);
  } finally {
    rmSync(app.folder, { recursive: true, force: true });
  }
}
