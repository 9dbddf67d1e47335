import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import { blocksOf } from '../support/runnable-docs.js';
import { ServedProcess, tokenFor } from '../support/served-process.js';

/** What others install, in a project of their own without this one's node_modules: archives, types, and calls. */

const ROOT = process.cwd();
const run = promisify(execFile);

let folder: string;
let server: ServedProcess;
let env: NodeJS.ProcessEnv;

/** As somebody's project has it who compiles strictly. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
  },
  include: ['*.ts'],
};

const CALLS = `
import { ApiError, createClient, publishedKeys, unwrap } from '@mace/client';

const server = process.env['MACE_URL'] ?? '';
const mace = createClient({ server, token: process.env['MACE_TOKEN'] ?? '', verify: publishedKeys(server) });
const job = unwrap(await mace.call('POST /jobs', { body: { query_text: 'What is 6 * 7?' } }));
const message = 'user_message' in job ? job.user_message : job.status;
const missing = await mace.call('GET /jobs/{job_id}', { path: { job_id: 'job:${'0'.repeat(32)}' } });
if (!missing.ok && missing.error.error_code === 'NOT_FOUND') console.log(message, missing.status);
// @ts-expect-error: a code that this operation never gives
if (!missing.ok && missing.error.error_code === 'SEM_WRITE_FAIL') throw new ApiError(missing.error);
// @ts-expect-error: the body lacks its question
void (() => mace.call('POST /jobs', { body: {} }));
`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-packages-'));
  const data = join(folder, 'data');
  const [{ stdout }] = await Promise.all([
    run(process.execPath, ['scripts/packages.mjs'], { cwd: ROOT }),
    ServedProcess.start(data, { MACE_AGENT_HOSTS: 'localhost' }).then((started) => (server = started)),
  ]);
  env = {
    ...process.env,
    MACE_DATA_DIR: data,
    MACE_URL: server.url,
    MACE_TOKEN: tokenFor(data, 'tuff', 'user'),
    PORT: '0',
  };
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const archives = stdout
    .trim()
    .split('\n')
    .map((path) => join(ROOT, path));
  for (const archive of archives) expect(statSync(archive).size).toBeLessThan(80_000);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...archives], { cwd: folder });
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  writeFileSync(join(folder, 'calls.ts'), CALLS);
  const [{ script } = { script: '' }] = blocksOf('libs/agent-server/README.md', 'ts');
  writeFileSync(join(folder, 'agent.ts'), script);
  await run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder]).catch(
    ({ stdout: said }: { stdout: string }) => Promise.reject(new Error(said)),
  );
});
afterAll(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

it('are installed with nothing beside them, and name nothing that is not in them', () => {
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@mace']);
  const files = readdirSync(join(folder, 'node_modules', '@mace'), { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => [file.name, join(file.parentPath ?? file.path, file.name)] as const);
  for (const name of ['LICENSE', 'README.md', 'index.js', 'package.json'])
    expect(texts.filter(([one]) => one === name)).toHaveLength(2);
  for (const [, path] of texts.filter(([name]) => /\.(?:js|ts)$/.test(name)))
    expect([path, ...(readFileSync(path, 'utf8').match(/(?:from |import\()["'](?!\.|node:)[^"']*/g) ?? [])]).toEqual([
      path,
    ]);
});

it('the client calls a server by its types, and holds its answers to its signature', async () => {
  const { stdout } = await run(process.execPath, ['calls.js'], { cwd: folder, env });
  expect(stdout).toBe('6 * 7 = 42. 404\n');
});

it('an agent is registered by the council, answers, and is not needed for the replay', async () => {
  const agent = spawn(process.execPath, ['agent.js'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(createInterface(agent.stdout), 'line')) as [string];
    const mace = async (...args: string[]): Promise<string> =>
      (await run(process.execPath, ['scripts/mace.mjs', ...args], { env: { ...env, MACE_TOKEN: undefined } })).stdout;
    const url = /http:\S+/.exec(line)![0];
    await mace('modules', 'register', 'agent:poet_v1', '--release', '1.0.0', '--capability', 'creative', '--url', url);
    await run(process.execPath, ['examples/council.mjs'], { env });
    const query = 'Write a poem about rain';
    const { agent_id, job_id, final_answer } = JSON.parse(await mace('ask', query, '--json')) as Record<string, string>;
    expect([agent_id, final_answer]).toEqual(['poet_agent', `You asked: ${query}`]);
    agent.kill();
    await once(agent, 'exit');
    expect(await mace('replay', job_id!)).toMatch(/^MATCH/);
  } finally {
    agent.kill();
  }
});
