import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { newDataFolder } from '../support/data-folder.js';
import { eventually, until } from '../support/eventually.js';
import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../support/served-process.js';

/** A server and its witness as processes of their own, and whoever puts back an older copy of folder and keys together. */

jest.setTimeout(300_000);

interface Ready {
  readonly ready_for_bundles: boolean;
  readonly bundles_wait_for: string | null;
}
interface Listed<T> {
  readonly items: readonly T[];
}

let folder: string;
let older: string;
let scratch: string;
let server: ServedProcess;
let witness: ChildProcess;
/** Stands before the witness, which the server then does not reach. */
let way: Server;
let isOpen = true;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'mace-witnessed-'));
  older = join(scratch, 'older');
  folder = await newDataFolder('witnessed');
  server = await ServedProcess.start(folder);
  const vkey = (await (await fetch(`${server.url}/.well-known/mace-log.vkey`)).text()).trim();
  expect(await server.stop()).toBe(0);
  const { url, key } = await startWitness(vkey);
  way = createServer((request, response) => {
    if (!isOpen) return void response.writeHead(503).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = 'GET' } = request;
      void fetch(url + request.url!, { method, ...(method === 'POST' ? { body: Buffer.concat(chunks) } : {}) }).then(
        async (answer) => response.writeHead(answer.status).end(await answer.text()),
        () => response.destroy(),
      );
    });
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const { port } = way.address() as AddressInfo;
  env = { MACE_WITNESS_URL: `http://127.0.0.1:${port}`, MACE_WITNESS_KEY: key };
});
afterAll(async () => {
  await server.kill();
  witness.kill('SIGTERM');
  await once(witness, 'close');
  way.closeAllConnections();
  way.close();
  for (const path of [folder, scratch]) rmSync(path, { recursive: true, force: true });
});

async function startWitness(log: string): Promise<{ readonly url: string; readonly key: string }> {
  const cli = join(process.cwd(), 'dist/apps/cli/src/main.js');
  const args = ['--data', join(scratch, 'witness'), 'witness', 'serve', '--port', '0', '--log', log];
  witness = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  witness.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return eventually(() => {
    const [, url, key] = /listening on (http:\S+)\n(\S+)\n/.exec(said) ?? [];
    return url !== undefined && key !== undefined ? { url, key } : null;
  }, 'the witness');
}

const tokens = new Map<string, string>();

/** Kept: each is a process of its own. */
function bearer(role: string): string {
  const token = tokens.get(role) ?? tokenFor(folder, role, role);
  tokens.set(role, token);
  return `Bearer ${token}`;
}

async function get<T>(path: string, role: string): Promise<T> {
  const headers = { authorization: bearer(role), ...EACH_ITS_OWN };
  return (await (await fetch(server.url + path, { headers })).json()) as T;
}

async function ask(query_text: string): Promise<void> {
  const headers = { authorization: bearer('user'), 'content-type': 'application/json' };
  const order = { method: 'POST', headers: { ...headers, ...EACH_ITS_OWN }, body: JSON.stringify({ query_text }) };
  expect((await fetch(`${server.url}/jobs`, order)).status).toBe(200);
}

const ready = (): Promise<Ready> => get<Ready>('/health/ready', 'user');

describe('a log with a witness of its own', () => {
  it('is ready for bundles once that has cosigned, and says what they wait for while it is away', async () => {
    server = await ServedProcess.start(folder, env);
    await ask('6 * 7');
    await until(async () => (await ready()).ready_for_bundles, 'the cosignature');
    expect(await server.stop()).toBe(0);
    cpSync(folder, older, { recursive: true });
    server = await ServedProcess.start(folder, env);
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
    expect(await server.stop()).toBe(0);
  });

  it('put back with its keys is refused where the witness is asked, and else found while it runs, once it answers', async () => {
    rmSync(folder, { recursive: true });
    cpSync(older, folder, { recursive: true });
    await expect(ServedProcess.start(folder, env)).rejects.toThrow('the log is older than its last checkpoint');
    isOpen = false;
    server = await ServedProcess.start(folder, env);
    isOpen = true;
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
    const events = await eventually(async () => {
      const path = `/audit/streams/incident-${incident.incident_id}`;
      const { items = [] } = await get<Partial<Listed<{ type: string }>>>(path, 'auditor');
      return items.some(({ type }) => type === 'ADMIN_ALERT') ? items : null;
    }, 'the alert');
    expect(events.filter(({ type }) => type === 'ADMIN_ALERT')).toHaveLength(1);
  });
});
