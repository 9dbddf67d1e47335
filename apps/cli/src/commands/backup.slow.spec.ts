import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { keyFileIn, readKeyFile, signToken } from '#lib/access';
import { KeyRing } from '#lib/kernel';
import { openDatabase } from '#lib/sqlite';

import { newDataFolder } from '../../../../test/support/data-folder.js';
import { inside } from '../../../../test/support/inside-server.js';
import { EACH_ITS_OWN, ServedProcess } from '../../../../test/support/served-process.js';
import { tamper } from '../../../../test/support/tampering.js';
import { child } from '../testing/child.js';
import { answerOf, mace } from '../testing/mace.js';

const COLOR = 'user/profile/user_tuff/favorite_color';

interface Told {
  readonly backup: string;
  readonly events: number;
  readonly origin: string;
}

let scratch: string;
let folder: string;
let made: string;

/** A folder on which a server has worked, and a backup of it. */
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'mace-backup-'));
  folder = await newDataFolder('backed-up');
  made = join(scratch, 'made');
  expect(await mace('--data', folder, 'sem', 'put', COLOR, 'blue')).toMatchObject({ code: 0 });
  expect(await mace('--data', folder, 'backup', made)).toMatchObject({ code: 0 });
});
afterAll(() => {
  for (const path of [scratch, folder]) rmSync(path, { recursive: true, force: true });
});

const here = (...args: string[]) => mace('--data', folder, ...args);

/** A copy of the backup for a test to change. */
function another(name: string): string {
  const path = join(scratch, name);
  cpSync(made, path, { recursive: true });
  return path;
}

