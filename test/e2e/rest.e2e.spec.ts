import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  createClient,
  fetchTransport,
  type MaceClient,
  publishedKeys,
  type ResponseKey,
  type Transport,
  unwrap,
} from '#lib/client';

import { blocksOf } from '../support/runnable-docs.js';
import { ServedProcess, tokenFor } from '../support/served-process.js';

jest.setTimeout(300_000);

/** Calls of the REST interface as programs make them: with curl, as docs/rest.md shows, and with the client. */

let folder: string;
let server: ServedProcess;
let tokens: { readonly TOKEN: string; readonly OPERATOR: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-rest-'));
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  const mace = join(programs, 'mace');
  writeFileSync(mace, `#!/bin/sh\nexec ${process.execPath} ${join(process.cwd(), 'dist/mace/main.js')} "$@"\n`);
  chmodSync(mace, 0o755);
  mkdirSync(join(folder, 'node_modules', '@mace'), { recursive: true });
  symlinkSync(join(process.cwd(), 'dist', 'packages', 'client'), join(folder, 'node_modules', '@mace', 'client'));
  server = await ServedProcess.start(join(folder, 'data'));
  const data = join(folder, 'data');
  tokens = { TOKEN: tokenFor(data, 'tuff', 'user'), OPERATOR: tokenFor(data, 'ops', 'operator') };
});
afterAll(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number;
  readonly output: string;
}

function run(program: string, args: readonly string[], cwd: string): Promise<Ended> {
  const path = `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;
  const settings = { MACE_DATA_DIR: join(folder, 'data'), MACE_URL: server.url, MACE_TOKEN: tokens.TOKEN };
  const env = { ...process.env, ...tokens, ...settings, PATH: path };
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${out}${err}` }),
    );
  });
}

describe.each([
  ['docs/rest.md', ['Ask', 'Do it once', 'Look back', 'Lists', 'Errors', 'Traces and signatures']],
  ['docs/graphql.md', ['']],
  ['docs/live.md', ['', 'A job while it runs']],
])('the commands of %s', (page, parts) => {
  const all = blocksOf(page, 'sh');

  it('are found: of each part of the page that has any', () => {
    const sections = new Set(all.map(({ section }) => section));
    for (const name of parts) expect(sections).toContain(name);
  });

  it.each(all.map((block, i) => [i + 1, block.section, block] as const))(
    'run as they stand there: block %d, of "%s"',
    async (_, __, { script }) => {
      const text = script.replaceAll('127.0.0.1:3000', new URL(server.url).host);
      const { code, output } = await run('/bin/sh', ['-eu', '-c', text], folder);
      expect({ script, code, output: code === 0 ? '' : output }).toEqual({ script, code: 0, output: '' });
    },
  );
});

describe('the examples of libs/client/README.md', () => {
  const printed: Readonly<Record<string, readonly RegExp[]>> = {
    'First contact': [/^Your favorite color is blue\.$/m],
    Calls: [/^not known yet$/m],
    Lists: [/^job:[0-9a-f]{32} completed$/m],
    Following: [/^JOB_ACCEPTED$/m, /^JOB_SEALED$/m],
    'Signed answers': [/^200$/m],
  };
  const all = blocksOf('libs/client/README.md', 'js');

  it('are found, each under its heading', () => {
    expect(all.map(({ section }) => section)).toEqual(Object.keys(printed));
  });

  it.each(all.map((block) => [block.section, block] as const))(
    'print what they say: %s',
    async (section, { script }) => {
      const { code, output } = await run(process.execPath, ['--input-type=module', '-e', script], folder);
      expect({ code, output }).toEqual({ code: 0, output: expect.any(String) as string });
      for (const text of printed[section]!) expect(output).toMatch(text);
    },
  );
});

