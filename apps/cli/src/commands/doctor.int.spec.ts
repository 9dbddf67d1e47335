import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';

import { openDatabase } from '#lib/sqlite';

import { drawKeys, writeKeyFile } from '../../../../libs/access/src/key-file.js';
import { EventStoreWire } from '../../../../test/fixtures/eventstore-wire/eventstore-wire.js';
import { MongoWire } from '../../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { newDataFolder } from '../../../../test/support/data-folder.js';
import { describeEmbedded, FILE_OF_EVENTS } from '../../../../test/support/event-store-for-tests.js';
import { filesBelow } from '../../../../test/support/live-folder.js';
import { describeWithRedis, RedisServer } from '../../../../test/support/redis-server.js';
import { ServedProcess } from '../../../../test/support/served-process.js';
import { type Ended, mace as runMace } from '../testing/mace.js';
import type { Client } from '../client.js';
import { ServedFolder } from '../testing/served-folder.js';
import type { Finding } from './doctor/finding.js';
import { disk, nodeVersion } from './doctor/machine.js';
import { runningServer } from './doctor/server.js';
import { clocks } from './doctor/services.js';
import { configurationFiles } from './doctor/settings.js';

jest.setTimeout(120_000);

interface Said {
  readonly healthy: boolean;
  readonly checks: readonly Omit<Finding, 'exit'>[];
}

let sound: string;
let folder: string;

beforeAll(async () => {
  sound = await newDataFolder('doctor');
  folder = `${sound}-copy`;
});
beforeEach(() => cpSync(sound, folder, { recursive: true }));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => rmSync(sound, { recursive: true, force: true }));

