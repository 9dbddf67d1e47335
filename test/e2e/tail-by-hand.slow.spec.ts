import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';

import { child } from '../../apps/cli/src/testing/child.js';
import { newDataFolder } from '../support/data-folder.js';
import { until } from '../support/eventually.js';
import { knownEventStore } from '../support/served-event-store.js';
import { ServedProcess, tokenFor } from '../support/served-process.js';

jest.setTimeout(300_000);

const CLI = resolve('dist/mace/main.js');
const STREAM = 'sem-user/profile/user_tuff/favorite_color';
const TAIL = ['tail', '--stream', STREAM, '--json'];

interface Line {
  readonly id?: string;
  readonly event?: { readonly revision: number };
}

let folder: string;
let server: ServedProcess;
let token: string;
let following: ChildProcess | undefined;

beforeAll(async () => {
  folder = await newDataFolder('tail-by-hand');
  server = await ServedProcess.start(folder);
  token = tokenFor(folder, 'tuff', 'user');
});
afterAll(async () => {
  following?.kill('SIGKILL');
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const ran = (...args: string[]) => child(['--data', folder, ...args], knownEventStore(folder));
const revisions = (lines: readonly Line[]): unknown[] => lines.flatMap(({ event }) => (event ? [event.revision] : []));
const parsed = (text: string): Line[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));

async function put(value: string): Promise<void> {
  const { code, err } = await ran('sem', 'put', STREAM.slice(4), value, '--token', token);
  expect([code, err]).toEqual([0, '']);
}

/** One that follows as a process of its own. */
function tail(...args: string[]) {
  const env = { ...process.env, ...knownEventStore(folder) };
  const started = spawn(process.execPath, [CLI, '--data', folder, ...TAIL, ...args], { env });
  following = started;
  const said = { out: '', err: '' };
  started.stdout.on('data', (part: Buffer) => (said.out += part.toString()));
  started.stderr.on('data', (part: Buffer) => (said.err += part.toString()));
  return { started, said, closed: once(started, 'close') };
}

it('mace tail misses nothing and repeats nothing over restarts of the server, and says at SIGINT where to go on', async () => {
  await put('one');
  const { started, said, closed } = tail('--after', '0');
  await until(() => parsed(said.out).length === 1);
  expect(await server.stop()).toBe(0);
  server = await ServedProcess.start(folder);
  await put('two');
  await until(() => parsed(said.out).length === 2);
  await server.kill();
  server = await ServedProcess.start(folder);
  await put('three');
  await until(() => parsed(said.out).length === 3);

  started.kill('SIGINT');
  expect(await closed).toEqual([130, null]);
  expect(revisions(parsed(said.out))).toEqual([0, 1, 2]);
  const { id } = parsed(said.out)[2]!;
  expect(said.err).toBe(`go on with --after ${id}\n`);
  await put('four');
  const since = await ran(...TAIL, '--after', id!, '--no-follow');
  expect([since.code, revisions(parsed(since.out))]).toEqual([0, [3]]);
});

it('mace tail ends well where its reader has seen enough, and with 69 where nothing can come', async () => {
  const { started, closed } = tail('--after', '0');
  await once(started.stdout, 'data');
  started.stdout.destroy();
  const writing = until(async () => {
    await put('five');
    return started.exitCode !== null;
  });
  expect(await closed).toEqual([0, null]);
  await writing;

  await server.stop();
  const alone = await ran(...TAIL, '--after', '0', '--no-follow');
  expect([alone.code, revisions(parsed(alone.out)).slice(0, 4)]).toEqual([0, [0, 1, 2, 3]]);
  if (Object.keys(knownEventStore(folder)).length > 0) return;
  const refused = await ran(...TAIL);
  expect([refused.code, refused.err]).toEqual([69, expect.stringContaining('no server works on this folder')]);
});
