import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { keyFileIn, readKeyFile, type Role, ROLES, signToken } from '#lib/access';
import { KeyRing } from '#lib/kernel';
import { openDatabase } from '#lib/sqlite';

import { CANARIES, CANARY_TEXT, SECRET_WORD, showing, showingIn } from '../support/canaries.js';
import { type Attempt, everyEntrance, type OpenApiDocument } from '../support/every-entrance.js';
import { everyServedJobReplays } from '../support/replay-check.js';
import { ServedProcess, tokenFor } from '../support/served-process.js';

jest.setTimeout(300_000);

const VALUES = Object.values(CANARIES);
const CLI = join(process.cwd(), 'dist/apps/cli/src/main.js');

interface Leak {
  readonly place: string;
  readonly status: number;
  readonly shows: readonly string[];
}

let folder: string;
let server: ServedProcess;
let owner: string;
let everyRole: string;
let attempts: readonly Attempt[];
const leaks: Leak[] = [];
const statuses = new Set<number>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mace-canary-'));
  server = await ServedProcess.start(folder, { MACE_LOG_LEVEL: 'debug' });
  owner = tokenFor(folder, 'tuff', 'user');
  tokenFor(folder, 'root', ROLES.join(','));
  everyRole = await elevated('root', ROLES);
});
afterAll(async () => {
  await server.kill();
  await rm(folder, { recursive: true, force: true });
});

/** A token with a second factor, as a step-up gives it. */
async function elevated(userId: string, roles: readonly Role[]): Promise<string> {
  const ring = new KeyRing(readKeyFile(keyFileIn(folder)));
  const names = { issuer: 'mace', audience: 'mace' };
  return signToken(ring, { ...names, userId, roles, ttlSeconds: 3600, now: Date.now(), amr: ['otp'] });
}

async function call(token: string, { method, path, headers, body }: Omit<Attempt, 'place' | 'text'>) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, text, all: `${[...response.headers].join('\n')}\n${text}` };
}

async function send(token: string, method: string, path: string, body?: unknown) {
  const attempt = { method, path, headers: {}, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const { status, text } = await call(token, attempt);
  return { status, body: JSON.parse(text) as Record<string, unknown> };
}

describe('personal values through every entrance', () => {
  it('take every operation of the OpenAPI document, each of its fields, headers, paths and malformed bodies', async () => {
    const job = (await send(owner, 'POST', '/jobs', { query_text: '6 * 7' })).body;
    const put = await send(owner, 'PUT', '/sem/user/profile/user_tuff/favorite_color', { value: 'blue' });
    const asked = await send(everyRole, 'POST', '/modules/agent:creative_v1/restore', {});
    expect([job['status'], put.status, asked.status]).toEqual(['completed', 200, 409]);
    const known = {
      job_id: job['job_id'] as string,
      log_id: job['log_id'] as string,
      event_id: put.body['event_id'] as string,
      snapshot_id: (job['snapshots'] as Record<string, string>)['brainstate']!,
      node_id: 'agent:math_v1',
      scope: 'user',
      entity_type: 'profile',
      entity_id: 'user_tuff',
      attribute: 'favorite_color',
      name: 'jobs',
      stream: `job-${job['job_id'] as string}`,
    };
    const document = (await send(owner, 'GET', '/openapi.json')).body as unknown as OpenApiDocument;
    // All of them at once, and each kind of form by itself: one with separators, one that could be a name.
    attempts = [CANARY_TEXT, CANARIES.us_ssn, CANARIES.iban].flatMap((text) => everyEntrance(document, known, text));
    expect(attempts.length).toBeGreaterThan(1000);
    const operations = Object.values(document.paths).flatMap((one) => Object.keys(one));
    expect(new Set(attempts.map(({ place }) => place.split(' ').slice(0, 2).join(' '))).size).toBe(operations.length);
  });

  it('are answered, by errors and successes alike, without being repeated', async () => {
    for (const attempt of attempts) {
      const tokens = attempt.text === CANARY_TEXT ? [owner, everyRole] : [everyRole];
      const answers = await Promise.all(tokens.map((token) => call(token, attempt)));
      for (const { status, all } of answers) {
        statuses.add(status);
        const shows = showing(Buffer.from(all), VALUES);
        if (shows.length > 0) leaks.push({ place: attempt.place, status, shows });
      }
    }
    expect(leaks).toEqual([]);
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404]));
    expect([...statuses].filter((status) => status >= 500 && status !== 503)).toEqual([]);
  });

  it('come in by unknown paths too', async () => {
    for (const value of [CANARY_TEXT, ...VALUES]) {
      const path = `/${encodeURIComponent(value)}`;
      for (const at of [path, `/jobs${path}/none`, `/%zz${path}`, `/docs${path}`, `/console${path}`]) {
        const { all } = await call(owner, { method: 'GET', path: at, headers: {} });
        expect(showing(Buffer.from(all), VALUES)).toEqual([]);
      }
    }
  });

  it('show in no file of the data folder while the server runs', () => {
    expect(showingIn(folder, VALUES)).toEqual([]);
  });

  it('show nowhere in what the server wrote at its most talkative', () => {
    expect(server.log()).toContain('POST /jobs');
    expect(showing(Buffer.from(server.log()), VALUES)).toEqual([]);
  });
});