/** With these settings and no others. */
async function withSettings(settings: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> {
  const before = { ...process.env };
  for (const name of Object.keys(before)) if (/^(?:MACE|OTEL)_/.test(name)) delete process.env[name];
  Object.assign(process.env, { MACE_PORT: '0', ...settings });
  try {
    return await runMace('--data', folder, ...args);
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

async function examined(settings: Readonly<Record<string, string>> = {}) {
  const { code, out } = await withSettings(settings, '--json', 'doctor');
  const { healthy, checks } = JSON.parse(out) as Said;
  const of = (check: string, state: string) => checks.filter((one) => one.check === check && one.state === state);
  return { code, healthy, checks, of, bad: checks.filter(({ state }) => state !== 'ok') };
}

/** Every file with its bytes, mode and time of change. */
function stateOf(path: string): readonly unknown[] {
  return filesBelow(path).map((file) => {
    const { mode, mtimeMs } = statSync(file.path);
    return [file.path, mode, mtimeMs, file.bytes.toString('base64')];
  });
}

function inEvents(sql: string): void {
  const db = openDatabase(join(folder, 'events.db'));
  for (const rule of ['events_are_never_changed', 'events_are_never_deleted']) db.exec(`DROP TRIGGER ${rule}`);
  db.exec(sql);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

describeEmbedded('mace doctor on a folder that nobody serves', FILE_OF_EVENTS, () => {
  it('finds nothing wrong with a sound one, and leaves every byte of it as it was', async () => {
    const before = stateOf(folder);
    const { code, healthy, bad } = await examined();
    expect({ code, healthy, bad }).toEqual({ code: 0, healthy: true, bad: [] });
    expect(stateOf(folder)).toEqual(before);
  });

  it('names a walk that found damage, and ends with 2', async () => {
    // Nothing that a start reads.
    const changed = "(SELECT max(position) FROM events WHERE type = 'MODULE_REGISTERED')";
    inEvents(
      `UPDATE events SET text = replace(text, '"role":"system"', '"role":"sistem"') WHERE position = ${changed}`,
    );
    expect((await withSettings({}, 'integrity', 'verify')).code).toBe(2);
    const { code, of } = await examined();
    expect(code).toBe(2);
    expect(of('integrity', 'fail')).toMatchObject([
      {
        found: expect.stringMatching(
          /^The last walk, \S+ of 20\S+Z, up to position \d+, found it NOT SOUND: \d faults?$/,
        ),
      },
    ]);
  });

  it('makes nothing where there is no folder yet', async () => {
    rmSync(folder, { recursive: true });
    const { code, of } = await examined();
    expect(code).toBe(0);
    expect(of('keys', 'ok')).toMatchObject([{ found: 'drawn by the first start' }]);
    expect(() => statSync(folder)).toThrow('ENOENT');
  });

  it('says each line with its state, what was found and what to do', async () => {
    chmodSync(folder, 0o755);
    const { code, out, err } = await withSettings({}, 'doctor');
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {4}node +Node \d/m);
    expect(out).toMatch(/^warn {2}data folder +.* is open to other users \(mode 755\): chmod 700 /m);
    expect(err).toMatch(/^0 to mend, 1 to look at, \d+ as they should be$/);
  });

  it('names every setting that cannot be meant, not only the first, and goes on without them', async () => {
    const settings = { MACE_RATE_LIMIT: 'many', MACE_MODE: 'prod', MACE_EVENT_STORE: 'eventstoredb', REDIS_URL: 'x' };
    const { code, of, checks } = await examined({ ...settings, MACE_CACHE: 'redis', OTEL_TRACES_EXPORTER: 'zipkin' });
    expect(code).toBe(64);
    expect(of('MACE_RATE_LIMIT', 'fail')).toMatchObject([{ todo: expect.stringContaining('600/60') as string }]);
    expect(of('MACE_MODE', 'fail')).toMatchObject([{ todo: 'allowed: one of development, production' }]);
    expect(of('EVENTSTORE_URL', 'fail')).toMatchObject([{ found: 'is missing' }]);
    expect(of('REDIS_URL', 'fail')).toHaveLength(1);
    expect(of('OTEL_TRACES_EXPORTER', 'fail')).toHaveLength(1);
    expect(checks.some(({ check }) => check === 'events.db')).toBe(true);
  });

  it('warns of a name that nobody reads', async () => {
    const { code, bad } = await examined({ MACE_STORAGE_QOUTA_MB: '100' });
    expect(code).toBe(0);
    expect(bad).toMatchObject([{ check: 'MACE_STORAGE_QOUTA_MB', state: 'warn' }]);
  });

  it('finds that the data keys are gone, as the next start tells, which makes a file without any', async () => {
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `subject-keys.db${end}`), { force: true });
    const { code, of } = await examined();
    expect(code).toBe(1);
    expect(of('subject-keys.db', 'fail')).toMatchObject([{ todo: expect.stringContaining('backup') as string }]);
    const told = async (): Promise<boolean> => {
      const server = await ServedProcess.start(folder);
      await server.stop();
      return server.log().includes('the data keys of people are not there');
    };
    expect([await told(), await told()]).toEqual([true, false]);
  });

  it('finds that a killed process has written data keys which are not there, as the next start tells', async () => {
    const killed = await ServedProcess.start(folder);
    await killed.kill();
    rmSync(join(folder, 'subject-keys.db-wal'));
    const { code, of } = await examined();
    expect(code).toBe(1);
    expect(of('subject-keys.db', 'fail')).toMatchObject([{ todo: expect.stringContaining('backup') as string }]);
    const told = async (): Promise<boolean> => {
      const server = await ServedProcess.start(folder);
      await server.stop();
      return server.log().includes('data keys of people may be lost');
    };
    expect([await told(), await told()]).toEqual([true, false]);
  });

  it('finds a key file that others may read', async () => {
    chmodSync(join(folder, 'keys', 'ring.json'), 0o644);
    const { code, of } = await examined();
    expect(code).toBe(1);
    expect(of('keys', 'fail')).toMatchObject([{ found: expect.stringContaining('chmod 600') as string }]);
  });

  it('finds a key file that is damaged, missing, or too well known for production', async () => {
    const file = join(folder, 'keys', 'ring.json');
    const production = await examined({ MACE_MODE: 'production', MACE_KEYS_FILE: file });
    expect(production.of('keys', 'fail')).toMatchObject([{ found: expect.stringContaining('test fixture') as string }]);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"format": 1', '"format": 7'));
    expect((await examined()).of('keys', 'fail')).toMatchObject([
      { found: expect.stringContaining('damaged') as string },
    ]);
    rmSync(file);
    expect((await examined()).of('keys', 'fail')).toMatchObject([
      { found: expect.stringContaining('missing') as string },
    ]);
  });

  it('finds keys that are not those of the log, and a key soon to end', async () => {
    const ends = new Date(Date.now() + 5 * 86_400_000).toISOString();
    const drawn = drawKeys(Date.now()).map((key) => ({
      ...key,
      ...(key.purpose === 'pii-hmac' ? { notAfter: ends } : {}),
    }));
    writeKeyFile(join(folder, 'keys', 'ring.json'), drawn);
    const { code, of } = await examined();
    expect(code).toBe(1);
    expect(of('keys of the log', 'fail')).toHaveLength(1);
    expect(of('keys', 'warn')).toMatchObject([
      { todo: expect.stringContaining('mace keys rotate pii-hmac') as string },
    ]);
  });

  it('finds an events.db that is no database, or of a newer format', async () => {
    inEvents('PRAGMA user_version = 99');
    const newer = await examined();
    expect([newer.code, newer.of('events.db', 'fail')]).toMatchObject([
      1,
      [{ found: expect.stringContaining('format version 99') as string }],
    ]);
    writeFileSync(join(folder, 'events.db'), randomBytes(8192));
    const { code, of } = await examined();
    expect([code, of('events.db', 'fail')]).toMatchObject([
      1,
      [{ found: expect.stringContaining('not an SQLite') as string }],
    ]);
  });

  it('names the variables that should hold keys of language engines, and hold nothing', async () => {
    const engine = (key: string) => ({
      base_url: 'http://127.0.0.1:9/v1',
      api_key_env: key,
      model: 'm',
      timeout_ms: 10,
    });
    const MACE_LLM_PROVIDERS = JSON.stringify([engine('DOCTOR_KEY_ONE'), engine('DOCTOR_KEY_TWO')]);
    const { code, of } = await examined({ MACE_LLM_PROVIDERS, DOCTOR_KEY_ONE: 'k' });
    expect([code, of('MACE_LLM_PROVIDERS', 'warn')]).toMatchObject([0, [{ found: 'DOCTOR_KEY_TWO is empty' }]]);
  });

  it('finds a log of a newer release', async () => {
    inEvents(`UPDATE events SET text = replace(text, '"SEM_PUT":', '"SEM_PUT":9') WHERE type = 'RELEASE_RECORDED'`);
    const { code, of } = await examined();
    expect(code).toBe(1);
    expect(of('event versions', 'fail')).toMatchObject([{ todo: 'start the newer release' }]);
  });

  it('finds a clock that is behind the last event', async () => {
    inEvents(`UPDATE events SET recorded_at = recorded_at + 86400000`);
    const { code, of } = await examined();
    expect([code, of('clock', 'fail')]).toMatchObject([1, [{ todo: expect.stringContaining('clock') as string }]]);
  });

  it('finds a log that is shorter than what was signed, and one that the key folder does not know', async () => {
    inEvents('DELETE FROM events WHERE position > 3');
    expect((await examined()).of('checkpoint', 'fail')).toMatchObject([
      { found: expect.stringContaining('events.db has 3 events, and ') as string },
    ]);
    renameSync(join(folder, 'keys', 'checkpoints'), join(folder, 'keys', 'elsewhere'));
    const { code, of } = await examined();
    expect([code, of('checkpoint', 'fail')]).toMatchObject([
      1,
      [{ found: expect.stringContaining('does not know') as string }],
    ]);
  });

  it('finds events that are missing between others, as a start does that refuses the folder', async () => {
    inEvents('DELETE FROM events WHERE position = (SELECT min(position) FROM events WHERE revision = 1)');
    const { code, of } = await examined();
    expect(code).toBe(1);
    expect(of('events.db', 'fail')).toMatchObject([
      {
        found: expect.stringMatching(
          /^it has a gap: 1 of \d+ events are missing, the first at \d+; \S+ has \d+ events, and the last is revision \d+$/,
        ) as string,
      },
    ]);
    expect(of('checkpoint', 'fail')).toHaveLength(1);
    await expect(ServedProcess.start(folder)).rejects.toThrow(/the log has a gap: 1 of \d+ events are missing/);
  });

  it('finds a stream whose revisions do not count its events, where no position is missing', async () => {
    inEvents('UPDATE events SET revision = revision + 1 WHERE position = (SELECT max(position) FROM events)');
    const { code, of } = await examined();
    expect([code, of('events.db', 'fail')]).toMatchObject([
      1,
      [{ found: expect.stringMatching(/^it has a gap: \S+ has \d+ events, and the last is revision \d+$/) as string }],
    ]);
  });

  it('does not count where the newest events lie beside the file, and says so', async () => {
    const server = await ServedProcess.start(folder);
    await server.kill();
    const { of, code } = await examined();
    expect(of('events.db', 'warn')).toMatchObject([{ found: expect.stringContaining('none is counted') as string }]);
    expect(code).toBe(0);
  });

  it('finds a log that has reached its quota', async () => {
    truncateSync(join(folder, 'events.db'), 1024 * 1024);
    const { code, of } = await examined({ MACE_STORAGE_QUOTA_MB: '1' });
    expect([code, of('MACE_STORAGE_QUOTA_MB', 'fail')]).toMatchObject([
      1,
      [{ found: expect.stringMatching(/^the stores have [0-9]+ of 1 MiB$/) as string }],
    ]);
  });

  it('finds a process that holds the folder and answers nobody, and none where that has ended', async () => {
    const holder = (pid: number) => writeFileSync(join(folder, 'holder.json'), JSON.stringify({ pid, host: 'here' }));
    holder(process.pid);
    const held = await examined();
    expect([held.code, held.of('owner', 'fail')]).toMatchObject([
      69,
      [{ found: expect.stringContaining(`${process.pid}`) as string }],
    ]);
    holder(2 ** 22 + 1);
    expect((await examined()).code).toBe(0);
  });

  it('finds a file where the data folder should be', async () => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    expect((await examined()).of('data folder', 'fail')).toMatchObject([{ found: `${folder} is a file` }]);
  });

  it('finds a port that is taken', async () => {
    const taken = createTcpServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const port = String((taken.address() as AddressInfo).port);
    const { code, of } = await examined({ MACE_PORT: port });
    expect([code, of('MACE_PORT', 'fail')]).toMatchObject([69, [{ found: `127.0.0.1:${port} is in use` }]]);
    await new Promise((resolve) => taken.close(resolve));
  });
});

