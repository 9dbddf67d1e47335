import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { keyFileIn, readKeyFile, type Role, signToken } from '#lib/access';
import { KeyRing } from '#lib/kernel';
import { LogKeys } from '#lib/proof';
import { openDatabase } from '#lib/sqlite';

import { SECRET_WORD } from '../support/canaries.js';
import { newDataFolder } from '../support/data-folder.js';
import { itEmbedded, NO_RESTORE } from '../support/event-store-for-tests.js';
import { eventually, until } from '../support/eventually.js';
import { everyServedJobReplays } from '../support/replay-check.js';
import { endServedEventStore } from '../support/served-event-store.js';
import { EACH_ITS_OWN, ServedProcess } from '../support/served-process.js';

/** A server and its witness as processes of their own, and whoever puts back an older copy of folder and keys together. */

jest.setTimeout(300_000);

interface Ready {
  readonly ready_for_bundles: boolean;
  readonly bundles_wait_for: string | null;
}
interface Listed<T> {
  readonly items: readonly T[];
}

const CLI = join(process.cwd(), 'dist/mace/main.js');

let folder: string;
let older: string;
let scratch: string;
let server: ServedProcess;
let witness: ChildProcess;
/** Stands before the witness, which the server then does not reach. */
let way: Server;
let isOpen = true;
/** Lists of erased keys that the witness has taken. */
let reports = 0;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'mace-witnessed-'));
  older = join(scratch, 'older');
  folder = await newDataFolder('witnessed');
  const origin = originOf(folder);
  const { url, key } = await startWitness(new LogKeys(ring(), origin, Date.now).published()[0]!.vkey);
  way = createServer((request, response) => {
    if (!isOpen) return void response.writeHead(503).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = 'GET' } = request;
      void fetch(url + request.url!, { method, ...(method === 'POST' ? { body: Buffer.concat(chunks) } : {}) }).then(
        async (answer) => {
          response.writeHead(answer.status).end(await answer.text());
          if (request.url === '/erased-keys' && answer.status === 200) reports++;
        },
        () => response.destroy(),
      );
    });
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const { port } = way.address() as AddressInfo;
  env = { MACE_WITNESS_URL: `http://127.0.0.1:${port}`, MACE_WITNESS_KEY: key };
  server = await ServedProcess.start(folder, { ...env, MACE_ORIGIN: origin });
});
afterAll(async () => {
  await server.kill();
  witness.kill('SIGTERM');
  await once(witness, 'close');
  way.closeAllConnections();
  way.close();
  for (const path of [folder, scratch]) rmSync(path, { recursive: true, force: true });
});

/** The name of the log that the folder holds, or will be begun with. */
function originOf(path: string): string {
  const file = join(path, 'origin');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : 'mace.local/0123456789abcdef';
}

const ring = (): KeyRing => new KeyRing(readKeyFile(keyFileIn(folder)));

async function startWitness(log: string): Promise<{ readonly url: string; readonly key: string }> {
  const args = ['--data', join(scratch, 'witness'), 'witness', 'serve', '--port', '0', '--log', log];
  witness = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  witness.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return eventually(() => {
    const [, url, key] = /listening on (http:\S+)\n(\S+)\n/.exec(said) ?? [];
    return url !== undefined && key !== undefined ? { url, key } : null;
  }, 'the witness');
}

async function send(role: Role, method: string, path: string, body?: unknown, user: string = role): Promise<Response> {
  const order = { issuer: 'mace', audience: 'mace', userId: user, roles: [role], ttlSeconds: 600, amr: ['otp'] };
  const token = await signToken(ring(), { ...order, now: Date.now() });
  return fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...EACH_ITS_OWN },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function get<T>(path: string, role: Role): Promise<T> {
  return (await (await send(role, 'GET', path)).json()) as T;
}

async function ask(query_text: string, user?: string): Promise<string> {
  const response = await send('user', 'POST', '/jobs', { query_text }, user);
  expect(response.status).toBe(200);
  return ((await response.json()) as { readonly job_id: string }).job_id;
}

const ready = (): Promise<Ready> => get<Ready>('/health/ready', 'user');

async function typesOf(stream: string): Promise<readonly string[]> {
  const { items = [] } = await get<Partial<Listed<{ type: string }>>>(`/audit/streams/${stream}`, 'auditor');
  return items.map(({ type }) => type);
}

/** Data keys of the person that a folder holds. */
function keysOfQuinn(path: string): number {
  const database = openDatabase(join(path, 'subject-keys.db'));
  try {
    const sql = "SELECT count(*) AS n FROM subject_keys WHERE subject = 'user_quinn' AND wrapped IS NOT NULL";
    return database.prepare<{ readonly n: number }>(sql).get()!.n;
  } finally {
    database.close();
  }
}

