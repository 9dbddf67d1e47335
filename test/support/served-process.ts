import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { holdFetchesToDescription } from './described-answers.js';
import { MACE, programFor } from './inside-server.js';
import { knownEventStore, servedEventStore } from './served-event-store.js';

/** The folder of package.json; tests run from there. */
const ROOT = process.cwd();
const CLI = join(ROOT, MACE);
/** A worker has no address. */
const READY = /listening on (http:\/\/[^ ]+) |is working without a port /;

/**
 * Headers of a request that has a connection for itself. `tokenFor` holds this process up, so that it does not see when
 * the server closes a connection that was idle: the next request over it would fail.
 */
export const EACH_ITS_OWN = { connection: 'close' };

/** The built server as a process of its own, on a port that the system chose; or a worker. */
export class ServedProcess {
  private readonly closed: Promise<unknown>;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** What it wrote to stderr so far. */
    readonly log: () => string,
  ) {
    this.closed = once(child, 'close');
  }

  /** @throws Error with what it wrote where it ends before it listens */
  static async start(
    dataDir: string,
    env: Readonly<Record<string, string>> = {},
    command: 'serve' | 'worker' = 'serve',
  ): Promise<ServedProcess> {
    const settings = { MACE_DATA_DIR: dataDir, MACE_PORT: '0', MACE_LOG_LEVEL: 'warn' };
    const store = env['MACE_EVENT_STORE'] === undefined ? await servedEventStore(dataDir) : {};
    const child = spawn(process.execPath, [programFor(env), command], {
      env: { ...process.env, ...settings, ...store, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    return new Promise((resolve, reject) => {
      let output = '';
      // Not at its exit: what it wrote last may still be on the way then.
      child.once('close', (code, signal) =>
        reject(new Error(`the server ended with ${String(code ?? signal)}: ${errors}`)),
      );
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const ready = READY.exec(output);
        if (!ready) return;
        child.removeAllListeners('close');
        if (ready[1] !== undefined) holdFetchesToDescription(ready[1]);
        resolve(new ServedProcess(child, ready[1] ?? '', () => errors));
      });
    });
  }

  /** Takes no more of what it writes to stderr, until it is read on. */
  leaveUnread(): void {
    this.child.stderr!.pause();
  }

  readOn(): void {
    this.child.stderr!.resume();
  }

  /** Ends it at once, as a power cut would. */
  kill(): Promise<void> {
    return this.end('SIGKILL').then(() => undefined);
  }

  /** Orders it to stop, and answers its exit code. */
  stop(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  /** Sends it a signal that ends it, and waits until it has ended. */
  signal(signal: NodeJS.Signals): Promise<number | null> {
    return this.end(signal);
  }

  /** Sends it a signal that it lives on after. */
  tell(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits until it has ended by itself, and answers the signal that ended it. */
  async ended(): Promise<NodeJS.Signals | null> {
    await this.closed;
    return this.child.signalCode;
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    await this.closed;
    return this.child.exitCode;
  }
}

/** A token as `mace token` prints it. */
export function tokenFor(dataDir: string, user: string, roles: string): string {
  const env = { ...process.env, MACE_DATA_DIR: dataDir, ...knownEventStore(dataDir) };
  return execFileSync(process.execPath, [CLI, 'token', '--user', user, '--role', roles], { env }).toString().trim();
}
