import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { kidOf } from '#lib/event-store';

import { drawKeys, openKeyFile, rotateKey, writeKeyFile } from '../../../../libs/access/src/key-file.js';
import { MongoWire } from '../../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { TRANSIT_TOKEN, TransitServer } from '../../../../test/fixtures/transit-server/transit-server.js';
import { JobApp } from '../../../../test/support/job-app.js';
import { openApp } from '../../../api/src/main.open.js';
import { readConfig } from '../../../api/src/platform.config.js';
import { KEY_PURPOSES } from '../closed-lists.js';
import { mace as runMace } from '../testing/mace.js';

const COLOR = '/sem/user/profile/user_tuff/favorite_color';

let app: JobApp;
beforeEach(async () => (app = await JobApp.open()));
afterEach(() => app.dispose());

/** The command line on the folder, while nobody else holds it. */
async function mace(...args: string[]): Promise<{ readonly code: number; readonly text: string }> {
  const { code, out, err } = await runMace('--data', app.folder, ...args);
  return { code, text: [out, err].filter((text) => text !== '').join('\n') };
}

const put = async (value: string): Promise<number> =>
  (await (await app.caller('tuff')).send('PUT', COLOR, { value })).status;
const read = async (): Promise<unknown> => (await (await app.caller('tuff')).get<{ value: unknown }>(COLOR)).body.value;
const wrappers = async (): Promise<string[]> =>
  (await app.parts.platform.subjectKeys.present(null, 100)).keys.map(({ wrappedBy }) => wrappedBy);

