import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { encryptionAtRest, type System } from './at-rest.js';

const MOUNTS = [
  '27 1 254:0 / / rw,relatime - ext4 /dev/vda1 rw',
  '28 27 253:1 / /srv/data rw - ext4 /dev/mapper/vg-data rw',
  '29 27 0:40 / /srv/a\\040b rw - fuse.gocryptfs /srv/x rw',
  '30 27 0:41 / /run rw - tmpfs tmpfs rw',
].join('\n');

let folder: string;
let system: System;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-at-rest-'));
  system = { mounts: join(folder, 'mountinfo'), devices: join(folder, 'block') };
  writeFileSync(system.mounts, MOUNTS);
  const write = (path: string, text: string) => {
    mkdirSync(join(system.devices, path, '..'), { recursive: true });
    writeFileSync(join(system.devices, path), text);
  };
  write('254:0/size', '1\n');
  // A logical volume on a volume of LUKS.
  write('253:1/dm/uuid', 'LVM-abc\n');
  write('253:1/slaves/dm-0/dev', '253:0\n');
  write('253:0/dm/uuid', 'CRYPT-LUKS2-0123-luks\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('encryption at rest', () => {
  it.each([
    ['/srv/data/mace', 'ok', '/srv/data is encrypted (dm-crypt)'],
    ['/srv/a b/mace', 'ok', '/srv/a b is encrypted (fuse.gocryptfs)'],
    ['/run/mace', 'ok', '/run is kept in memory (tmpfs)'],
    ['/srv/database', 'warn', 'no encryption of / (ext4) is seen; what a disk or a provider encrypts cannot be'],
  ])('of %s is %s: %s', (dataDir, state, found) => {
    const [finding, ...more] = encryptionAtRest({ dataDir, mode: 'production' }, system);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ check: 'encryption at rest', state, found });
  });

  it('that is not seen is nothing to mend in development', () => {
    expect(encryptionAtRest({ dataDir: '/srv/database', mode: 'development' }, system)).toMatchObject([
      { state: 'ok' },
    ]);
  });

  it('is not guessed where the system does not tell', () => {
    const nowhere = { mounts: join(folder, 'none'), devices: system.devices };
    expect(encryptionAtRest({ dataDir: '/srv', mode: 'production' }, nowhere)).toMatchObject([
      { state: 'ok', todo: null },
    ]);
  });
});
