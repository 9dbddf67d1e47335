import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { reserveOf } from '#lib/event-store';

import { freeBytesOf } from '../../../../api/src/free-bytes.js';
import { listeningFault } from '../../../../api/src/listening.js';
import type { Config } from '../../../../api/src/platform.config.js';
import { storedBytes } from '../../../../api/src/stored-bytes.js';
import { EXIT } from '../../exit-codes.js';
import { fail, type Finding, ok, warn } from './finding.js';

const MIB = 1024 * 1024;
/** As `GET /health/ready` has it: below this an append may find no room. */
const LEAST_FREE = 16 * MIB;
/** Below this there is time to make room, and it should be used. */
const SCARCE_FREE = 1024 * MIB;
/** An eighth at most is kept in reserve. */
const QUOTA_SHARE = 0.8;

/** @param range of package.json, such as `>=20.19.0` */
export function nodeVersion(version: string, range: string): Finding[] {
  const least = range.replace('>=', '');
  const [have, need] = [version, least].map((text) => text.split('.').map(Number));
  const difference = need!.map((part, i) => (have![i] ?? 0) - part).find((part) => part !== 0) ?? 0;
  if (difference >= 0) return [ok('node', `Node ${version}`)];
  return [fail('node', `Node ${version} is older than ${least}`, `install Node ${least} or later`)];
}

/** @param freeOf bytes that are free where a folder lies */
export async function disk(
  { dataDir, storageQuotaBytes: quota }: Pick<Config, 'dataDir' | 'storageQuotaBytes'>,
  freeOf: (folder: string) => Promise<number> = freeBytesOf,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const free = await freeOf(nearest(resolve(dataDir)));
  const said = `${Math.floor(free / MIB)} MiB are free where the data folder lies`;
  if (free < LEAST_FREE)
    findings.push(fail('disk', said, 'make room for at least 16 MiB: nothing is stored meanwhile'));
  else if (free < SCARCE_FREE) findings.push(warn('disk', said, 'make room before it is full: nothing is stored then'));
  else findings.push(ok('disk', said));
  if (quota === undefined || !existsSync(dataDir)) return findings;
  const size = await storedBytes(dataDir);
  const share = `the stores have ${Math.ceil(size / MIB)} of ${Math.floor(quota / MIB)} MiB`;
  const todo = 'raise MACE_STORAGE_QUOTA_MB: writes are refused with STORAGE_FULL once its reserve is reached';
  if (size >= quota - reserveOf(quota)) return [...findings, fail('MACE_STORAGE_QUOTA_MB', share, todo)];
  if (size >= quota * QUOTA_SHARE) return [...findings, warn('MACE_STORAGE_QUOTA_MB', share, todo)];
  return [...findings, ok('MACE_STORAGE_QUOTA_MB', share)];
}

/** Whether a start could make and change files there, without doing either. */
export function dataFolder(dataDir: string): Finding[] {
  const folder = resolve(dataDir);
  const there = existsSync(folder);
  const at = nearest(folder);
  if (!statSync(at).isDirectory()) {
    return [fail('data folder', `${at} is a file`, 'move it away, or choose another MACE_DATA_DIR')];
  }
  try {
    accessSync(at, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return [fail('data folder', `${at} is not this user’s to write in`, `chown it, or choose another MACE_DATA_DIR`)];
  }
  if (!there) return [ok('data folder', `${folder} is made by the first start`)];
  const open = statSync(folder).mode & 0o077;
  if (open === 0) return [ok('data folder', folder)];
  const mode = (statSync(folder).mode & 0o777).toString(8);
  return [warn('data folder', `${folder} is open to other users (mode ${mode})`, `chmod 700 ${folder}`)];
}

/** Who holds a folder on which nobody answers, by the name that was left there. */
export function owner(dataDir: string): Finding[] {
  const file = join(dataDir, 'holder.json');
  if (!existsSync(file)) return [ok('owner', 'nobody works on the data folder')];
  let pid: number | undefined;
  try {
    pid = (JSON.parse(readFileSync(file, 'utf8')) as { readonly pid?: number }).pid;
  } catch {
    pid = undefined;
  }
  if (pid !== undefined && isRunning(pid)) {
    const todo = 'wait until it has started or ended; stop it where it does neither';
    return [fail('owner', `process ${pid} holds the data folder and answers nobody`, todo, EXIT.unavailable)];
  }
  return [ok('owner', 'the last process did not end in order; the next start takes the folder over')];
}

/** Whether a start could listen there now. */
export async function ports({ host, port, metricsPort }: Pick<Config, 'host' | 'port' | 'metricsPort'>) {
  const wanted: readonly (readonly [string, number | undefined])[] = [
    ['MACE_PORT', port],
    ['MACE_METRICS_PORT', metricsPort],
  ];
  const findings = wanted.map(([name, number]) => (number ? [portFinding(name, host, number)] : []));
  return Promise.all(findings.flat());
}

async function portFinding(name: string, host: string, port: number): Promise<Finding> {
  const fault = await listeningFault(host, port);
  const place = `${host}:${port}`;
  if (fault === null) return ok(name, `${place} is free`);
  const code = fault.code ?? fault.message;
  if (code === 'EADDRINUSE') {
    return fail(name, `${place} is in use`, `stop what listens there, or set ${name}`, EXIT.unavailable);
  }
  if (code === 'EACCES')
    return fail(name, `${place} may not be listened on`, `set ${name} above 1023`, EXIT.unavailable);
  return fail(
    name,
    `${place} cannot be listened on (${code})`,
    'set MACE_HOST to an address of this machine',
    EXIT.usage,
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The folder, or the first above it that is there. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}
