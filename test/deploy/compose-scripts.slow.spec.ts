import { execFile, spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, get as getByTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { parseEventStoreDbUrl, parseRedisUrl, RedisStateCache } from '#lib/event-store';
import { parseMongoUrl } from '#lib/mongodb';

import { until } from '../support/eventually.js';
import { describeWithRedis, REDIS_PROGRAM } from '../support/redis-server.js';

const run = promisify(execFile);
const COMPOSE = join(process.cwd(), 'deploy/compose');

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'mace-compose-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function answering(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('the secrets', () => {
  const secrets = (): string => join(folder, 'secrets');
  const secret = (name: string): string => readFileSync(join(secrets(), name), 'utf8').trim();
  const draw = (): unknown =>
    run(process.execPath, [join(COMPOSE, 'up.mjs'), '--secrets-only'], {
      env: { ...process.env, MACE_COMPOSE_SECRETS: secrets() },
    });
  beforeAll(draw);

  it('are in a folder that is closed to others, in files that any user of a container may read', () => {
    expect(statSync(secrets()).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(secrets())) expect(statSync(join(secrets(), name)).mode & 0o777).toBe(0o444);
  });

  it('stay as they are when they are drawn again', async () => {
    const before = readdirSync(secrets()).map((name) => [name, secret(name)]);
    await draw();
    expect(readdirSync(secrets()).map((name) => [name, secret(name)])).toEqual(before);
  });

  it('are different ones, and long', () => {
    const passwords = readdirSync(secrets())
      .filter((name) => name.endsWith('_password'))
      .map(secret);
    expect(new Set(passwords).size).toBe(passwords.length);
    for (const password of passwords) expect(password).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });

  it('are addresses that MACE takes, with the passwords that the servers get', () => {
    expect(parseEventStoreDbUrl(secret('eventstore_url')).shown).toContain('esdb://mace:***@eventstore:2113');
    expect(secret('eventstore_url')).toContain(`mace:${secret('eventstore_mace_password')}@`);
    expect(parseEventStoreDbUrl(secret('eventstore_admin_url')).shown).toContain('esdb://admin:***@');
    expect(parseMongoUrl(secret('mongodb_url')).shown).toContain('mongodb://mace:***@mongodb:27017/mace');
    expect(secret('mongodb_url')).toContain(`mace:${secret('mongodb_mace_password')}@`);
    expect(parseRedisUrl(secret('redis_url'))).toMatchObject({
      host: 'redis',
      password: secret('redis_mace_password'),
    });
  });

  it('hold a key file as MongoDB takes it: 6 to 1024 characters of base64', () => {
    expect(secret('mongodb_keyfile')).toMatch(/^[A-Za-z0-9+/=]{6,1024}$/);
  });

  it('are all that the compose file names', () => {
    const named = [...readFileSync('deploy/compose.yaml', 'utf8').matchAll(/file: \.\/compose\/secrets\/([\w-]+)/g)];
    for (const [, name] of named) expect(readdirSync(secrets())).toContain(name);
  });

  describeWithRedis('for Redis', { ours: true }, () => {
    it('open it for what a cache does and nothing else, keep strangers out, and let its health be asked', async () => {
      const [port, file] = [await freePort(), join(folder, 'redis.conf')];
      const settings = readFileSync(join(COMPOSE, 'redis.conf'), 'utf8')
        .replace('port 6379', `port ${port}`)
        .replace('bind * -::*', 'bind 127.0.0.1')
        .replace('/run/secrets/redis_acl', join(secrets(), 'redis_acl'));
      writeFileSync(file, settings);
      const server = spawn(REDIS_PROGRAM!, [file], { stdio: 'ignore', cwd: folder });
      const say = async (...words: string[]): Promise<string> =>
        (await run('redis-cli', ['-p', `${port}`, '--no-auth-warning', ...words])).stdout.trim();
      try {
        await until(async () => {
          const answer = await say('--user', 'health', '--pass', 'any', 'ping').catch(() => 'not yet');
          return answer === 'PONG';
        }, 'a Redis that answers');
        expect(await say('--user', 'health', '--pass', 'any', 'get', 'x')).toContain('NOPERM');
        expect(await say('get', 'x')).toContain('NOAUTH');
        const url = parseRedisUrl(secret('redis_url').replace('@redis:6379', `@127.0.0.1:${port}`));
        const cache = await RedisStateCache.open({ url, origin: 'laptop.local/mace', secret: Buffer.alloc(32, 7) });
        try {
          const probed = (): Promise<boolean> =>
            cache.probe().then(
              () => true,
              () => false,
            );
          await until(probed, 'a cache that can be used');
          const entry = { state: { at: 1 }, head: { stream: 's', version: 1, lastHash: 'ab'.repeat(32) } };
          await cache.put('k', entry);
          expect(await cache.get('k')).toEqual(entry);
          await cache.purge();
          expect(await cache.get('k')).toBeUndefined();
        } finally {
          await cache.close();
        }
        const asMace = ['--user', 'mace', '--pass', secret('redis_mace_password')];
        expect(await say(...asMace, 'flushall')).toContain('NOPERM');
        expect(await say(...asMace, 'config', 'get', 'maxmemory')).toContain('NOPERM');
      } finally {
        server.kill('SIGKILL');
        await once(server, 'exit');
      }
    });
  });
});