describe('mace doctor on what lies elsewhere', () => {
  /** Nobody listens there. */
  const NOWHERE = '127.0.0.1:9';

  it('finds stores and an issuer that do not answer, with no password in what it says', async () => {
    const stores = {
      ...{ MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: `esdb://admin:hunter2@${NOWHERE}?tls=false` },
      ...{ MACE_READ_STORE: 'mongodb', MONGODB_URL: `mongodb://admin:hunter2@${NOWHERE}/mace` },
      ...{ MACE_CACHE: 'redis', REDIS_URL: `redis://:hunter2@${NOWHERE}/0` },
      MACE_JWKS_URL: `http://${NOWHERE}/jwks.json`,
    };
    const { code, of, checks } = await examined(stores);
    expect(code).toBe(69);
    for (const name of ['EVENTSTORE_URL', 'MONGODB_URL', 'MACE_JWKS_URL']) expect(of(name, 'fail')).toHaveLength(1);
    expect(of('REDIS_URL', 'warn')).toHaveLength(1);
    expect(JSON.stringify(checks)).not.toContain('hunter2');
  });

  it('finds nothing wrong with those that do', async () => {
    const [events, documents] = [await EventStoreWire.start(), await MongoWire.start()];
    const { of, checks } = await examined({
      ...{ MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: events.url },
      ...{ MACE_READ_STORE: 'mongodb', MONGODB_URL: documents.url },
    });
    await Promise.all([events.close(), documents.close()]);
    expect(checks.filter(({ state }) => state === 'fail')).toEqual([]);
    for (const name of ['EVENTSTORE_URL', 'MONGODB_URL']) expect(of(name, 'ok')).toHaveLength(1);
    expect(of('MACE_PROJECTION_LEASE_MS', 'warn')).toHaveLength(1);
  });

  it('tells a server that refuses the password from one that is not there', async () => {
    const events = await EventStoreWire.start({ credentials: 'admin:changeit' });
    const { port } = events.address;
    const url = (at: string): string => `esdb://admin:hunter2@${at}?tls=false`;
    try {
      for (const [at, todo] of [
        [`127.0.0.1:${port}`, /^mend user and password/],
        [NOWHERE, /^start it, or mend the address/],
      ] as const) {
        const { code, of } = await examined({ MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: url(at) });
        expect(code).toBe(69);
        expect(of('EVENTSTORE_URL', 'fail')).toMatchObject([{ todo: expect.stringMatching(todo) as string }]);
      }
    } finally {
      await events.close();
    }
  });

  it('tells an issuer that gives keys from one that gives none, and whose clock is another', async () => {
    let [body, status, date] = [JSON.stringify({ keys: [{ kid: 'a' }] }), 200, new Date().toUTCString()];
    const server: Server = createServer((_, response) => response.writeHead(status, { date }).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const settings = { MACE_JWKS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json` };
    expect((await examined(settings)).of('MACE_JWKS_URL', 'ok')).toHaveLength(1);
    date = new Date(Date.now() + 600_000).toUTCString();
    expect((await examined(settings)).of('clock', 'warn')).toMatchObject([
      { found: expect.stringMatching(/the clock of the issuer is (599|600) s ahead/) as string },
    ]);
    body = '{"keys":[]}';
    expect((await examined(settings)).of('MACE_JWKS_URL', 'fail')).toHaveLength(1);
    [body, status] = ['', 503];
    const { code, of } = await examined(settings);
    expect([code, of('MACE_JWKS_URL', 'fail')]).toMatchObject([69, [{ found: 'the issuer answers with status 503' }]]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  describeWithRedis('a Redis', { ours: true }, () => {
    it('is found where it answers', async () => {
      const redis = await RedisServer.start();
      const { of } = await examined({ MACE_CACHE: 'redis', REDIS_URL: redis.url });
      await redis.close();
      expect(of('REDIS_URL', 'ok')).toHaveLength(1);
    });
  });
});

describe('mace doctor on a folder that is served', () => {
  let served: ServedFolder;
  beforeAll(async () => (served = await ServedFolder.open('doctor-served')));
  afterAll(() => served.close());

  it('asks the server, which holds the files, and disturbs nothing', async () => {
    const { code, out } = await withSettings({}, '--data', served.path, '--json', 'doctor');
    const { checks } = JSON.parse(out) as Said;
    expect(code).toBe(0);
    expect(checks).toContainEqual(expect.objectContaining({ check: 'server', state: 'ok' }));
    expect(checks.map(({ check }) => check)).not.toContain('events.db');
    const projections = checks.find(({ check }) => check === 'projections');
    expect(projections?.found).toMatch(/^(?:\d+ (?:live|catching_up|starting)(?:, )?)+$/);
  });

  it('asks a server that is not ready for nothing that it would wait for again', async () => {
    const asked: string[] = [];
    const meta = { parts: [{ part: 'event_store', reason: 'it does not answer' }] };
    const send = ({ path }: { readonly path: string }) => {
      asked.push(path);
      return Promise.resolve({ status: 503, body: { meta } });
    };
    const findings = await runningServer({ send } as unknown as Client);
    expect(findings).toMatchObject([{ check: 'event_store', state: 'fail' }]);
    expect(asked).toEqual(['/health/ready']);
  });

  it('says what the last walk of the whole log found', async () => {
    const walk = { verification_id: 'iv-1', started_at: 'now', position: '9', state: 'done', stream: null };
    const answers: Readonly<Record<string, unknown>> = {
      '/health/ready': { status: 'ready' },
      '/projections': { items: [] },
      '/integrity/verifications?limit=200': { items: [{ ...walk, sound: false, faults: 2 }], next_cursor: null },
    };
    const send = ({ path }: { readonly path: string }) => Promise.resolve({ status: 200, body: answers[path] });
    const findings = await runningServer({ send } as unknown as Client);
    expect(findings.find(({ check }) => check === 'integrity')).toMatchObject({
      state: 'fail',
      found: 'The last walk, iv-1 of now, up to position 9, found it NOT SOUND: 2 faults',
      exit: 2,
    });
  });

  it('says how many projections another process keeps', async () => {
    const kept = [{ state: 'live', standby: true }, { state: 'live' }, { state: 'halted', standby: true }];
    const answers: Readonly<Record<string, unknown>> = {
      '/health/ready': { status: 'ready' },
      '/projections': { items: kept },
      '/integrity/verifications?limit=200': { items: [], next_cursor: null },
    };
    const send = ({ path }: { readonly path: string }) => Promise.resolve({ status: 200, body: answers[path] });
    const findings = await runningServer({ send } as unknown as Client);
    expect(findings.find(({ check }) => check === 'projections')?.found).toBe(
      '2 live, 1 halted; another process keeps 2 of them, and this one waits',
    );
  });
});

describe('mace doctor on a server whose store has gone', () => {
  it('says what the server says of it, and what it finds itself', async () => {
    const documents = await MongoWire.start();
    const settings = { MACE_READ_STORE: 'mongodb', MONGODB_URL: documents.url };
    const server = await ServedProcess.start(folder, settings);
    try {
      await documents.stop();
      const { code, of } = await examined(settings);
      expect(code).toBe(69);
      expect(of('read_store', 'fail')).toMatchObject([{ todo: expect.stringContaining('Health') as string }]);
      expect(of('MONGODB_URL', 'fail')).toHaveLength(1);
      expect(of('server', 'ok')).toEqual([]);
    } finally {
      await server.kill();
      await documents.close();
    }
  });
});

describe('single looks', () => {
  const MIB = 1024 * 1024;

  it.each([
    [15 * MIB, 'fail'],
    [16 * MIB, 'warn'],
    [1023 * MIB, 'warn'],
    [1024 * MIB, 'ok'],
  ])('%d free bytes are %s', async (free, state) => {
    const findings = await disk({ dataDir: sound, storageQuotaBytes: undefined }, () => Promise.resolve(free));
    expect(findings.map((finding) => finding.state)).toEqual([state]);
  });

  it.each([
    ['20.18.9', 'fail'],
    ['20.19.0', 'ok'],
    ['20.20.2', 'ok'],
    ['18.20.0', 'fail'],
    ['22.0.0', 'ok'],
  ])('Node %s is %s', (version, state) => {
    expect(nodeVersion(version, '>=20.19.0').map((finding) => finding.state)).toEqual([state]);
  });

  it('clocks are one within a minute, either way', () => {
    expect([clocks('it', 60_000, 0), clocks('it', 0, 60_000)]).toEqual([[], []]);
    expect([clocks('it', 61_000, 0)[0]?.found, clocks('it', 0, 61_000)[0]?.found]).toEqual([
      'the clock of it is 61 s ahead of this machine’s',
      'the clock of it is 61 s behind this machine’s',
    ]);
  });

  it('each file of config/ that cannot be meant is named', () => {
    const config = join(sound, 'config');
    cpSync('config', config, { recursive: true });
    expect(configurationFiles(config)).toMatchObject([{ state: 'ok' }]);
    writeFileSync(join(config, 'router.json'), '{');
    writeFileSync(join(config, 'safety.json'), '{}');
    const found = configurationFiles(config);
    expect(found.map(({ check, state, exit }) => [check, state, exit])).toEqual([
      ['config/router.json', 'fail', 64],
      ['config/safety.json', 'fail', 64],
    ]);
    mkdirSync(join(sound, 'gone'));
    rmSync(config, { recursive: true });
  });
});
