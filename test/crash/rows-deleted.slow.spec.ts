import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { jobStream } from '#lib/jobs';

import { describeEmbedded, FILE_OF_EVENTS } from '../support/event-store-for-tests.js';
import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../support/served-process.js';

const JOBS = 200;
const CALLERS = 6;

/** Opens the file for each row, drops its rule for as long and closes it, as somebody does with a tool of SQLite. */
const DELETER = `
import { createInterface } from 'node:readline';
const { openDatabase } = await import(process.argv[1]);
const rule = "SELECT sql FROM sqlite_master WHERE name = 'events_are_never_deleted'";
for await (const stream of createInterface({ input: process.stdin })) {
  const database = openDatabase(process.argv[2]);
  const { sql } = database.prepare(rule).get();
  database.exec('DROP TRIGGER events_are_never_deleted');
  database
    .prepare("DELETE FROM events WHERE type = 'AGENT_OUTPUT' AND stream = (SELECT id FROM streams WHERE name = ?)")
    .run(stream);
  database.exec(sql);
  database.close();
  console.log(stream);
}`;

describeEmbedded('rows that another program deletes behind a running server', FILE_OF_EVENTS, () => {
  let folder: string;
  let server: ServedProcess;
  let tokens: { readonly user: string; readonly auditor: string };

  beforeAll(async () => {
    // On a disk, where the others may be in memory (scripts/lib/test-folder.mjs).
    folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-deleted-'));
    server = await ServedProcess.start(folder);
    tokens = { user: tokenFor(folder, 'asker', 'user'), auditor: tokenFor(folder, 'auditor', 'auditor') };
  });
  afterAll(async () => {
    await server.kill();
    await rm(folder, { recursive: true, force: true });
  });

  it('none of their jobs replays as MATCH once its row is gone, and no replay beside a deletion fails', async () => {
    const jobs: string[] = [];
    await together(async (n) => {
      const { body } = await post(tokens.user, '/jobs', { query_text: `${n} + 4` });
      jobs[n] = body['job_id'] as string;
    });
    const gone = new Set<string>();
    const odd: unknown[] = [];
    const isOver = { yet: false };
    const replay = async (job_id: string): Promise<void> => {
      const wasGone = gone.has(job_id);
      const { status, body } = await post(tokens.auditor, '/replay/request', { job_id, mode: 'audit' });
      const told = `${status} ${String(body['verdict'] ?? body['error_code'])}`;
      const allowed = ['409 MISSING_PERSISTED_AGENT_OUTPUT', ...(wasGone ? [] : ['200 MATCH'])];
      if (!allowed.includes(told)) odd.push([job_id, told, body['developer_message']]);
    };
    const replaying = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let n = caller; !isOver.yet; n = (n + CALLERS) % JOBS) await replay(jobs[n]!);
    });
    await deleted(jobs, (stream) => gone.add(stream.slice(jobStream('').length)));
    isOver.yet = true;
    await Promise.all(replaying);
    await together((n) => replay(jobs[n]!));
    expect(odd).toEqual([]);
    expect(gone.size).toBe(JOBS);
  }, 60_000);

  async function deleted(jobs: readonly string[], onGone: (stream: string) => void): Promise<void> {
    const [driver, file] = [join(process.cwd(), 'dist/libs/sqlite/src/index.js'), join(folder, 'events.db')];
    const child = spawn(process.execPath, ['--input-type=module', '-e', DELETER, driver, file]);
    const ended = once(child, 'close');
    child.stderr.pipe(process.stderr);
    child.stdin.end(jobs.map((id) => `${jobStream(id)}\n`).join(''));
    for await (const stream of createInterface({ input: child.stdout })) onGone(stream);
    expect(await ended).toEqual([0, null]);
  }

  async function post(token: string, path: string, sent: object) {
    const answer = await fetch(new URL(path, server.url), {
      method: 'POST',
      headers: { ...EACH_ITS_OWN, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
});

async function together(work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < JOBS) await work(next++);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}
