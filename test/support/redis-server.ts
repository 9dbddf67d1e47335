import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { programNamed } from './programs.js';
import { RedisGate } from './redis-gate.js';

/** Where the program lies; undefined where it is not installed. */
export const REDIS_PROGRAM = programNamed('redis-server');
const GIVEN = process.env['REDIS_URL'];

/** What needs a Redis: skipped where there is none, and said so; `ours` where the test stops and fills its Redis. */
export function describeWithRedis(name: string, { ours }: { readonly ours: boolean }, tests: () => void): void {
  const reason = ours ? 'no redis-server on this machine' : 'no redis-server on this machine, and no REDIS_URL';
  if (REDIS_PROGRAM !== undefined || (!ours && GIVEN)) return describe(name, tests);
  process.stderr.write(`SKIPPED: ${name}: ${reason}\n`);
  describe(name, () => it.skip(`not run: ${reason}`, () => undefined));
}

/** Settings with which a Redis keeps nothing on disk and listens nowhere but where the test finds it. */
const SETTINGS = ['--port', '0', '--save', '', '--appendonly', 'no', '--daemonize', 'no', '--loglevel', 'warning'];

/**
 * A Redis of this test alone, reached through a gate on a port that stays the same when it is started again; or the one
 * that REDIS_URL names, where there is no redis-server here.
 */
export class RedisServer {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    readonly gate: RedisGate,
  ) {}

  /** @param settings further words of the command line, such as `--maxmemory 1mb` */
  static async start(...settings: string[]): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'mace-redis-'));
    const server = new RedisServer(folder, await RedisGate.open(() => connectTo(join(folder, 'redis.sock'))));
    if (REDIS_PROGRAM === undefined) return server;
    try {
      await server.startAgain(...settings);
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  /** Where a cache finds it. */
  get url(): string {
    return REDIS_PROGRAM === undefined ? GIVEN! : this.gate.url;
  }

  /** Settles once it answers. @throws Error where it ends before */
  async startAgain(...settings: string[]): Promise<void> {
    const place = ['--dir', this.folder, '--unixsocket', join(this.folder, 'redis.sock')];
    const child = spawn(REDIS_PROGRAM!, [...SETTINGS, ...place, ...settings], { stdio: 'ignore' });
    this.child = child;
    const ended = new Promise<never>((_, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    });
    ended.catch(() => undefined);
    for (;;) {
      const answer = await Promise.race([this.command('PING'), ended]).catch(() => null);
      if (answer !== null) return;
      if (child.exitCode !== null || child.signalCode !== null) await ended;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.child!.kill(name);
  }

  /** Settles once the process is gone. */
  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /** What it answers to a command that a person would type, not through the gate. */
  command(line: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connectTo(join(this.folder, 'redis.sock'));
      let text = '';
      socket.on('error', reject);
      socket.on('data', (bytes) => (text += bytes.toString('latin1')));
      socket.on('close', () => resolve(text));
      socket.write(`${line}\r\nQUIT\r\n`);
    });
  }

  async close(): Promise<void> {
    await this.kill();
    await this.gate.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function connectTo(path: string): Socket {
  return connect({ path });
}