/** What whoever changes a backup would say of it: digests are no secret. */
function claimAgain(backup: string): void {
  const path = join(backup, 'backup.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as {
    files: { path: string; bytes: number; sha256: string }[];
  };
  const files = manifest.files
    .filter((file) => existsSync(join(backup, file.path)))
    .map((file) => {
      const body = readFileSync(join(backup, file.path));
      return { path: file.path, bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') };
    });
  writeFileSync(path, JSON.stringify({ ...manifest, files }));
}

/** Everything in a data folder but what a look at it leaves. */
const standing = (): readonly string[] =>
  readdirSync(folder)
    .filter((name) => !/^(lock\.db|holder\.json|mace\.sock)/.test(name))
    .sort();

/** Refused by whoever looks and by whoever restores, for that reason, and nothing is moved. */
async function isRefused(backup: string, reason: string | RegExp, looked = 2): Promise<void> {
  const before = standing();
  const verified = await here('backup', 'verify', backup);
  expect([verified.code, verified.err]).toEqual([
    looked,
    typeof reason === 'string' ? expect.stringContaining(reason) : expect.stringMatching(reason),
  ]);
  const restored = await here('restore', '--from', backup);
  expect(restored.code).toBe(1);
  expect(restored.err).toMatch(reason);
  expect(restored.err).not.toContain('\n    at ');
  expect(standing()).toEqual(before);
}

describe('mace backup', () => {
  it('made while a server writes holds all that was acknowledged before it, and comes back by a restore', async () => {
    const server = await ServedProcess.start(folder);
    const ring = new KeyRing(readKeyFile(keyFileIn(folder)));
    const who = { issuer: 'mace', audience: 'mace', userId: 'tuff', roles: ['user'] as const, ttlSeconds: 600 };
    const token = await signToken(ring, { ...who, now: Date.now() });
    const put = async (n: number): Promise<number> => {
      const response = await fetch(`${server.url}/sem/user/profile/user_tuff/n_${n}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...EACH_ITS_OWN },
        body: JSON.stringify({ value: `v${n}` }),
      });
      return response.status;
    };
    let [acknowledged, stop] = [0, false];
    const writing = (async () => {
      while (!stop) if ((await put(acknowledged)) === 200) acknowledged++;
    })();
    while (acknowledged < 5) await new Promise(setImmediate);
    const before = acknowledged;
    const to = join(scratch, 'while-served');
    // In a process of its own, so that the writing goes on.
    const ended = await child(['--data', folder, '--json', 'backup', to]);
    stop = true;
    await writing;
    await server.kill();
    expect(ended).toMatchObject({ code: 0, err: '' });
    const told = JSON.parse(ended.out) as Told;
    expect(acknowledged).toBeGreaterThan(before);
    expect(existsSync(join(to, 'keys'))).toBe(false);
    expect(await answerOf('--data', folder, 'backup', 'verify', to)).toMatchObject({
      sound: true,
      events: told.events,
    });
    const restored = await answerOf<{ origin: string }>('--data', folder, 'restore', '--from', to);
    expect(restored).toMatchObject({ previous_origin: told.origin });
    const read = await here('sem', 'get', `user/profile/user_tuff/n_${before - 1}`);
    expect([read.code, read.out]).toEqual([0, expect.stringContaining(`v${before - 1}`)]);
    expect(await here('integrity', 'verify')).toMatchObject({ code: 0 });
    // The backup of a log that was restored since is still one of its own.
    expect(await here('backup', 'verify', made)).toMatchObject({ code: 0 });
  });

  it('leaves the keys out, unless they are asked for by name', async () => {
    const to = join(scratch, 'with-keys');
    const ended = await here('backup', '--with-keys', to);
    expect(ended).toMatchObject({ code: 0, err: expect.stringContaining('in the clear') });
    expect(readFileSync(join(to, 'keys', 'ring.json'))).toEqual(readFileSync(keyFileIn(folder)));
    expect(readdirSync(made)).not.toContain('keys');
    expect(await here('backup', 'verify', to)).toMatchObject({ code: 0 });
  });

  it.each([
    ['a place where something stands', () => made, 'is there already'],
    ['a place in the data folder', () => join(folder, 'backup'), 'lies in the data folder'],
  ])('is refused for %s', async (_what, place, reason) => {
    const ended = await here('backup', place());
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining(reason)]);
  });

  it('rehearsed makes nothing', async () => {
    const to = join(scratch, 'rehearsed');
    expect(await here('backup', '--dry-run', to)).toMatchObject({
      code: 0,
      out: expect.stringContaining('would back'),
    });
    expect(existsSync(to)).toBe(false);
  });

  it('refuses where the stores are servers, and says what to do instead', async () => {
    const names = { MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' };
    Object.assign(process.env, names);
    try {
      const ended = await here('backup', join(scratch, 'of-servers'));
      expect([ended.code, ended.err]).toEqual([64, expect.stringContaining('by its own means')]);
    } finally {
      for (const name of Object.keys(names)) delete process.env[name];
    }
  });
});

describe('a backup that is not what was backed up', () => {
  it.each(['origin', 'events.db', 'subject-keys.db', 'config/router.json'])(
    'is refused by the name of %s, of which a byte was added',
    async (file) => {
      const backup = another(`changed-${file.replace('/', '-')}`);
      appendFileSync(join(backup, file), '\n');
      const verified = await here('backup', 'verify', backup);
      expect([verified.code, verified.err]).toEqual([2, expect.stringContaining(`${file} is not what was backed up`)]);
    },
  );

  it('is told from what is none, of which nothing can be said', async () => {
    const verified = await here('backup', 'verify', join(scratch, 'none'));
    expect([verified.code, verified.err]).toEqual([1, expect.stringContaining('holds no backup.json')]);
  });

  it('is refused by the event that was changed, also where its digests were made again', async () => {
    const backup = another('forged');
    tamper(backup, 'policy-router', 'POLICY_CHANGED', '"data":{', '"data":{"a":1,');
    await isRefused(backup, 'events.db is not what was backed up');
    claimAgain(backup);
    await isRefused(backup, /stream policy-router, revision 0: .*signature/);
  });

  it('is refused where its last events were cut off, by its checkpoint', async () => {
    const backup = another('cut');
    const database = openDatabase(join(backup, 'events.db'));
    database.exec(
      'DROP TRIGGER events_are_never_deleted; DELETE FROM events WHERE position = (SELECT max(position) FROM events)',
    );
    database.close();
    claimAgain(backup);
    await isRefused(backup, /and its backup\.json says/);
    const path = join(backup, 'backup.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as { events: number };
    writeFileSync(path, JSON.stringify({ ...manifest, events: manifest.events - 1 }));
    await isRefused(backup, /and its checkpoint was signed over/);
  });

  it('is refused where a file is missing, or one lies beside that is not named', async () => {
    const backup = another('more');
    writeFileSync(join(backup, 'events.db-wal'), 'what SQLite would take for committed');
    const verified = await here('backup', 'verify', backup);
    expect([verified.code, verified.err]).toEqual([
      2,
      expect.stringContaining('events.db-wal is no file of the backup'),
    ]);
    rmSync(join(backup, 'events.db-wal'));
    rmSync(join(backup, 'subject-keys.db'));
    await isRefused(backup, 'subject-keys.db is missing from the backup');
  });

  it('is refused where no key here has signed it', async () => {
    const keys = join(scratch, 'other-keys.json');
    expect(await mace('keys', 'draw', keys)).toMatchObject({ code: 0 });
    process.env['MACE_KEYS_FILE'] = keys;
    try {
      const verified = await here('backup', 'verify', made);
      expect([verified.code, verified.err]).toEqual([2, expect.stringMatching(/does not verify: stream .*key/)]);
    } finally {
      delete process.env['MACE_KEYS_FILE'];
    }
  });
});

/** Ends the process from within as it renames for the n-th time: each step of a backup ends with a name that is given. */
const deathAtRename = (n: number): string => `
  const fs = (await import('node:fs')).promises;
  const { syncBuiltinESMExports } = await import('node:module');
  const real = fs.rename;
  let left = ${n};
  fs.rename = async (...args) => { if (--left === 0) process.kill(process.pid, 'SIGKILL'); return real(...args); };
  syncBuiltinESMExports();
`;

describe('a backup whose process is killed', () => {
  it.each([
    ['as it says that it is whole', 2],
    ['as it takes its place', 3],
  ])('%s is no backup, and gives way to the next', async (_when, step) => {
    const to = join(scratch, `killed-${step}`);
    const killed = await child(['--data', folder, 'backup', to], inside(deathAtRename(step)));
    expect(killed.signal).toBe('SIGKILL');
    expect(existsSync(to)).toBe(false);
    const left = `${to}.unfinished`;
    if (step === 2) await isRefused(left, 'was broken off');
    // What lies there is whole by then, and has no name yet.
    else expect(await here('backup', 'verify', left)).toMatchObject({ code: 0 });
    expect(await here('backup', to)).toMatchObject({ code: 0 });
    expect(existsSync(left)).toBe(false);
  });
});

/** A disk of its own that can be filled; only root may mount one, and not in every container. */
const system = (command: string, ...parameters: string[]): boolean =>
  spawnSync(command, parameters, { stdio: 'ignore' }).status === 0;
const tmpfs = (mountPoint: string, megabytes = 1): string[] => [
  ...['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'mace-test'],
  mountPoint,
];
const mayMount = system('unshare', '--mount', ...tmpfs('/mnt'));

describe('a disk that is full', () => {
  (mayMount ? it : it.skip)(
    `takes no restore, and the log stays as it is${mayMount ? '' : ' [only where a test may mount]'}`,
    async () => {
      const disk = join(scratch, 'small');
      mkdirSync(disk);
      const [mount, ...parameters] = tmpfs(disk, 12);
      expect(system(mount!, ...parameters)).toBe(true);
      try {
        const small = join(disk, 'data');
        const isNeeded = (path: string): boolean => !path.includes('replaced-') && !path.endsWith('.sock');
        cpSync(folder, small, { recursive: true, filter: isNeeded });
        const { bavail, bsize } = statfsSync(disk);
        writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - 600_000));
        const before = readdirSync(small).sort();
        const ended = await mace('--data', small, 'restore', '--from', made);
        expect([ended.code, ended.err]).toEqual([69, expect.stringContaining('no room for a copy of the backup')]);
        expect(readdirSync(small).sort()).toEqual(before);
        rmSync(join(disk, 'ballast'));
        expect(await mace('--data', small, 'sem', 'get', COLOR)).toMatchObject({ code: 0 });
      } finally {
        system('umount', '--lazy', disk);
      }
    },
  );

  (mayMount ? it : it.skip)(
    `takes no backup, and nothing is left on it${mayMount ? '' : ' [only where a test may mount]'}`,
    async () => {
      const disk = join(scratch, 'disk');
      mkdirSync(disk);
      const [mount, ...parameters] = tmpfs(disk);
      expect(system(mount!, ...parameters)).toBe(true);
      try {
        const free = statfsSync(disk).bavail;
        writeFileSync(join(disk, 'ballast'), Buffer.alloc(600_000));
        const ended = await here('backup', join(disk, 'backup'));
        expect([ended.code, ended.err]).toEqual([69, expect.stringContaining('there is no room for the backup')]);
        expect(readdirSync(disk)).toEqual(['ballast']);
        expect(statfsSync(disk).bavail).toBeLessThan(free);
      } finally {
        system('umount', '--lazy', disk);
      }
    },
  );
});
