import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { keyFileIn, readKeyFile, type Role, signToken } from '#lib/access';
import { KeyRing } from '#lib/kernel';
import { openDatabase } from '#lib/sqlite';

import { SECRET_WORD, showingIn } from '../support/canaries.js';
import { until } from '../support/eventually.js';
import { inside, movableClock, own } from '../support/inside-server.js';
import { everyServedJobReplays } from '../support/replay-check.js';
import { EACH_ITS_OWN, ServedProcess } from '../support/served-process.js';

/** One erasure, killed with SIGKILL at one step after another (spec/privacy.md, "Data-subject requests"). */

jest.setTimeout(900_000);

/** Steps of an erasure as the server takes them, in order; it dies at each, before what comes next is stored. */
const DEATHS = [
  'before begin',
  'after deleteKey',
  'after refuseKeys',
  'after begin',
  'after destroyKeys',
  'after purgeEvidence',
  'before finish',
] as const;
/** From here on the wait for the last lease has to be over. */
const LEASES_OVER = DEATHS.indexOf('after purgeEvidence');

/** Ends the process from within, at a step of the erasure, as a power cut would. */
function deathAt(place: string): string {
  const [when, step] = place.split(' ');
  return `
    ${own('Erasure', 'libs/dsr/src/erasure.js')}
    const real = Erasure.prototype.${step};
    const die = () => process.kill(process.pid, 'SIGKILL');
    Erasure.prototype.${step} = async function (...args) {
      if ('${when}' === 'before') die();
      const done = await real.apply(this, args);
      die();
      return done;
    };
  `;
}

let folder: string;
let server: ServedProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mace-erasure-'));
});
afterAll(async () => {
  await server.kill();
  await rm(folder, { recursive: true, force: true });
});

async function send(user: string, roles: readonly Role[], method: string, path: string, body?: unknown) {
  const ring = new KeyRing(readKeyFile(keyFileIn(folder)));
  const order = { issuer: 'mace', audience: 'mace', userId: user, roles, ttlSeconds: 600, amr: ['otp'] };
  const token = await signToken(ring, { ...order, now: Date.now() });
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...EACH_ITS_OWN },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const quinn = (method: string, path: string, body?: unknown) => send('quinn', ['user'], method, path, body);
const ada = (method: string, path: string, body?: unknown) => send('ada', ['admin'], method, path, body);

/** Data keys of the person as they are stored. */
function wrappedKeys(): readonly string[] {
  const database = openDatabase(join(folder, 'subject-keys.db'));
  try {
    const sql = "SELECT wrapped FROM subject_keys WHERE subject = 'user_quinn' AND wrapped IS NOT NULL";
    return database
      .prepare<{ readonly wrapped: string }>(sql)
      .all()
      .map(({ wrapped }) => wrapped);
  } finally {
    database.close();
  }
}

describe('an erasure whose process is killed at each of its steps', () => {
  const said = `the word is ${SECRET_WORD}`;
  let id: string;
  let wrapped: readonly string[];
  let job: string;

  it('is asked for by a person of whom something is kept', async () => {
    server = await ServedProcess.start(folder, inside(deathAt(DEATHS[0])));
    for (const name of ['favorite_band', 'favorite_color']) {
      expect((await quinn('PUT', `/sem/user/profile/user_quinn/${name}`, { value: SECRET_WORD })).status).toBe(200);
    }
    const asked = await quinn('POST', '/jobs', { query_text: 'What is my favorite band?', context_tags: { said } });
    expect(JSON.stringify(asked.body)).toContain(SECRET_WORD);
    job = asked.body['job_id'] as string;
    expect((await send('zoe', ['user'], 'POST', '/jobs', { query_text: '6 * 7' })).status).toBe(200);
    wrapped = wrappedKeys();
    expect(showingIn(folder, wrapped).length).toBeGreaterThanOrEqual(1);
    const identity_proof = { document_ref: 'counter-12', reason: 'seen at the counter' };
    const filed = await send('root', ['admin'], 'POST', '/dsr/request', {
      kind: 'delete',
      user_id: 'quinn',
      identity_proof,
    });
    id = filed.body['dsr_id'] as string;
    // The first death may come before this is answered.
    await ada('POST', `/dsr/${id}/approve`, {}).catch(() => undefined);
    expect(await server.ended()).toBe('SIGKILL');
  });

  it.each(DEATHS.slice(1))('is gone on with where it was broken off, and broken off again %s', async (place) => {
    const moves = DEATHS.indexOf(place) >= LEASES_OVER ? 1 : 0;
    // It goes on as soon as it starts, so it may die before it listens.
    const ended = ServedProcess.start(folder, inside(movableClock(moves), deathAt(place))).then(
      (started) => started.ended(),
      (error: Error) => /ended with (SIG\w+)/.exec(error.message)?.[1],
    );
    expect(await ended).toBe('SIGKILL');
  });

  it('is completed by the first start that nothing stops', async () => {
    server = await ServedProcess.start(folder, inside(movableClock(1)));
    await until(async () => (await ada('GET', `/dsr/${id}`)).body['status'] === 'erased', 'the erasure');
    const { body } = await ada('GET', `/dsr/${id}`);
    const manifest = body['deletion_manifest'] as { readonly sem_keys: readonly { readonly key: string }[] };
    expect(manifest.sem_keys.map(({ key }) => key)).toEqual([
      'user/profile/user_quinn/favorite_band',
      'user/profile/user_quinn/favorite_color',
    ]);
    const events = (await send('root', ['auditor'], 'GET', `/audit/streams/dsr-${id}`)).body['items'];
    expect((events as readonly { readonly type: string }[]).map(({ type }) => type)).toEqual([
      'DSR_REQUEST',
      'DSR_DELETE_REQUEST',
      'DSR_APPROVED',
      'ERASURE_REQUESTED',
      'SUBJECT_KEYS_DESTROYED',
      'SUBJECT_ERASED',
    ]);
  });

  it('leaves nothing of the person, nor a key to it, and lets them return', async () => {
    expect((await quinn('GET', `/jobs/${job}`)).body['final_answer']).toBe('[erased]');
    expect((await quinn('GET', '/sem/user/profile/user_quinn/favorite_band')).body['error_code']).toBe('SEM_NOT_FOUND');
    expect(wrappedKeys()).toEqual([]);
    await until(async () => {
      const { status } = await quinn('PUT', '/sem/user/profile/user_quinn/favorite_color', { value: 'white' });
      return status === 200;
    }, 'the return');
    expect(await server.stop()).toBe(0);
    expect(showingIn(folder, [SECRET_WORD, ...wrapped])).toEqual([]);
  });

  it('leaves jobs that replay', async () => {
    expect(await everyServedJobReplays(folder, { erased: [job] })).toBe(1);
  });
});
