import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { everyServedJobReplays } from '../support/replay-check.js';
import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../support/served-process.js';

const ENGINE_KEY = 'sk-Qx7vLr2mTz9wKp4nBd8sHc3yFg6jNa5e';
const CRASH = 'Zebulon Quux lives behind the third mill';
/** What a person might send anywhere; no detector needs to find it for the log to be without it. */
const CONTENT = 'the wombat in the attic hums';

/** What is refused as a trace, and as an id. */
const NUMBER = '536-22-8145';

/** Runs inside the server: a fault that nobody handles, when it is told to, and a machine whose own name has two addresses. */
const INSIDE = `
  import dns from 'node:dns';
  const { lookup } = dns;
  const own = [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }];
  dns.lookup = (name, options, done) => (name === 'localhost' && options?.all ? done(null, own) : lookup(name, options, done));
  process.on('SIGUSR2', () => { throw new Error('${CRASH}'); });
`;

/** What the process keeps to itself, and every form in which it might get out. */
function formsOf(secret: Buffer | string): string[] {
  const bytes = Buffer.from(secret as string);
  const text = typeof secret === 'string' ? [secret, encodeURIComponent(secret)] : [];
  return [...text, bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')].map((form) =>
    form.replace(/=+$/, ''),
  );
}

describe('a start that is refused', () => {
  const place = `https://user:${ENGINE_KEY}@engine.example/v1`;

  it.each<[string, Record<string, string>]>([
    ['engines that are no list', { MACE_LLM_PROVIDERS: `{"api_key": "${ENGINE_KEY}"` }],
    ['an engine of another form', { MACE_LLM_PROVIDERS: JSON.stringify([{ base_url: place, key: ENGINE_KEY }]) }],
    ['an issuer with a password', { MACE_JWKS_URL: place }],
    ['a rate that is none', { MACE_RATE_LIMIT: ENGINE_KEY }],
    ['a mode that is none', { MACE_MODE: ENGINE_KEY }],
    ['a store that is none', { MACE_EVENT_STORE: ENGINE_KEY }],
    ['two lines', { MACE_JWT_ISSUER: `${ENGINE_KEY}\n` }],
  ])('names the setting and not what it holds: %s', async (_, env) => {
    const folder = await mkdtemp(join(tmpdir(), 'mace-refused-'));
    try {
      const started: Promise<unknown> = ServedProcess.start(folder, env).catch((error: Error) => error.message);
      const said = await started;
      expect(said).toContain(`the server ended with 64: mace: ${Object.keys(env)[0]!}: `);
      for (const form of formsOf(ENGINE_KEY)) expect(said).not.toContain(form);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('says of a damaged key file that it is damaged, and nothing of its keys', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mace-refused-'));
    try {
      await mkdir(join(folder, 'keys'), { mode: 0o700 });
      await writeFile(join(folder, 'keys', 'ring.json'), `{"keys": ["${ENGINE_KEY}`, { mode: 0o600 });
      const started: Promise<unknown> = ServedProcess.start(folder).catch((error: Error) => error.message);
      const said = await started;
      expect(said).toMatch(/the server ended with 1: mace: key file .*: damaged: it is not JSON/);
      for (const form of formsOf(ENGINE_KEY)) expect(said).not.toContain(form);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('a server with secrets, at its most talkative', () => {
  let folder: string;
  let engine: Server;
  let server: ServedProcess;
  let token: string;
  let answers: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mace-secrets-'));
    engine = createServer((request, response) => {
      // As real ones do: the refusal quotes the key.
      response.writeHead(401, { 'content-type': 'application/json', 'x-key': request.headers.authorization });
      response.end(JSON.stringify({ error: { message: `Incorrect API key: ${request.headers.authorization}` } }));
    });
    await new Promise<void>((done) => engine.listen(0, '127.0.0.1', done));
    const { port } = engine.address() as AddressInfo;
    const provider = {
      base_url: `http://127.0.0.1:${port}/v1`,
      api_key_env: 'ENGINE_KEY',
      model: 'm',
      timeout_ms: 2000,
    };
    const inside = join(folder, 'inside.mjs');
    await writeFile(inside, INSIDE);
    server = await ServedProcess.start(folder, {
      ENGINE_KEY,
      MACE_LLM_PROVIDERS: JSON.stringify([provider]),
      MACE_LOG_LEVEL: 'debug',
      MACE_HOST: 'localhost',
      NODE_OPTIONS: `--import=${inside}`,
    });
    token = tokenFor(folder, 'tuff', 'user');
    answers = await everyErrorWeCanMake();
  });

  afterAll(async () => {
    await server.kill();
    await new Promise((done) => engine.close(done));
    expect(await everyServedJobReplays(folder)).toBeGreaterThan(0);
    await rm(folder, { recursive: true, force: true });
  });

  async function call(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...EACH_ITS_OWN,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    return `${[...response.headers].join('\n')}\n${await response.text()}`;
  }

  async function everyErrorWeCanMake(): Promise<string> {
    const forged = `${token.slice(0, token.lastIndexOf('.'))}.AAAA`;
    const said = [
      await call('POST', '/jobs', JSON.stringify({ query_text: 'Write a poem about rain' })),
      await call('POST', '/jobs', JSON.stringify({ query_text: `Remember that ${CONTENT}` })),
      await call('POST', '/jobs', JSON.stringify({ query_text: 7, [CONTENT]: CONTENT })),
      await call('POST', '/jobs', `{"query_text": "${CONTENT}`),
      await call(
        'PUT',
        `/sem/world/physics/ohms_law/${encodeURIComponent(CONTENT)}`,
        JSON.stringify({ value: CONTENT }),
      ),
      await call('GET', `/sem?prefix=${encodeURIComponent(CONTENT)}`),
      await call('GET', `/jobs/${encodeURIComponent(CONTENT)}`),
      await call('GET', `/${encodeURIComponent(CONTENT)}`),
      await call('GET', '/jobs', undefined, { authorization: `Bearer ${forged}` }),
      await call('GET', '/jobs', undefined, { authorization: CONTENT }),
      await call('POST', '/jobs', '{}', { 'idempotency-key': CONTENT }),
      await call('POST', '/jobs', '{}', { 'content-type': 'text/plain' }),
      await call('GET', '/%zz'),
      await call('GET', '/openapi.json'),
      await call('GET', '/health/ready'),
      await call('GET', '/health/live', undefined, { 'x-trace-id': NUMBER }),
      await call('GET', '/jobs', undefined, { 'x-trace-id': NUMBER }),
      await call('GET', '/jobs', undefined, { 'x-trace-id': NUMBER, authorization: 'Bearer x' }),
      await call('GET', `/jobs/${NUMBER}`),
    ];
    return said.join('\n');
  }

  it('listens on one address, whatever else its name stands for', async () => {
    const { port, hostname } = new URL(server.url);
    expect(hostname).toBe('127.0.0.1');
    await expect(fetch(`http://[::1]:${port}/health/live`)).rejects.toThrow();
  });

  it('asked its engine, was refused, and met every kind of error', () => {
    for (const code of ['LLM_SERVICE_DOWN', 'INVALID_INPUT', 'UNAUTHENTICATED', 'PERMISSION_DENIED', 'NOT_FOUND'])
      expect(answers).toContain(`"error_code":"${code}"`);
    expect(server.log()).toContain('POST /jobs');
  });

  it('prints and answers no secret: not the engine’s key, not a key of the ring, not a token', async () => {
    const { keys } = JSON.parse(await readFile(join(folder, 'keys', 'ring.json'), 'utf8')) as {
      keys: { secret: string }[];
    };
    const secrets = [ENGINE_KEY, token.split('.')[2]!, ...keys.map(({ secret }) => Buffer.from(secret, 'base64'))];
    // Of a private key in DER only the last bytes are secret.
    const parts = secrets.map((secret) => (typeof secret === 'string' ? secret : secret.subarray(-32)));
    for (const form of parts.flatMap(formsOf)) {
      expect(answers).not.toContain(form);
      expect(server.log()).not.toContain(form);
    }
  });

  it('logs a request by its shape: method, route, status, time, trace and principal, and not what was in it', () => {
    const lines = server
      .log()
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.filter((line) => / debug (GET|POST|PUT) /.test(line)).length).toBeGreaterThanOrEqual(12);
    for (const line of lines.filter((one) => / debug (GET|POST|PUT) /.test(one))) {
      expect(line).toMatch(
        /^[0-9:.]{12} debug (GET|POST|PUT) (\(no route\)|\/[a-z/:._*-]+) status=[0-9]{3} ms=[0-9.]+ trace=trace-[0-9a-f]{16} principal=(-|user_tuff|local)$/,
      );
    }
    expect(server.log()).not.toContain('wombat');
    expect(server.log()).not.toContain(encodeURIComponent(CONTENT));
    expect(server.log() + answers).not.toContain(NUMBER);
  });

  it('ends on a fault that nobody handled with its places, and without its message', async () => {
    await server.signal('SIGUSR2');
    expect(server.log()).toMatch(/mace: a fault that nobody handled: Error; its message .* is not shown\n {4}at /);
    expect(server.log()).not.toContain('Zebulon');
  });
});