async function freePort(): Promise<number> {
  const port = await answering(() => undefined);
  await new Promise((done) => servers.pop()!.close(done));
  return port;
}

const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;
if (!hasOpenssl)
  process.stderr.write('SKIPPED: certificates of the compose file: there is no openssl on this machine\n');

(hasOpenssl ? describe : describe.skip)('the certificates', () => {
  const at = (...path: string[]): string => join(folder, ...path);
  const make = (): unknown => {
    for (const name of ['node', 'authority']) mkdirSync(at(name), { recursive: true });
    const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
    const env = {
      NODE_FOLDER: at('node'),
      AUTHORITY_FOLDER: at('authority'),
      OWNED_FOLDERS: '',
      EVENTSTORE_USER: user,
    };
    return run('sh', [join(COMPOSE, 'certificates.sh')], { env: { ...process.env, ...env } });
  };
  beforeAll(make);

  it('are of a node as the event store and its client want them, and its key is for it alone', () => {
    const node = new X509Certificate(readFileSync(at('node', 'node.crt')));
    const authority = new X509Certificate(readFileSync(at('authority', 'ca.crt')));
    expect(node.subject).toBe('CN=eventstoredb-node');
    expect(node.checkIssued(authority) && node.verify(authority.publicKey)).toBe(true);
    for (const host of ['eventstore', 'localhost']) expect(node.checkHost(host)).toBe(host);
    expect([node.ca, authority.ca]).toEqual([false, true]);
    expect(statSync(at('node', 'node.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(at('node', 'ca'))).toEqual(['ca.crt']);
    expect(readdirSync(at('authority'))).toEqual(['ca.crt']);
  });

  it('are taken by a TLS client that goes by the authority, for the name of the service', async () => {
    const [key, cert] = [readFileSync(at('node', 'node.key')), readFileSync(at('node', 'node.crt'))];
    const server = createTlsServer({ key, cert }, (_, response) => response.end('there')).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ca = readFileSync(at('authority', 'ca.crt'));
    const status = await new Promise((done, failed) => {
      const request = getByTls({ host: '127.0.0.1', port, ca, servername: 'eventstore', agent: false }, (answer) => {
        answer.resume();
        done(answer.statusCode);
      });
      request.on('error', failed);
    });
    expect(status).toBe(200);
  });

  it('stay as they are at the next start', async () => {
    const before = readFileSync(at('node', 'node.crt'), 'utf8');
    await make();
    expect(readFileSync(at('node', 'node.crt'), 'utf8')).toBe(before);
  });
});

describe('the event store', () => {
  it('is started with the passwords of its users, and with no setting of MACE, which it would take for its own', async () => {
    const secrets = mkdtempSync(join(folder, 'eventstore-'));
    for (const who of ['admin', 'ops']) writeFileSync(join(secrets, `eventstore_${who}_password`), `${who}-secret`);
    const script = readFileSync(join(COMPOSE, 'eventstore.sh'), 'utf8')
      .replaceAll('/run/secrets', secrets)
      .replace('/opt/eventstore/eventstored', 'env');
    const { stdout } = await run('sh', ['-c', script], {
      env: { ...process.env, EVENTSTORE_URL: 'esdb://x:2113', EVENTSTORE_URL_FILE: '/x', EVENTSTORE_CLUSTER_SIZE: '1' },
    });
    expect(
      stdout
        .split('\n')
        .filter((line) => line.startsWith('EVENTSTORE_'))
        .sort(),
    ).toEqual([
      'EVENTSTORE_CLUSTER_SIZE=1',
      'EVENTSTORE_DEFAULT_ADMIN_PASSWORD=admin-secret',
      'EVENTSTORE_DEFAULT_OPS_PASSWORD=ops-secret',
    ]);
  });
});

describe('the users of the event store', () => {
  const make = async (
    status: number,
  ): Promise<{ readonly asked: readonly unknown[]; readonly code: number; readonly text: string }> => {
    const asked: unknown[] = [];
    const port = await answering((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { method, url, headers } = request;
        asked.push({ method, url, as: headers.authorization, body: JSON.parse(body) as unknown });
        response.writeHead(status).end();
      });
    });
    const env = {
      EVENTSTORE_HTTP: `http://127.0.0.1:${port}`,
      SECRETS: folder,
      SETTINGS: 'eventstore-config/server.json',
    };
    const child = spawn(process.execPath, [join(COMPOSE, 'eventstore-users.mjs')], { env: { ...process.env, ...env } });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return { asked, code, text };
  };
  beforeAll(() => {
    for (const login of ['admin', 'mace', 'mace-reader'])
      writeFileSync(join(folder, `eventstore_${login}_password`), `of-${login}\n`);
  });

  it('are made by the administrator, each in its groups with its own password', async () => {
    const { asked, code } = await make(201);
    const as = `Basic ${Buffer.from('admin:of-admin').toString('base64')}`;
    const body = (login: string, group: string): object => ({
      loginName: login,
      fullName: login,
      groups: [group],
      password: `of-${login}`,
    });
    expect([code, asked]).toEqual([
      0,
      [
        { method: 'POST', url: '/users/', as, body: body('mace', 'mace') },
        { method: 'POST', url: '/users/', as, body: body('mace-reader', 'mace-readers') },
      ],
    ]);
  });

  it('stay where they are there, and what else the server says is a failure without a password in it', async () => {
    expect(await make(409)).toMatchObject({ code: 0, text: 'mace: there already\nmace-reader: there already\n' });
    const refused = await make(401);
    expect(refused.code).toBe(1);
    expect(refused.text).toContain('the event store answers 401 to a new user mace');
    expect(refused.text).not.toContain('of-');
  });
});

describe('the health check of a container', () => {
  const check = async (port: number, ...args: string[]): Promise<readonly [number | null, string]> => {
    const script = join(process.cwd(), 'deploy/container/healthcheck.mjs');
    const child = spawn(process.execPath, [script, ...args], {
      env: { ...process.env, MACE_PORT: `${port}`, MACE_HOST: '0.0.0.0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return [code, text];
  };

  it('is well only where the answer is 200, and says what it was otherwise', async () => {
    const port = await answering(({ url }, response) => response.writeHead(url === '/health/live' ? 200 : 503).end());
    expect(await check(port)).toEqual([0, '']);
    expect(await check(port, '/health/ready')).toEqual([1, `/health/ready on port ${port}: answers 503\n`]);
    expect(await check(1, '/health/live', `${port}`)).toEqual([0, '']);
  });

  it('is not well where nobody listens, or nobody answers in time', async () => {
    const port = await freePort();
    expect(await check(port)).toEqual([1, `/health/live on port ${port}: ECONNREFUSED\n`]);
    const silent = await answering(() => undefined);
    expect(await check(silent)).toEqual([1, `/health/live on port ${silent}: does not answer within 4 s\n`]);
  });
});
