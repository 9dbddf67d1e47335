import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { signToken } from '#lib/access';

import { ServedFolder } from './testing/served-folder.js';
import { mace, type Ended } from './testing/mace.js';

const COLOR = 'user/profile/user_tuff/favorite_color';
const DENIED = { code: 77, out: '' };

let served: ServedFolder;
let tuff: string;
let ann: string;
let annsFile: string;

beforeAll(async () => {
  served = await ServedFolder.open('acting-token');
  tuff = await served.token('tuff', ['user'], false);
  ann = await served.token('ann', ['user'], false);
  annsFile = join(served.path, 'ann.token');
  writeFileSync(annsFile, `${ann}\n`);
  expect(await on({ MACE_TOKEN: tuff }, 'sem', 'put', COLOR, 'blue')).toMatchObject({ code: 0 });
});
afterAll(() => served.close());

/** A command with these settings in its environment. */
async function on(settings: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended> {
  Object.assign(process.env, settings);
  try {
    return await mace('--data', served.path, ...args);
  } finally {
    for (const name of Object.keys(settings)) delete process.env[name];
  }
}
const get = (settings: Readonly<Record<string, string>>, ...options: readonly string[]): Promise<Ended> =>
  on(settings, 'sem', 'get', COLOR, ...options);

describe('a command acts as the holder of the token', () => {
  it('in MACE_TOKEN, and no longer as who holds the folder', async () => {
    expect(await get({ MACE_TOKEN: tuff })).toMatchObject({ code: 0, out: 'blue' });
    expect(await get({ MACE_TOKEN: ann })).toMatchObject(DENIED);
    expect(await get({})).toMatchObject({ code: 0, out: 'blue' });
  });

  it('in the file that MACE_TOKEN_FILE or --token-file names', async () => {
    expect(await get({ MACE_TOKEN_FILE: annsFile })).toMatchObject(DENIED);
    expect(await get({}, '--token-file', annsFile)).toMatchObject(DENIED);
  });

  it('that the command line names, before the one of the environment', async () => {
    expect(await get({ MACE_TOKEN: tuff }, '--token-file', annsFile)).toMatchObject(DENIED);
    expect(await get({ MACE_TOKEN: ann }, '--token', tuff)).toMatchObject({ code: 0, out: 'blue' });
  });

  it('but for what makes tokens: who holds the folder draws another where the exported one is old, or empty', async () => {
    for (const MACE_TOKEN of [tuff, 'old', ''])
      expect(await on({ MACE_TOKEN }, 'token', '--user', 'bob', '--role', 'user')).toMatchObject({ code: 0, err: '' });
    const { code, err } = await on({}, 'token', '--user', 'bob', '--role', 'user', '--token-file', annsFile);
    expect([code, err]).toEqual([77, expect.stringContaining('PERMISSION_DENIED')]);
  });
});

describe('a token that is given and is none', () => {
  it('is refused with its reason where it has expired, or was never one', async () => {
    const order = { userId: 'tuff', roles: ['user'] as const, issuer: 'mace', audience: 'mace', ttlSeconds: 60 };
    const expired = await signToken(served.ring, { ...order, now: Date.now() - 120_000 });
    expect(await get({ MACE_TOKEN: expired })).toMatchObject({
      ...DENIED,
      err: expect.stringContaining('expired') as string,
    });
    const { code, err } = await get({ MACE_TOKEN: 'abc' });
    expect([code, err]).toEqual([77, expect.stringContaining('UNAUTHENTICATED')]);
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[], number, RegExp]>([
    ['an empty one', { MACE_TOKEN: '' }, [], 64, /^mace: MACE_TOKEN is empty; /],
    ['one with a space in it', { MACE_TOKEN: 'a b' }, [], 64, /^mace: MACE_TOKEN is no token; /],
    ['an empty one on the command line', {}, ['--token', ''], 64, /^mace: --token is empty; /],
    ['an empty file', { MACE_TOKEN_FILE: '/dev/null' }, [], 64, /^mace: MACE_TOKEN_FILE: \/dev\/null is empty; /],
    [
      'no file',
      {},
      ['--token-file', '/nowhere/at/all'],
      1,
      /--token-file: \/nowhere\/at\/all cannot be read \(ENOENT\)/,
    ],
    ['a folder', {}, ['--token-file', '/'], 1, /--token-file: \/ cannot be read \(EISDIR\)/],
    [
      'two in the environment',
      { MACE_TOKEN: 'a', MACE_TOKEN_FILE: 'b' },
      [],
      64,
      /MACE_TOKEN and MACE_TOKEN_FILE: one/,
    ],
    ['two on the command line', {}, ['--token', 'a', '--token-file', 'b'], 64, /--token and --token-file: one/],
  ])('is no leave to act as `local`: %s', async (_, settings, options, code, said) => {
    const ended = await get(settings, ...options);
    expect(ended).toEqual({ code, out: '', err: expect.stringMatching(said) as string });
  });
});

it('help and completion offer --token-file, and no token on the command line', async () => {
  const { out } = await mace('completion', 'bash');
  expect(out).toContain('--token-file');
  expect(out).not.toMatch(/--token(?!-file)/);
});