describe('the client', () => {
  const COLOR = { scope: 'user', entity_type: 'profile', entity_id: 'user_tuff', attribute: 'favorite_shade' };
  let mace: MaceClient;
  let keys: readonly ResponseKey[];

  beforeAll(async () => {
    keys = unwrap(await createClient({ server: server.url }).call('GET /.well-known/jwks.json')).keys;
    mace = createClient({ server: server.url, token: tokens.TOKEN, verify: keys });
  });

  it('gives what was written, its ETag, and the error of a write that came too late', async () => {
    const key = 'PUT /sem/{scope}/{entity_type}/{entity_id}/{attribute}';
    const written = await mace.call(key, { path: COLOR, body: { value: 'navy' } });
    expect([written.ok, written.status, written.etag]).toEqual([true, 200, '"0"']);
    const again = await mace.call(key, { path: COLOR, body: { value: 'teal' }, ifMatch: written.etag! });
    expect(again.ok).toBe(true);
    const late = await mace.call(key, { path: COLOR, body: { value: 'red' }, ifMatch: written.etag! });
    expect(late).toMatchObject({ ok: false, status: 412, error: { error_code: 'PRECONDITION_FAILED' } });
  });

  it('does a call that was made twice once, whatever process of the caller made it', async () => {
    const body = { query_text: 'What is 12 * 12?' };
    const first = await mace.call('POST /jobs', { body, idempotencyKey: 'dozen' });
    const second = await createClient({ server: server.url, token: tokens.TOKEN }).call('POST /jobs', {
      body,
      idempotencyKey: 'dozen',
    });
    expect(unwrap(second)).toEqual(unwrap(first));
    const other = await mace.call('POST /jobs', { body: { query_text: '1 + 1' }, idempotencyKey: 'dozen' });
    expect(other).toMatchObject({ ok: false, error: { error_code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it('carries its trace, and keeps ids with odd characters in their place', async () => {
    const found = await mace.call('GET /jobs/{job_id}', { path: { job_id: 'job:a/../b?c#d%2e' }, traceId: 'my-trace' });
    expect(found).toMatchObject({ ok: false, traceId: 'my-trace', error: { error_code: 'NOT_FOUND' } });
  });

  it('goes through a list page by page, every item once', async () => {
    const jobs: string[] = [];
    for await (const job of mace.items('GET /jobs', { query: { limit: 1 } })) jobs.push(job.job_id);
    const whole = unwrap(await mace.call('GET /jobs', { query: { limit: 200 } })).items.map(({ job_id: id }) => id);
    expect(jobs.length).toBeGreaterThan(1);
    expect(jobs).toEqual(whole);
  });

  it.each([
    ['another status', (answer) => ({ ...answer, status: answer.status + 1 }), /not of this answer/],
    ['other content', (answer) => ({ ...answer, body: Buffer.from('{"status":"live!"}') }), /Content-Digest/],
    [
      'another trace',
      (answer) => ({ ...answer, headers: { ...answer.headers, 'x-trace-id': 'x' } }),
      /not of this answer/,
    ],
    ['no signature', ({ headers: { signature: _, ...headers }, ...answer }) => ({ ...answer, headers }), /not signed/],
  ] satisfies readonly (readonly [string, (answer: Answer) => Answer, RegExp])[])(
    'refuses an answer with %s on its way',
    async (_, change, reason) => {
      const real = fetchTransport(server.url);
      const between: Transport = async (request) => change(await real(request));
      const call = createClient({ server: between, verify: keys }).call('GET /health/live');
      await expect(call).rejects.toThrow(reason);
    },
  );

  it('does not take the answer to a write for that to another, which never arrived', async () => {
    const real = fetchTransport(server.url);
    let captured: Awaited<ReturnType<Transport>> | undefined;
    const between: Transport = async (request) => (captured ??= await real(request));
    const client = createClient({ server: between, token: tokens.TOKEN, verify: publishedKeys(server.url) });
    const key = 'PUT /sem/{scope}/{entity_type}/{entity_id}/{attribute}';
    const path = { ...COLOR, attribute: 'favorite_replay' };
    expect(await client.call(key, { path, body: { value: 'navy' }, traceId: 'one-trace' })).toMatchObject({ ok: true });
    const replayed = client.call(key, { path, body: { value: 'teal' }, traceId: 'one-trace' });
    await expect(replayed).rejects.toThrow(/another nonce: it answers another request/);
    const stored = await mace.call('GET /sem/{scope}/{entity_type}/{entity_id}/{attribute}', { path });
    expect(stored).toMatchObject({ ok: true, body: { value: 'navy' } });
  });

  it('refuses an answer that the server gave to another request', async () => {
    const real = fetchTransport(server.url);
    const swapped: Transport = (request) => real({ ...request, target: '/health/ready' });
    const call = createClient({ server: swapped, verify: keys }).call('GET /health/live');
    await expect(call).rejects.toThrow(/not of this answer/);
  });

  it('refuses the answers of a server whose keys are others', async () => {
    const strange = keys.map((key) => ({ ...key, kid: 'another' }));
    const call = createClient({ server: server.url, verify: strange }).call('GET /health/live');
    await expect(call).rejects.toThrow(/not among those given/);
  });
});

type Answer = Awaited<ReturnType<Transport>>;
