import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';

/** The folder of package.json; tests run from there. */
const ROOT = process.cwd();
const CLI = join(ROOT, 'dist/apps/cli/src/main.js');
const READY = /listening on (http:\/\/[^ ]+) /;

/** The built server as a process of its own, on a port that the system chose. */
export class ServedProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** What it wrote to stderr so far. */
    readonly log: () => string,
  ) {}

  /** @throws Error with what it wrote where it ends before it listens */
  static start(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<ServedProcess> {
    const child = spawn(process.execPath, [CLI, 'serve'], {
      env: { ...process.env, MACE_DATA_DIR: dataDir, MACE_PORT: '0', MACE_LOG_LEVEL: 'warn', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    return new Promise((resolve, reject) => {
      let output = '';
      child.once('exit', (code) => reject(new Error(`the server ended with ${String(code)}: ${errors}`)));
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const url = READY.exec(output)?.[1];
        if (url === undefined) return;
        child.removeAllListeners('exit');
        resolve(new ServedProcess(child, url, () => errors));
      });
    });
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

  private end(signal: NodeJS.Signals): Promise<number | null> {
    return new Promise((resolve) => {
      if (this.child.exitCode !== null || this.child.signalCode !== null) return resolve(this.child.exitCode);
      this.child.once('exit', (code) => resolve(code));
      this.child.kill(signal);
    });
  }
}

/** A token as `mace token` prints it. */
export function tokenFor(dataDir: string, user: string, roles: string): string {
  const env = { ...process.env, MACE_DATA_DIR: dataDir };
  return execFileSync(process.execPath, [CLI, 'token', '--user', user, '--role', roles], { env }).toString().trim();
}
