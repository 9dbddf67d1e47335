import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { keyFileIn, openKeyFile, type Role, signToken } from '#lib/access';

import { message, start, stop } from '../harness/process.js';
import type { BareReady } from './bare-server.js';
import type { LoadOrder, LoadResult } from './load-process.js';

export const CONNECTIONS = 64;

/** A server in a process of its own. */
export interface Server {
  readonly url: string;
  close(): Promise<void>;
}

/** MACE as `npm start` runs it, on a port that the system chooses. */
export async function startMace(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Server & { readonly pid: number }> {
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
  const { port } = await message<BareReady>(child, 'ready');
  return { url: `http://127.0.0.1:${port}`, close: () => stop(child) };
}

/** Drives a route by autocannon in a process of its own. @throws Error where any answer was not 200 */
export async function load(order: LoadOrder): Promise<LoadResult> {
  const child = start(new URL('./load-process.js', import.meta.url), { args: [JSON.stringify(order)] });
  try {
    const result = await message<LoadResult>(child, 'done');
    if (result.refused > 0 || result.errors > 0)
      throw new Error(`${result.refused} answers were not 200, ${result.errors} requests failed`);
    return result;
  } finally {
    await stop(child);
  }
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
