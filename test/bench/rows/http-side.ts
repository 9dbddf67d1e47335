import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { keyFileIn, openKeyFile, type Role, signToken } from '#lib/access';

import { message, start, stop } from '../harness/process.js';
import type { BareReady } from './bare-server.js';

export const CONNECTIONS = 64;

/** A server in a process of its own. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** MACE as `npm start` runs it, on a port that the system chooses. */
export async function startMace(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const entry = fileURLToPath(new URL('../../../apps/api/src/main.js', import.meta.url));
  const env = { ...process.env, MACE_DATA_DIR: folder, MACE_PORT: '0', MACE_LOG_LEVEL: 'silent', ...settings };
  const child = spawn(process.execPath, [...process.execArgv, entry], { env, stdio: ['ignore', 'pipe', 2] });
  return { url: await greetedUrl(child), close: () => stop(child), pid: child.pid! };
}

/**
 * A route of Nest on Fastify that does nothing but answer with this text's object, and sign it where that is asked; under
 * the flags of Node that MACE runs with.
 */
export async function startBare(path: string, answer: string, signed: boolean): Promise<Server> {
  const args = [path, answer, ...(signed ? ['signed'] : [])];
  const child = start(new URL('./bare-server.js', import.meta.url), { args, nodeFlags: process.execArgv });
  return bareServer(child);
}

/** A server that says by message on which port it listens. */
export async function bareServer(child: ChildProcess): Promise<Server> {
  const { port } = await message<BareReady>(child, 'ready');
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, close: () => stop(child) };
}

/** Headers of a person's requests. */
export async function headersOf(folder: string, userId: string, role: Role = 'user'): Promise<Record<string, string>> {
  const now = Date.now();
  const ring = openKeyFile(keyFileIn(folder), { mayDraw: false, production: false, now });
  const names = { issuer: 'mace', audience: 'mace' };
  const token = await signToken(ring, { ...names, userId, roles: [role], ttlSeconds: 3600, now });
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
}

async function greetedUrl(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  for await (const line of lines) {
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error('the server ended before it listened');
}
