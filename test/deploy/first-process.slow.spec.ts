import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CLI = join(process.cwd(), 'dist/mace/main.js');
/** A container's process without a container: the first of a namespace of its own. */
const FIRST = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const canBeFirst = spawnSync('unshare', [...FIRST, 'true']).status === 0;

if (!canBeFirst)
  process.stderr.write(
    'SKIPPED: the first process of a container: `unshare --pid` is not allowed here (it needs root)\n',
  );
const whereAllowed = canBeFirst ? describe : describe.skip;

whereAllowed('as the first process, which has no default action for signals, mace serve', () => {
  let folder: string;
  let shell: ChildProcess | undefined;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mace-first-'))));
  afterEach(() => {
    shell?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  async function serve(env: Record<string, string>, awaited: RegExp): Promise<{ exitCode: Promise<unknown> }> {
    const given = { MACE_DATA_DIR: join(folder, 'data'), MACE_PORT: '0', ...env };
    const child = spawn('unshare', [...FIRST, process.execPath, CLI, 'serve'], {
      env: { ...process.env, ...given },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    shell = child;
    const exitCode = once(child, 'close').then(([code]) => code as unknown);
    let text = '';
    await new Promise<void>((seen, ended) => {
      const look = (chunk: Buffer): void => {
        text += chunk.toString();
        if (awaited.test(text)) seen();
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      void exitCode.then((code) => ended(new Error(`it ended with ${String(code)}: ${text}`)));
    });
    return { exitCode };
  }

  /** The order comes from outside the namespace, as an engine gives it. */
  function order(signal: NodeJS.Signals): void {
    const children = readFileSync(`/proc/${shell!.pid!}/task/${shell!.pid!}/children`, 'utf8').trim();
    process.kill(Number(children), signal);
  }

  it('ends at SIGTERM while it waits for a store, and not when it has waited long enough', async () => {
    const away = { MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://127.0.0.1:9?tls=false' };
    const { exitCode } = await serve({ ...away, MACE_EVENT_STORE_WAIT_S: '3600' }, /waiting for the event store/);
    order('SIGTERM');
    expect(await exitCode).toBe(143);
  });

  it('finishes at SIGTERM once it serves, and ends with 0', async () => {
    const { exitCode } = await serve({}, /listening on/);
    order('SIGTERM');
    expect(await exitCode).toBe(0);
  });
});
