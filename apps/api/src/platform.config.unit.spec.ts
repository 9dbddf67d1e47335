import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { formatVkey } from '#lib/verifier';

import { hostingOf } from './hosting.js';
import { ConfigError, readConfig } from './platform.config.js';
import { asWorker } from './platform.role.js';

const refusal = (env: Record<string, string>): string => {
  try {
    readConfig(env);
    return 'accepted';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};

describe('settings', () => {
  test('without any, the process is for one machine', () => {
    expect(readConfig({})).toMatchObject({
      mode: 'development',
      host: '127.0.0.1',
      port: 3000,
      dataDir: './data',
      eventStore: 'embedded',
      jwtIssuer: 'mace',
      jwtAudience: 'mace',
      logLevel: 'info',
      llmProviders: [],
      graphqlIntrospection: true,
    });
  });

  test.each([
    ['MACE_MODE', 'prod', 'one of development, production'],
    ['MACE_PORT', '65536', 'a whole number from 0 to 65535'],
    ['MACE_PORT', '-1', 'a whole number from 0 to 65535'],
    ['MACE_PORT', '3000x', 'a whole number from 0 to 65535'],
    ['MACE_METRICS_PORT', 'on', 'a whole number from 0 to 65535'],
    ['MACE_EVENT_STORE', 'postgres', 'one of embedded, eventstoredb'],
    ['MACE_CACHE', 'memcached', 'one of memory, redis'],
    ['MACE_READ_STORE', 'postgres', 'one of embedded, mongodb'],
    ['MACE_PROJECTION_LEASE_MS', '999', 'a whole number from 1000 to 600000'],
    ['MACE_JOB_LEASE_MS', '999', 'a whole number from 1000 to 600000'],
    ['MACE_ROLE', 'worker', 'all, or api where `mace worker` runs projections and reactors'],
    ['MACE_STORAGE_QUOTA_MB', '0', 'a whole number from 1 to 1000000000'],
    ['MACE_PRINCIPAL_QUOTA_MB', '1.5', 'a whole number from 1 to 1000000000'],
    ['MACE_LOG_LEVEL', 'loud', 'one of debug, info, warn, error, silent'],
    ['MACE_RATE_LIMIT', '600', 'off, or requests per seconds such as 600/60'],
    ['MACE_RATE_LIMIT', '0/60', 'off, or requests per seconds such as 600/60'],
    ['MACE_RATE_LIMIT', '10/s', 'off, or requests per seconds such as 600/60'],
    ['MACE_TRUST_PROXY', '1', 'off, or addresses and networks with commas between them such as 10.0.0.0/8,::1'],
    ['MACE_HOST', 'a\nb', 'one line of text'],
    ['MACE_JWKS_URL', 'keys.json', 'an https URL'],
    ['MACE_JWKS_URL', 'ftp://issuer.test/keys', 'an https URL'],
    ['MACE_JWKS_URL', 'https://me:secret@issuer.test/keys', 'an https URL'],
    ['MACE_OIDC_ISSUER', 'issuer', 'the https URL that the issuer calls itself by'],
    ['MACE_OIDC_ISSUER', 'https://issuer.test/?x=1', 'the https URL that the issuer calls itself by'],
    ['MACE_ORIGIN', 'my log', 'a name such as example.com/mace'],
    ['MACE_ORIGIN', 'a+b', 'a name such as example.com/mace'],
    ['MACE_WITNESS_URL', 'witness', 'an http or https URL'],
    ['MACE_KMS_URL', 'vault', 'an https URL'],
    ['MACE_KMS_URL', 'http://vault.internal:8200', 'an https URL'],
    ['MACE_KMS_URL', 'https://me:secret@vault.internal', 'an https URL'],
    ['MACE_AGENT_HOSTS', 'agents.example:70000', 'hosts (agents.example.com'],
    ['MACE_AGENT_HOSTS', '10.0.0.0/33', 'hosts (agents.example.com'],
    ['MACE_AGENT_HOSTS', '10.0.0.0/8:80', 'hosts (agents.example.com'],
    ['MACE_AGENT_HOSTS', '127.0.0.1:70000', 'hosts (agents.example.com'],
    ['MACE_AGENT_HOSTS', '[agents.example]:80', 'hosts (agents.example.com'],
    ['MACE_AGENT_HOSTS', 'https://agents.example', 'hosts (agents.example.com'],
    ['MACE_AGENT_HOSTS', '*.example', 'hosts (agents.example.com'],
    ['MACE_AGENT_HOSTS', 'a.example,,b_c', 'hosts (agents.example.com'],
    ['MACE_LLM_PROVIDERS', '{', 'a JSON list of'],
    ['MACE_LLM_PROVIDERS', '[{"base_url":"nope","api_key_env":"K","model":"m","timeout_ms":1}]', 'a JSON list of'],
    ['MACE_LLM_PROVIDERS', '[null]', 'a JSON list of'],
  ])('%s=%s names itself and its allowed form', (name, value, form) => {
    expect(refusal({ [name]: value })).toContain(`${name}: ${form}`);
  });

  test('a key service takes its token from a file or from the environment, and from one of them', () => {
    const MACE_KMS_URL = 'https://vault.internal:8200';
    const form = 'MACE_KMS_TOKEN_FILE: the path of the file with the token, or MACE_KMS_TOKEN; one of them';
    expect(refusal({ MACE_KMS_URL })).toBe(form);
    expect(refusal({ MACE_KMS_URL, MACE_KMS_TOKEN: 't', MACE_KMS_TOKEN_FILE: 'f' })).toBe(form);
    expect(refusal({ MACE_KMS_URL, MACE_KMS_TOKEN: 't', MACE_KMS_KEY: '../other' })).toContain('MACE_KMS_KEY: 1-64');
    expect(refusal({ MACE_KMS_URL, MACE_KMS_TOKEN: 't', MACE_KMS_TIMEOUT_MS: '0' })).toContain('MACE_KMS_TIMEOUT_MS');
    expect(readConfig({}).kms).toBeUndefined();
    expect(readConfig({ MACE_KMS_URL, MACE_KMS_TOKEN_FILE: '/run/token', MACE_KMS_TIMEOUT_MS: '900' }).kms).toEqual({
      url: MACE_KMS_URL,
      mount: 'transit',
      key: 'mace',
      token: { file: '/run/token' },
      timeoutMs: 900,
    });
    const local = { MACE_KMS_URL: 'http://127.0.0.1:8200', MACE_KMS_TOKEN: 't' };
    expect(refusal(local)).toBe('accepted');
    expect(refusal({ ...local, MACE_MODE: 'production', MACE_KEYS_FILE: 'ring.json' })).toContain('MACE_KMS_URL');
  });

  test('a principal has a tenth of the quota, a GiB where there is none, and what is said where something is', () => {
    const limit = (env: Record<string, string>) => readConfig(env).principalQuotaBytes / 1024 / 1024;
    expect(limit({ MACE_STORAGE_QUOTA_MB: '200' })).toBe(20);
    expect(limit({})).toBe(1024);
    expect(limit({ MACE_STORAGE_QUOTA_MB: '200', MACE_PRINCIPAL_QUOTA_MB: '7' })).toBe(7);
  });

  test('a witness is named by its address and its key together', () => {
    const MACE_WITNESS_URL = 'http://127.0.0.1:3900/';
    const key = formatVkey('w.test/1', 4, Buffer.alloc(32, 1));
    expect(refusal({ MACE_WITNESS_KEY: key })).toContain('MACE_WITNESS_URL: ');
    expect(refusal({ MACE_WITNESS_URL })).toContain('MACE_WITNESS_KEY: ');
    expect(refusal({ MACE_WITNESS_URL, MACE_WITNESS_KEY: 'w.test' })).toContain('MACE_WITNESS_KEY: ');
    const logs = formatVkey('w.test/1', 1, Buffer.alloc(32, 1));
    expect(refusal({ MACE_WITNESS_URL, MACE_WITNESS_KEY: logs })).toContain('MACE_WITNESS_KEY: ');
    const { witness } = readConfig({ MACE_WITNESS_URL, MACE_WITNESS_KEY: key });
    expect(witness).toMatchObject({ url: 'http://127.0.0.1:3900', key: { vkey: key } });
  });

  test('a shared cache needs the address of its Redis, whose password is in nothing that is said', () => {
    const MACE_CACHE = 'redis';
    expect(refusal({ MACE_CACHE })).toContain('REDIS_URL: the address of a Redis, such as rediss://');
    expect(refusal({ MACE_CACHE, REDIS_URL: 'http://cache' })).toContain('REDIS_URL: it is no address of a Redis');
    expect(refusal({ MACE_CACHE, REDIS_URL: 'redis://:hunter2@cache/x' })).not.toContain('hunter2');
    const { redis } = readConfig({ MACE_CACHE, REDIS_URL: 'rediss://mace:hunter2@cache' });
    expect(redis).toMatchObject({ host: 'cache', tls: true, shown: 'rediss://mace:***@cache:6379/0' });
    expect(readConfig({ REDIS_URL: 'redis://cache' }).redis).toBeUndefined();
  });

  test('read models elsewhere need the address of their MongoDB, whose password is in nothing that is said', () => {
    const MACE_READ_STORE = 'mongodb';
    expect(refusal({ MACE_READ_STORE })).toContain('MONGODB_URL: the connection string of MongoDB, such as mongodb://');
    const lossy = 'mongodb://mace:hunter2@models/mace?w=1';
    expect(refusal({ MACE_READ_STORE, MONGODB_URL: lossy })).toContain('MONGODB_URL: its option w has the form');
    expect(refusal({ MACE_READ_STORE, MONGODB_URL: lossy })).not.toContain('hunter2');
    const MONGODB_URL = 'mongodb://mace:hunter2@models/mace';
    const { mongoDb } = readConfig({ MACE_READ_STORE, MONGODB_URL });
    expect(mongoDb).toEqual({ url: MONGODB_URL, shown: 'mongodb://mace:***@models/mace', waitMs: 30_000 });
    expect(refusal({ MACE_READ_STORE, MONGODB_URL, MACE_READ_STORE_WAIT_S: 'long' })).toContain(
      'MACE_READ_STORE_WAIT_S: a whole number from 0 to 3600',
    );
    expect(readConfig({ MONGODB_URL }).mongoDb).toBeUndefined();
  });

  test.each(['off', '600/60'])('MACE_RATE_LIMIT may be %s', (value) => {
    expect(refusal({ MACE_RATE_LIMIT: value })).toBe('accepted');
  });

  test('a limit of rates is off in development and on in production, unless it is said otherwise', () => {
    const production = { MACE_MODE: 'production', MACE_KEYS_FILE: 'ring.json' };
    expect(readConfig({}).rateLimit).toBeUndefined();
    expect(readConfig(production).rateLimit).toEqual({ requests: 6000, seconds: 60 });
    expect(readConfig({ ...production, MACE_RATE_LIMIT: 'off' }).rateLimit).toBeUndefined();
    expect(readConfig({ MACE_RATE_LIMIT: '600/60' }).rateLimit).toEqual({ requests: 600, seconds: 60 });
  });

  test('the schema of GraphQL is told in development and not in production, unless it is said otherwise', () => {
    const production = { MACE_MODE: 'production', MACE_KEYS_FILE: 'ring.json' };
    const told = (env: Record<string, string>): boolean => readConfig(env).graphqlIntrospection;
    expect([told({}), told(production)]).toEqual([true, false]);
    expect(told({ MACE_GRAPHQL_INTROSPECTION: 'off' })).toBe(false);
    expect(told({ ...production, MACE_GRAPHQL_INTROSPECTION: 'on' })).toBe(true);
    expect(refusal({ MACE_GRAPHQL_INTROSPECTION: 'maybe' })).toContain('MACE_GRAPHQL_INTROSPECTION: one of on, off');
  });

  test('hosts of agents are names and addresses, with a port or without, and networks', () => {
    const entries = 'agents.example, agents.example:8443,10.0.0.0/8,::1,localhost, 127.0.0.1:8700,[::1]:8700';
    expect(readConfig({ MACE_AGENT_HOSTS: entries }).agentHosts).toEqual(entries.split(/, */));
  });

  test('in production the keys of an issuer come over https, or from this machine', () => {
    const of = (url: string) => ({ MACE_MODE: 'production', MACE_KEYS_FILE: 'ring.json', MACE_JWKS_URL: url });
    expect(refusal(of('http://issuer.test/keys'))).toContain('MACE_JWKS_URL: an https URL');
    expect(refusal(of('https://issuer.test/keys'))).toBe('accepted');
    expect(refusal(of('http://127.0.0.1:8080/keys'))).toBe('accepted');
    expect(refusal({ MACE_JWKS_URL: 'http://issuer.test/keys' })).toBe('accepted');
  });

  test('an issuer that people sign in by needs what a sign-in needs, and says so', () => {
    const MACE_OIDC_ISSUER = 'https://issuer.test';
    const needed = {
      MACE_OIDC_CLIENT_ID: 'console',
      MACE_PUBLIC_URL: 'https://mace.test',
      MACE_JWKS_URL: 'https://issuer.test/keys',
    };
    for (const name of Object.keys(needed)) {
      expect(refusal({ MACE_OIDC_ISSUER, ...needed, [name]: '' })).toMatch(`${name}: `);
      expect(refusal({ MACE_OIDC_ISSUER, ...needed, [name]: '' })).toMatch('MACE_OIDC_ISSUER needs it');
    }
    const { oidc } = readConfig({ MACE_OIDC_ISSUER, ...needed });
    expect(oidc).toMatchObject({ clientId: 'console', clientSecret: undefined, scope: 'openid' });
    const scoped = (MACE_OIDC_SCOPE: string) => refusal({ MACE_OIDC_ISSUER, ...needed, MACE_OIDC_SCOPE });
    expect(scoped('openid api://mace/.default')).toBe('accepted');
    expect(scoped('profile')).toContain('MACE_OIDC_SCOPE: names with a space between them, openid among them');
  });

  describe('an address with a password may stand in a file', () => {
    let folder: string;
    const holding = (text: string): string => {
      const path = join(folder, 'secret');
      writeFileSync(path, text);
      return path;
    };
    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mace-secret-'))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    test('of one line, with or without its end', () => {
      const MONGODB_URL = 'mongodb://mace:hunter2@models/mace';
      for (const end of ['', '\n', '\r\n']) {
        const env = { MACE_READ_STORE: 'mongodb', MONGODB_URL_FILE: holding(`${MONGODB_URL}${end}`) };
        expect(readConfig(env).mongoDb?.url).toBe(MONGODB_URL);
      }
      const redis = { MACE_CACHE: 'redis', REDIS_URL_FILE: holding('redis://:hunter2@cache') };
      expect(readConfig(redis).redis?.shown).toBe('redis://:***@cache:6379/0');
      const events = { MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL_FILE: holding('esdb://events:2113?tls=false') };
      expect(readConfig(events).eventStoreDb?.url).toBe('esdb://events:2113?tls=false');
    });

    test('and is refused, without a word of what the file holds, where it is not one line or is given twice', () => {
      const MACE_READ_STORE = 'mongodb';
      const inFile = (text: string) => ({ MACE_READ_STORE, MONGODB_URL_FILE: holding(text) });
      for (const text of ['', '\n', 'hunter2\nhunter3\n', 'hunter2\0'])
        expect(refusal(inFile(text))).toBe(`MONGODB_URL_FILE: ${join(folder, 'secret')} must hold one line of text`);
      expect(refusal({ MACE_READ_STORE, MONGODB_URL_FILE: '/nowhere' })).toContain(
        'MONGODB_URL_FILE: /nowhere cannot be read (ENOENT)',
      );
      const twice = { ...inFile('mongodb://a/b'), MONGODB_URL: 'mongodb://a/b' };
      expect(refusal(twice)).toContain('MONGODB_URL_FILE: the path of a file with MONGODB_URL, or MONGODB_URL itself');
      expect(refusal(inFile('mongodb://mace:hunter2@models/mace?w=1'))).not.toContain('hunter2');
    });
  });

  test('an empty text is not set', () => {
    expect(readConfig({ MACE_PORT: '', MACE_MODE: '', MACE_LOG_LEVEL: '' })).toEqual(readConfig({}));
  });

  test('production does not draw keys of its own', () => {
    expect(refusal({ MACE_MODE: 'production' })).toContain('MACE_KEYS_FILE: ');
    expect(refusal({ MACE_MODE: 'production', MACE_KEYS_FILE: 'ring.json' })).toBe('accepted');
  });

  describe('of processes that share the work', () => {
    const shared = {
      MACE_ROLE: 'api',
      MACE_EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: 'esdb://127.0.0.1:2113?tls=false',
      MACE_READ_STORE: 'mongodb',
      MONGODB_URL: 'mongodb://127.0.0.1:27017/mace',
      MACE_KEYS_FILE: 'keys.json',
      MACE_ORIGIN: 'example.com/mace',
    };

    test.each([
      ['MACE_EVENT_STORE', 'embedded', 'MACE_EVENT_STORE: eventstoredb; '],
      ['MACE_READ_STORE', 'embedded', 'MACE_READ_STORE: mongodb; '],
      ['MACE_KEYS_FILE', '', 'MACE_KEYS_FILE: the path of the key file of all of them; '],
      ['MACE_ORIGIN', '', 'MACE_ORIGIN: the name of the log, such as example.com/mace; '],
    ])('refuse %s=%s, which they cannot share', (name, value, told) => {
      const env = { ...shared, [name]: value };
      expect(refusal(env)).toBe(`${told}MACE_ROLE=api needs it, because processes share it`);
      const { MACE_ROLE: _, ...alone } = env;
      expect(() => asWorker(readConfig(alone))).toThrow(`${told}mace worker needs it, because processes share it`);
    });

    test('a worker has a lease where none is said, and whoever answers requests takes none', () => {
      const api = readConfig(shared);
      expect(api).toMatchObject({ role: 'api', projectionLeaseMs: undefined, jobLeaseMs: 10_000 });
      expect(hostingOf(api)).toEqual({ isHere: false, lease: undefined });
      const worker = asWorker(api);
      expect(worker).toMatchObject({ role: 'worker', projectionLeaseMs: 10_000 });
      expect(hostingOf(worker)).toMatchObject({ isHere: true, lease: { durationMs: 10_000 } });
      expect(asWorker(readConfig({ ...shared, MACE_PROJECTION_LEASE_MS: '3000' })).projectionLeaseMs).toBe(3000);
      expect(hostingOf(readConfig({}))).toEqual({ isHere: true, lease: undefined });
    });
  });
});