describe('a log with a witness of its own', () => {
  let job: string;

  it('is ready for bundles once that has cosigned, and says what they wait for while it is away', async () => {
    const band = '/sem/user/profile/user_quinn/favorite_band';
    expect((await send('user', 'PUT', band, { value: SECRET_WORD }, 'quinn')).status).toBe(200);
    job = await ask('What is my favorite band?', 'quinn');
    await until(async () => (await ready()).ready_for_bundles, 'the cosignature');
    // As a snapshot of its disk is: all files at one moment.
    server.tell('SIGSTOP');
    try {
      cpSync(folder, older, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    } finally {
      server.tell('SIGCONT');
    }
    await ask('6 * 8');
    const { size } = (await get<{ checkpoint: { size: number } }>('/audit/checkpoint', 'auditor')).checkpoint;
    await until(async () => {
      const { state } = await get<{ state: { witness: { cosigned_size: number } } }>('/audit/checkpoint', 'auditor');
      return state.witness.cosigned_size >= size;
    }, 'the cosignature over all');
    isOpen = false;
    await ask('6 * 9');
    await until(async () => /^the witness /.test((await ready()).bundles_wait_for ?? ''), 'the reason');
    isOpen = true;
  });

  it('reports to it what an erasure destroys', async () => {
    const identity_proof = { document_ref: 'counter-12', reason: 'seen at the counter' };
    const order = { kind: 'delete', user_id: 'quinn', identity_proof };
    const filed = await send('admin', 'POST', '/dsr/request', order, 'root');
    const { dsr_id } = (await filed.json()) as { readonly dsr_id: string };
    expect((await send('admin', 'POST', `/dsr/${dsr_id}/approve`, {}, 'ada')).status).toBe(200);
    await until(async () => (await typesOf(`dsr-${dsr_id}`)).includes('SUBJECT_KEYS_DESTROYED'), 'the erasure');
    await until(() => reports > 0, 'the report');
    expect(await server.stop()).toBe(0);
    expect([keysOfQuinn(folder), keysOfQuinn(older)]).toEqual([0, 1]);
  });

  it('put back with its keys is refused where the witness is asked, and else found while it runs, once it answers', async () => {
    await endServedEventStore(folder);
    rmSync(folder, { recursive: true });
    cpSync(older, folder, { recursive: true });
    await expect(ServedProcess.start(folder, env)).rejects.toThrow('the log is older than its last checkpoint');
    isOpen = false;
    server = await ServedProcess.start(folder, env);
    isOpen = true;
    // It is another history where it has grown beyond what the witness has cosigned; until then it may be the same, behind.
    for (const n of [2, 3, 4, 5]) await ask(`7 * ${n}`);
    const failure = await eventually(async () => {
      const path = '/audit/streams/system-integrity';
      const { items = [] } = await get<Partial<Listed<{ type: string; data: { detector?: string } }>>>(path, 'auditor');
      return items.find(({ type, data }) => type === 'INTEGRITY_FAILURE' && data.detector === 'witness');
    }, 'the other history on record');
    expect(failure.data).toMatchObject({ reason: expect.stringContaining('has another history of this log') });
    const incident = await eventually(async () => {
      const { items } = await get<Listed<{ incident_id: string; severity: string }>>('/incidents', 'operator');
      return items.find(({ severity }) => severity === 'critical');
    }, 'the incident');
    const types = await eventually(async () => {
      const found = await typesOf(`incident-${incident.incident_id}`);
      return found.includes('ADMIN_ALERT') ? found : null;
    }, 'the alert');
    expect(types.filter((type) => type === 'ADMIN_ALERT')).toHaveLength(1);
    await server.kill();
    expect(keysOfQuinn(folder)).toBe(1);
  });

  itEmbedded(
    'restored from before an erasure, with nothing left of the log but its witness, is without what was erased',
    NO_RESTORE,
    async () => {
      rmSync(folder, { recursive: true });
      cpSync(older, folder, { recursive: true });
      const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'restore', '--from', folder, '--json'], {
        env: { ...process.env, MACE_LOG_LEVEL: 'silent', ...env, MACE_DATA_DIR: folder },
      });
      expect(JSON.parse(stdout)).toMatchObject({ erased_keys: 1, previous_origin: originOf(older) });
      expect(originOf(folder)).not.toBe(originOf(older));
      expect(keysOfQuinn(folder)).toBe(0);
      await everyServedJobReplays(folder, { erased: [job] });
    },
  );
});