describe('what a person says, which no detector knows', () => {
  it('is in no file in plain, however it comes in', async () => {
    const said = `my secret instrument is ${SECRET_WORD}`;
    const remembered = await send(owner, 'POST', '/jobs', {
      query_text: `Remember that ${said}`,
      context_tags: { said },
    });
    const asked = await send(owner, 'POST', '/jobs', { query_text: said });
    const value = { value: SECRET_WORD, notes: said, meta: { said: [said] } };
    const put = await send(owner, 'PUT', '/sem/user/profile/user_tuff/favorite_band', value);
    const job = asked.body['job_id'] ?? (asked.body['meta'] as Record<string, unknown>)['job_id'];
    const rated = await send(owner, 'POST', `/jobs/${String(job)}/feedback`, { upvote: false, comment: said });
    const logId = (await send(owner, 'GET', `/jobs/${String(job)}`)).body['log_id'] as string;
    const amended = await send(owner, 'POST', `/reflective-logs/${logId}/amendments`, {
      effect: 'note',
      changes: { [SECRET_WORD]: said },
    });
    expect([remembered.status, put.status, rated.status, amended.status]).toEqual([200, 200, 200, 200]);
    expect(showingIn(folder, [SECRET_WORD])).toEqual([]);
    expect(showing(Buffer.from(server.log()), [SECRET_WORD])).toEqual([]);
    const read = await send(owner, 'GET', '/sem/user/profile/user_tuff/favorite_band');
    expect(read.body['value']).toBe(SECRET_WORD);
  });
});

describe('personal values as arguments of the command line', () => {
  const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
    ['ask', [CANARY_TEXT]],
    ['sem put', ['user/profile/user_tuff/favorite_color', CANARY_TEXT]],
    ['sem get', [`user/profile/user_tuff/${CANARIES.us_ssn}`]],
    ['audit event', [CANARIES.us_ssn]],
    ['incidents ack', ['inc-0123456789abcdef0123456789abcdef', '--note', CANARY_TEXT]],
    ['token', ['--user', CANARIES.email, '--role', 'user']],
  ];

  it.each(COMMANDS)('are neither repeated nor stored: mace %s', async (command, args) => {
    const { code, said } = await mace(...command.split(' '), ...args);
    expect(code).not.toBe(0);
    expect(showing(Buffer.from(said), VALUES)).toEqual([]);
    expect(showingIn(folder, VALUES)).toEqual([]);
  });

  function mace(...args: string[]): Promise<{ code: number | null; said: string }> {
    return new Promise((done) => {
      const child = spawn(process.execPath, [CLI, '--data', folder, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      child.once('close', (code) => done({ code, said }));
    });
  }
});

describe('a personal value that its owner consented to', () => {
  const key = '/sem/user/profile/user_quinn/work_contact';
  let quinn: string;
  let wrapped: readonly string[];

  it('is there for its owner, and in no file in plain', async () => {
    quinn = tokenFor(folder, 'quinn', 'user');
    const grant = { pii_type: 'email', scope: 'persistent', consent_text: 'Keep where I can be reached.' };
    expect((await send(quinn, 'POST', '/consents', grant)).status).toBe(200);
    expect((await send(quinn, 'PUT', key, { value: CANARIES.email })).status).toBe(200);
    expect((await send(quinn, 'GET', key)).body['value']).toBe(CANARIES.email);
    expect(showingIn(folder, VALUES)).toEqual([]);
    wrapped = wrappedKeysOf('user_quinn');
    expect(wrapped.length).toBeGreaterThan(0);
    expect(showingIn(folder, wrapped).length).toBeGreaterThanOrEqual(wrapped.length);
  });

  it('is out of reach once its owner is erased: no file holds a key to it', async () => {
    tokenFor(folder, 'ada', 'admin');
    const ada = await elevated('ada', ['admin']);
    const identity_proof = { document_ref: 'counter-12', reason: 'seen at the counter' };
    const asked = await send(everyRole, 'POST', '/dsr/request', { kind: 'delete', user_id: 'quinn', identity_proof });
    const id = String(asked.body['dsr_id']);
    expect((await send(ada, 'POST', `/dsr/${id}/approve`, {})).status).toBe(200);
    let status: unknown;
    for (let tries = 0; tries < 900 && status !== 'erased'; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      status = (await send(ada, 'GET', `/dsr/${id}`)).body['status'];
    }
    expect(status).toBe('erased');
    expect(wrappedKeysOf('user_quinn')).toEqual([]);
    expect(showingIn(folder, [...VALUES, ...wrapped])).toEqual([]);
  });
});

/** Data keys of a person as they are stored, by whoever holds the folder. */
function wrappedKeysOf(subject: string): readonly string[] {
  const database = openDatabase(join(folder, 'subject-keys.db'));
  try {
    const sql = 'SELECT wrapped FROM subject_keys WHERE subject = ? AND wrapped IS NOT NULL';
    return database
      .prepare<{ readonly wrapped: string }>(sql)
      .all(subject)
      .map(({ wrapped }) => wrapped);
  } finally {
    database.close();
  }
}

describe('after the server has stopped', () => {
  it('no file holds a personal value, nor what was said', async () => {
    expect(await server.stop()).toBe(0);
    expect(showingIn(folder, [...VALUES, SECRET_WORD])).toEqual([]);
  });

  it('its jobs replay: what was left out is not needed', async () => {
    expect(await everyServedJobReplays(folder)).toBeGreaterThan(0);
    expect(showingIn(folder, [...VALUES, SECRET_WORD])).toEqual([]);
  });
});