describe('mace keys draw', () => {
  it('draws a ring that production takes, and never over one that is there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mace-drawn-'));
    const file = join(folder, 'keys', 'ring.json');
    try {
      expect(await mace('keys', 'draw', file, '--dry-run')).toMatchObject({ code: 0 });
      expect(existsSync(file)).toBe(false);
      expect(await mace('keys', 'draw', file)).toMatchObject({ code: 0 });
      const keys = readFileSync(file, 'utf8');
      openKeyFile(file, { mayDraw: false, production: true, now: Date.now() });
      expect(await mace('keys', 'draw', file)).toMatchObject({
        code: 1,
        text: expect.stringContaining('is there already'),
      });
      expect(readFileSync(file, 'utf8')).toBe(keys);
      expect(await mace('keys', 'draw', join(file, 'ring.json'))).toMatchObject({
        code: 1,
        text: expect.stringContaining('cannot be written (EEXIST)'),
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('mace keys rotate', () => {
  it('takes each purpose that the ring has a key for; a request is recognised under the key before', async () => {
    const { out } = await runMace('--data', app.folder, '--json', 'keys', 'list');
    const { items } = JSON.parse(out) as { items: readonly { readonly purpose: string }[] };
    expect(items.map(({ purpose }) => purpose).filter((purpose) => !KEY_PURPOSES.includes(purpose))).toEqual([]);
    const ask = async () =>
      (await app.caller('tuff')).send('POST', '/jobs', { query_text: '6 * 7' }, { 'idempotency-key': 'once' });
    const first = await ask();
    await app.whileClosed(async () => expect((await mace('keys', 'rotate', 'request-hmac')).code).toBe(0));
    expect((await ask()).body.job_id).toBe(first.body.job_id);
  });

  it('data-key-wrapping brings every data key under a new key, and touches no event', async () => {
    expect(await put('blue')).toBe(200);
    const before = { texts: await app.texts(), wrappers: await wrappers() };
    expect(new Set(before.wrappers)).toEqual(new Set(['data-key-wrapping.fixture']));
    await app.whileClosed(async () => {
      const { code, text } = await mace('keys', 'rotate', 'data-key-wrapping');
      expect([code, text]).toEqual([0, expect.stringMatching(/data-key-wrapping\.2\.[0-9a-f]{6} wraps data keys/)]);
      expect(text).toContain(`${before.wrappers.length} of ${before.wrappers.length} data keys`);
      // What was broken off is gone on with; here nothing is left to do.
      expect(await mace('keys', 'rewrap')).toMatchObject({ code: 0, text: expect.stringMatching(/^0 of /) });
    });
    expect((await wrappers()).every((name) => /^data-key-wrapping\.2\./.test(name))).toBe(true);
    expect((await app.texts()).slice(0, before.texts.length)).toEqual(before.texts);
    expect(await read()).toBe('blue');
  });

  it('data-key gives a person a new key; what the one before encrypted stays readable', async () => {
    expect(await put('blue')).toBe(200);
    await app.whileClosed(async () => {
      expect(await mace('keys', 'rotate', 'data-key', '--user', 'tuff')).toMatchObject({
        code: 0,
        text: expect.stringContaining('from now on'),
      });
    });
    expect(await read()).toBe('blue');
    expect(await put('green')).toBe(200);
    const kids = (await app.parts.platform.subjectKeys.listFor('user_tuff')).map(kidOf);
    expect(kids).toHaveLength(2);
    const puts = (await app.texts()).filter((text) => text.includes('"type":"SEM_PUT"') && text.includes('user_tuff'));
    expect(puts.map((text) => kids.findIndex((kid) => text.includes(`"kid":"${kid}"`)))).toEqual([0, 1]);
    await app.whileClosed(async () => {
      expect((await mace('keys', 'rotate', 'data-key', '--user', 'nobody')).code).toBe(1);
      expect((await mace('keys', 'rotate', 'data-key')).code).toBe(64);
      expect((await mace('keys', 'rotate', 'event-hmac', '--user', 'tuff')).code).toBe(64);
    });
  });
});

describe('mace keys revoke', () => {
  it('ends a token key, and with it every token that it signed', async () => {
    const token = await app.token('tuff');
    const asked = () =>
      app.parts.app.fastify.inject({ method: 'GET', url: '/jobs', headers: { authorization: `Bearer ${token}` } });
    expect((await asked()).statusCode).toBe(200);
    const kid = 'token-signature.fixture';
    await app.whileClosed(async () => {
      expect((await mace('keys', 'revoke', kid)).text).toContain('is in use; rotate token-signature first');
      expect(await mace('keys', 'rotate', 'token-signature')).toMatchObject({ code: 0 });
    });
    expect((await asked()).statusCode).toBe(200);
    await app.whileClosed(async () => {
      expect(await mace('keys', 'revoke', kid)).toMatchObject({ code: 0, text: expect.stringContaining('is revoked') });
      expect((await mace('keys', 'list')).text).toMatch(/token-signature\.fixture +token-signature +revoked/);
    });
    expect((await asked()).statusCode).toBe(401);
  });

  it('ends a key-encryption key once no data key hangs on it', async () => {
    expect(await put('blue')).toBe(200);
    const kid = 'data-key-wrapping.fixture';
    const ring = join(app.folder, 'keys', 'ring.json');
    await app.whileClosed(async () => {
      rotateKey(ring, 'data-key-wrapping', Date.now());
      expect(await mace('keys', 'revoke', kid)).toMatchObject({
        code: 1,
        text: expect.stringContaining('keys rewrap'),
      });
      expect(await mace('keys', 'rewrap')).toMatchObject({ code: 0 });
      expect(await mace('keys', 'revoke', kid)).toMatchObject({ code: 0 });
    });
    expect(await read()).toBe('blue');
  });
});

describe('mace keys where people’s data keys lie in MongoDB', () => {
  let mongo: MongoWire;
  let shared: JobApp;
  let settings: Readonly<Record<string, string>>;
  beforeEach(async () => {
    mongo = await MongoWire.start();
    settings = { MACE_READ_STORE: 'mongodb', MONGODB_URL: mongo.url };
    shared = await JobApp.open({}, settings);
    Object.assign(process.env, settings);
    expect((await (await shared.caller('tuff')).send('PUT', COLOR, { value: 'blue' })).status).toBe(200);
  });
  afterEach(async () => {
    for (const name of [...Object.keys(settings), 'MACE_READ_STORE_WAIT_S']) delete process.env[name];
    await shared.close();
    await mongo.close();
    rmSync(shared.folder, { recursive: true, force: true });
  });
  const onShared = (...args: string[]) => runMace('--data', shared.folder, ...args);

  it('rotates and rewraps those, and makes no file of its own beside them', async () => {
    const of = async () => (await shared.parts.platform.subjectKeys.present(null, 100)).keys;
    const { length } = await of();
    await shared.whileClosed(async () => {
      // Of the start whose folder this one is a copy of.
      rmSync(join(shared.folder, 'subject-keys.db'), { force: true });
      const { code, out, err } = await onShared('keys', 'rotate', 'data-key-wrapping');
      expect([code, out]).toEqual([0, expect.stringContaining(`${length} of ${length} data keys`)]);
      expect(err).toContain('restart them all');
      const own = await onShared('keys', 'rotate', 'data-key', '--user', 'tuff');
      expect([own.code, own.err]).toEqual([0, '']);
      expect(existsSync(join(shared.folder, 'subject-keys.db'))).toBe(false);
    });
    expect((await of()).every(({ wrappedBy }) => /^data-key-wrapping\.2\./.test(wrappedBy))).toBe(true);
    expect(await of()).toHaveLength(length + 1);
    expect((await (await shared.caller('tuff')).get<{ value: unknown }>(COLOR)).body.value).toBe('blue');
    await shared.close();
    await mongo.close();
    process.env['MACE_READ_STORE_WAIT_S'] = '0';
    const away = await onShared('keys', 'rewrap');
    expect([away.code, away.err]).toEqual([69, expect.stringContaining('MONGODB_URL: ')]);
  });

  it('revokes a key-encryption key only where it is said that every process is stopped', async () => {
    const kid = 'data-key-wrapping.fixture';
    const ring = join(shared.folder, 'keys', 'ring.json');
    await shared.whileClosed(async () => {
      for (const purpose of ['data-key-wrapping', 'token-signature'])
        expect((await onShared('keys', 'rotate', purpose)).code).toBe(0);
      const before = readFileSync(ring, 'utf8');
      for (const rehearsal of [['--dry-run'], []]) {
        const { code, err } = await onShared('keys', 'revoke', kid, ...rehearsal);
        expect([code, err]).toEqual([64, expect.stringMatching(/on the old key file .*lost.*--all-stopped/)]);
      }
      expect(readFileSync(ring, 'utf8')).toBe(before);
      expect((await onShared('keys', 'revoke', 'token-signature.fixture')).code).toBe(0);
      expect((await onShared('keys', 'revoke', kid, '--all-stopped')).code).toBe(0);
    });
    expect((await (await shared.caller('tuff')).get<{ value: unknown }>(COLOR)).body.value).toBe('blue');
  });
});

describe('a start on data keys that do not fit', () => {
  const start = (dataDir: string, env: Record<string, string> = {}) =>
    openApp(readConfig({ MACE_DATA_DIR: dataDir, MACE_LOG_LEVEL: 'silent', ...env }));

  it('is refused without the key file, and none is drawn, also where only data keys are left of the folder', async () => {
    expect(await put('blue')).toBe(200);
    const lost = mkdtempSync(join(tmpdir(), 'mace-lost-'));
    const [ring, aside] = [join(app.folder, 'keys'), join(lost, 'aside')];
    await app.whileClosed(async () => {
      renameSync(ring, aside);
      await expect(start(app.folder)).rejects.toThrow('ring.json: missing');
      cpSync(join(app.folder, 'subject-keys.db'), join(lost, 'subject-keys.db'));
      await expect(start(lost)).rejects.toThrow('ring.json: missing');
      expect([existsSync(ring), existsSync(join(lost, 'keys'))]).toEqual([false, false]);
      renameSync(aside, ring);
    });
    rmSync(lost, { recursive: true });
    expect(await read()).toBe('blue');
  });

  it('is refused with a key file that holds none of the keys they are wrapped by', async () => {
    expect(await put('blue')).toBe(200);
    const [ring, aside] = [join(app.folder, 'keys', 'ring.json'), join(app.folder, 'aside.json')];
    await app.whileClosed(async () => {
      cpSync(ring, aside);
      writeKeyFile(ring, drawKeys(Date.now()));
      await expect(start(app.folder)).rejects.toThrow(
        'wrapped by data-key-wrapping.fixture, which it does not hold; restore the key file of this data folder',
      );
      cpSync(aside, ring);
    });
    expect(await read()).toBe('blue');
  });

  it('is refused without the key service to which they were moved; with it everything reads as before', async () => {
    const server = await TransitServer.start();
    const env = { MACE_KMS_URL: server.url, MACE_KMS_TOKEN: TRANSIT_TOKEN };
    expect(await put('blue')).toBe(200);
    const [keys, aside] = [join(app.folder, 'subject-keys.db'), join(app.folder, 'aside.db')];
    try {
      await app.whileClosed(async () => {
        cpSync(keys, aside);
        Object.assign(process.env, env);
        expect(await mace('keys', 'rewrap')).toMatchObject({ code: 0 });
        expect(await mace('keys', 'rotate', 'data-key-wrapping')).toMatchObject({ code: 0 });
        for (const name of Object.keys(env)) delete process.env[name];
        await expect(start(app.folder)).rejects.toThrow('wrapped by vault:transit/mace:v2; set MACE_KMS_URL');
        const { app: moved, platform } = await start(app.folder, env);
        const wrapped = (await platform.subjectKeys.present(null, 100)).keys;
        expect(new Set(wrapped.map(({ wrappedBy }) => wrappedBy))).toEqual(new Set(['vault:transit/mace:v2']));
        const { events } = await platform.events.load(`sem-${COLOR.slice('/sem/'.length)}`, { personal: 'plain' });
        expect(events[0]!.data['value']).toBe('blue');
        await moved.nest.close();
        await platform.close();
        cpSync(aside, keys);
      });
    } finally {
      for (const name of Object.keys(env)) delete process.env[name];
      await server.close();
    }
    expect(await read()).toBe('blue');
  });
});
