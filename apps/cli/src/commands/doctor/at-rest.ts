import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { type Finding, ok, warn } from './finding.js';

/** Where Linux tells of mounts and block devices. */
export interface System {
  readonly mounts: string;
  /** A folder for each device by its numbers, `253:0`. */
  readonly devices: string;
}

const LINUX: System = { mounts: '/proc/self/mountinfo', devices: '/sys/dev/block' };
const CHECK = 'encryption at rest';
/** File systems that encrypt what they hold, and those that hold it in memory alone. */
const ENCRYPTING = /^(?:ecryptfs|fuse\.(?:gocryptfs|encfs|cryfs|securefs))$/;
const IN_MEMORY = /^(?:tmpfs|ramfs)$/;
/** What dm-crypt begins the id of a device with, LUKS or not. */
const CRYPT = /^CRYPT-/;
/** Layers of devices (LVM on LUKS on RAID, ...); deeper is a loop. */
const DEEPEST = 8;
const TODO = 'have the volume encrypted, or know that it is (docs/security.md, "Encryption at rest")';

/**
 * Whether this machine encrypts what lies in the data folder; beside what people said, MACE does not. What encrypts below
 * the machine (the disk itself, a provider's volume) cannot be seen from here.
 */
export function encryptionAtRest(
  { dataDir, mode }: { readonly dataDir: string; readonly mode: string },
  system = LINUX,
): Finding[] {
  if (!existsSync(system.mounts)) return [ok(CHECK, 'whether the volume is encrypted cannot be seen on this system')];
  const mount = mountOf(resolve(dataDir), readFileSync(system.mounts, 'utf8'));
  if (mount === null) return [ok(CHECK, 'whether the volume is encrypted cannot be seen here')];
  const { point, type, device } = mount;
  if (IN_MEMORY.test(type)) return [ok(CHECK, `${point} is kept in memory (${type})`)];
  if (ENCRYPTING.test(type)) return [ok(CHECK, `${point} is encrypted (${type})`)];
  if (isCrypt(system.devices, device, DEEPEST)) return [ok(CHECK, `${point} is encrypted (dm-crypt)`)];
  const unseen = `no encryption of ${point} (${type}) is seen; what a disk or a provider encrypts cannot be`;
  // On a laptop that tries MACE out there is nothing to be done about it.
  return [mode === 'production' ? warn(CHECK, unseen, TODO) : ok(CHECK, unseen)];
}

interface Mount {
  readonly point: string;
  readonly type: string;
  readonly device: string;
}

/** The mount in which a path lies: the longest point that is above it, of those the last. */
function mountOf(path: string, table: string): Mount | null {
  let found: Mount | null = null;
  for (const line of table.split('\n')) {
    const [, , device, , escaped] = line.split(' ');
    const type = line.split(' - ')[1]?.split(' ')[0];
    if (device === undefined || escaped === undefined || type === undefined) continue;
    const point = escaped.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
    if (isAbove(point, path) && point.length >= (found?.point.length ?? 0)) found = { point, type, device };
  }
  return found;
}

function isAbove(point: string, path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (at === point) return true;
    if (at === dirname(at)) return false;
  }
}

/** Whether a block device, or one of those that it is made of, is dm-crypt's. */
function isCrypt(devices: string, device: string, deepest: number): boolean {
  const folder = join(devices, device);
  if (deepest === 0 || !existsSync(folder)) return false;
  const uuid = join(folder, 'dm', 'uuid');
  if (existsSync(uuid) && CRYPT.test(readFileSync(uuid, 'utf8'))) return true;
  const slaves = join(folder, 'slaves');
  if (!existsSync(slaves)) return false;
  return readdirSync(slaves).some((name) => {
    const numbers = join(slaves, name, 'dev');
    return existsSync(numbers) && isCrypt(devices, readFileSync(numbers, 'utf8').trim(), deepest - 1);
  });
}
