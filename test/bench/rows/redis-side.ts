import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

import { freePort } from '../../support/free-port.js';
import { REDIS_PROGRAM } from '../../support/redis-server.js';
import { stop } from '../harness/process.js';

/** A Redis to measure with. */
export interface BenchRedis {
  readonly url: string;
  close(): Promise<void>;
}

/** The one that REDIS_URL names, or a redis-server of its own; null where there is neither. */
export async function startRedis(): Promise<BenchRedis | null> {
  const given = process.env['REDIS_URL'];
  if (given !== undefined && given !== '') return { url: given, close: () => Promise.resolve() };
  if (REDIS_PROGRAM === undefined) return null;
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn(REDIS_PROGRAM, args, { stdio: 'ignore' });
  while (!(await answers(port))) ensureRuns(child);
  return { url: `redis://127.0.0.1:${port}`, close: () => stop(child) };
}

function ensureRuns(child: ChildProcess): void {
  if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return false;
  } finally {
    socket.destroy();
  }
}
