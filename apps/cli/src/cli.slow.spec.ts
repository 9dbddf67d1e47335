import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MACE } from '../../../test/support/inside-server.js';

/** The built command line, as people run it: processes, exit codes, what goes to stdout and what to stderr. */

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

describe('mace', () => {
  let folder: string;
  const servers: ChildProcess[] = [];

  // The first start of a folder gives memory the facts of the world; the others begin with a copy of it.
  let prepared: string;

  beforeAll(async () => {
    prepared = folder = mkdtempSync(join(tmpdir(), 'mace-cli-'));
    expect(await mace(['token', '--user', 'tuff', '--role', 'user'])).toMatchObject({ code: 0, err: '' });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mace-cli-'));
    cpSync(prepared, folder, { recursive: true });
  });
  afterAll(() => rmSync(prepared, { recursive: true, force: true }));
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      if (server.exitCode !== null || server.signalCode !== null) continue;
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const { PATH, HOME } = process.env;
    return spawn(process.execPath, [MACE, ...args], {
      env: { PATH, HOME, MACE_DATA_DIR: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async function mace(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    const child = start(args, env);
    let [out, err] = ['', ''];
    child.stdout!.on('data', (chunk) => (out += chunk));
    child.stderr!.on('data', (chunk) => (err += chunk));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out, err };
  }

  async function serve(
    env: Record<string, string> = {},
  ): Promise<{ server: ChildProcess; line: string; url: string; out: () => string; err: () => string }> {
    const server = start(['serve', '--port', '0'], env);
    servers.push(server);
    let [out, err] = ['', ''];
    server.stderr!.on('data', (chunk) => (err += chunk));
    const line = await new Promise<string>((done, failed) => {
      server.stdout!.on('data', (chunk) => {
        out += chunk;
        if (out.includes('\n')) done(out);
      });
      server.on('exit', (code) => failed(new Error(`ended with ${code}: ${err}`)));
    });
    return { server, line, url: /http:\/\/[^ ]+/.exec(line)![0], out: () => out, err: () => err };
  }

  /** A module that tells at the exit which files of the framework were loaded. */
  function tellingFramework(): string {
    return `data:text/javascript,${encodeURIComponent(`
      import module from 'node:module';
      // Every chunk that holds code of Nest asks for this package, which is in none of them.
      const isFramework = (file) => /[\\\\/]node_modules[\\\\/]reflect-metadata[\\\\/]/.test(file);
      process.on('exit', () => process.stderr.write('loaded: ' + Object.keys(module._cache).filter(isFramework).length));
    `)}`;
  }

  test('serve prints one line where nobody looks on, is ready from then on, and ends with 0 at SIGTERM', async () => {
    const { server, line, url, out, err } = await serve();
    expect(line).toBe(`MACE is listening on ${url} (event store: embedded, data: ${folder})\n`);
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect(err()).toContain('no language engine is configured (docs/language-engines.md) set=MACE_LLM_PROVIDERS');
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
    expect(out()).toBe(line);
  });

  test('what is in the data folder is for its owner only', async () => {
    await serve();
    for (const file of ['events.db', 'mace.sock', 'keys/ring.json'])
      expect(statSync(join(folder, file)).mode & 0o077).toBe(0);
  });

  test('a token is good for the running server and for the next, and prints nothing else', async () => {
    const first = await serve();
    const { code, out, err } = await mace(['token', '--user', 'tuff', '--role', 'user']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const status = async (url: string): Promise<number> =>
      (await fetch(`${url}/projections`, { headers: { authorization: `Bearer ${out.trim()}` } })).status;
    expect(await status(first.url)).toBe(403);
    first.server.kill('SIGTERM');
    await once(first.server, 'exit');
    const operator = await mace(['token', '--user', 'olga', '--role', 'operator,user']);
    const second = await serve();
    expect(await status(second.url)).toBe(403);
    expect(
      (await fetch(`${second.url}/projections`, { headers: { authorization: `Bearer ${operator.out.trim()}` } }))
        .status,
    ).toBe(200);
  });

  test('a command gives the same through a server as on the folder itself', async () => {
    const list = (): Promise<Ended> => mace(['sem', 'list', 'world/', '--limit', '3', '--json']);
    const alone = await list();
    expect(alone.code).toBe(0);
    await serve();
    const items = ({ out }: Ended): unknown => (JSON.parse(out) as { items: unknown }).items;
    expect(items(await list())).toEqual(items(alone));
  });

  test('a killed server’s socket does not stop the next command', async () => {
    const { server } = await serve();
    server.kill('SIGKILL');
    await once(server, 'exit');
    expect((await mace(['projections', 'list'])).code).toBe(0);
  });

  test('an id in another spelling, or one that is an address, gets no token', async () => {
    expect((await mace(['token', '--user', 'tuff', '--role', 'user'])).code).toBe(0);
    const other = await mace(['token', '--user', 'TuFf!', '--role', 'user', '--json']);
    expect(other.code).toBe(1);
    expect(JSON.parse(other.out)).toMatchObject({ error_code: 'CONFLICT', status: 409 });
    const personal = await mace(['token', '--user', 'jo.doe@gmail.com', '--role', 'user']);
    expect(personal).toMatchObject({ code: 77, out: '' });
    expect(personal.err).toContain('PRIVACY_BLOCKED');
    expect(personal.err).not.toContain('gmail');
  });

  test.each([
    ['an unknown command', ['nonsense'], {}, 64],
    ['a missing option', ['token', '--user', 'x'], {}, 64],
    ['an unknown role', ['token', '--user', 'x', '--role', 'root'], {}, 64],
    ['a key that is none', ['sem', 'get', 'x/y'], {}, 64],
    ['a bad setting', ['serve'], { MACE_PORT: '70000' }, 64],
    ['a bad mode', ['serve'], { MACE_MODE: 'prod' }, 64],
    ['production without keys', ['serve'], { MACE_MODE: 'production' }, 64],
  ])('%s is a usage error that names it', async (_, args, env, exitCode) => {
    const { code, out, err } = await mace(args, env);
    expect({ code, out }).toEqual({ code: exitCode, out: '' });
    expect(err).not.toBe('');
    expect(err).not.toMatch(/\n {4}at /);
  });

  test('two commands at once without a server wait for each other', async () => {
    const ended = await Promise.all([1, 2].map(() => mace(['projections', 'list'])));
    expect(ended.map(({ code, err }) => ({ code, err }))).toEqual([
      { code: 0, err: '' },
      { code: 0, err: '' },
    ]);
  });

  test('a port in use and a folder in use are one line and 69', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const nowhere = join(folder, 'nowhere');
    const taken = await mace(['serve', '--port', String(port)], { MACE_DATA_DIR: nowhere });
    other.close();
    // A start that is refused leaves nothing behind.
    expect(existsSync(nowhere)).toBe(false);
    expect(taken).toEqual({
      code: 69,
      out: '',
      err: `mace: 127.0.0.1:${port} is in use; stop what listens there, or set MACE_PORT\n`,
    });
    await serve();
    const second = await mace(['serve', '--port', '0']);
    expect(second).toMatchObject({ code: 69, out: '' });
    expect(second.err.trim().split('\n')).toHaveLength(1);
    expect(second.err).toContain('is in use by process');
  });

  test('lost or damaged keys are one early line that names the file', async () => {
    const file = join(folder, 'keys', 'ring.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, 100));
    expect(await mace(['serve'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^mace: key file .*ring\.json: damaged.*\n$/),
    });
    rmSync(file);
    expect(await mace(['serve'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^mace: key file .*ring\.json: missing.*\n$/),
    });
    writeFileSync(file, text, { mode: 0o644 });
    chmodSync(file, 0o644);
    expect(await mace(['serve'])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('chmod 600') });
  });

  test('a rehearsal says what would be sent and touches nothing', async () => {
    folder = join(folder, 'new');
    const { code, out } = await mace(['sem', 'put', 'user/profile/user_local/color', 'blue', '--dry-run']);
    expect({ code, out }).toEqual({
      code: 0,
      out: 'would send PUT /sem/user/profile/user_local/color {"value":"blue"}\n',
    });
    expect(() => statSync(folder)).toThrow();
  });

  // Packages that are modules themselves are not listed; each of them takes one in that is.
  test.each([
    [['sem', 'put', '--help'], '$ mace sem put'],
    [['--version'], 'mace-'],
    [['completion', 'bash'], 'complete -o default -F _mace mace'],
  ])('%j is answered without loading what serves', async (args, said) => {
    const { code, out, err } = await mace(args, { NODE_OPTIONS: `--import=${tellingFramework()}` });
    expect({ code, err }).toEqual({ code: 0, err: 'loaded: 0' });
    expect(out).toContain(said);
  });

  test('a reader that has seen enough ends it quietly, and what is long comes whole', async () => {
    const command = `'${process.execPath}' '${MACE}' completion bash`;
    const run = (script: string): string => execFileSync('bash', ['-o', 'pipefail', '-c', script]).toString();
    expect(run(`${command} 2>&1 | head -1; echo "\${PIPESTATUS[0]}"`)).toBe(
      '# bash completion of mace; made by `mace completion bash`\n0\n',
    );
    expect(run(`${command} | cat | tail -1`)).toBe('complete -o default -F _mace mace\n');
  });

  test('nothing is coloured where nobody looks, nor where NO_COLOR says so', async () => {
    for (const env of [{}, { NO_COLOR: '1', FORCE_COLOR: '1' }] as Record<string, string>[]) {
      const { out } = await mace(['replay', 'sweeps'], env);
      expect(out).not.toContain('\u001b[');
    }
  });
});
