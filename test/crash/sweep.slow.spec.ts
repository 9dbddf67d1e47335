import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { jobStream } from '#lib/jobs';
import type { SweepView } from '#lib/replay';

import { eventually } from '../support/eventually.js';
import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../support/served-process.js';
import { servedEventStore } from '../support/served-event-store.js';
import { tamper } from '../support/tampering.js';

/** Five ranges, of which each is counted by itself. */
const JOBS = 520;
const CALLERS = 16;
/** A sweep notes how far it is with the first range that is counted after ten seconds. */
const UNTIL_NOTED_MS = 10_500;
/** Some may come too late, or too early. */
const KILLS = 8;

const listed = ({ unmatched }: SweepView): readonly string[] => unmatched.map(({ job_id }) => job_id).sort();

describe('a sweep whose process is killed', () => {
  let folder: string;
  /** Whether the events lie in a server that nobody here can change behind its back. */
  let isGiven: boolean;
  let tokens: { readonly user: string; readonly auditor: string };

  beforeAll(async () => {
    // On a disk, where the others may be in memory (scripts/lib/test-folder.mjs).
    folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-sweep-'));
    const { EVENTSTORE_URL: url } = await servedEventStore(folder);
    isGiven = url !== undefined && url === process.env['EVENTSTORE_URL'];
    if (isGiven)
      process.stderr.write('NOT ON THE SERVER OF EVENTSTORE_URL: jobs that are changed in the file of a log\n');
    tokens = { user: tokenFor(folder, 'asker', 'user'), auditor: tokenFor(folder, 'auditor', 'auditor') };
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('half way, with what it noted on disk, counts every job once when it is asked for again', async () => {
    const asked = await ServedProcess.start(folder);
    const jobs = await everyJob(asked);
    expect(await asked.stop()).toBe(0);
    const changed = isGiven ? [] : [jobs[0]!, jobs.at(-1)!].sort();
    for (const job of changed) tamper(folder, jobStream(job), 'COUNCIL_DECISION', '"outcome":"', '"outcome": "');

    const left = await leftHalfWay();
    const server = await ServedProcess.start(folder);
    const again = await ask(server, 'POST', '/replay/sweeps', { threads: 1 });
    expect(again.sweep_id).toBe(left.sweep_id);
    const whole = await ended(server, again.sweep_id);
    const other = await ended(
      server,
      (await ask(server, 'POST', '/replay/sweeps', { to: left.to, threads: 2 })).sweep_id,
    );
    expect(await server.stop()).toBe(0);

    expect(other.sweep_id).not.toBe(left.sweep_id);
    for (const sweep of [whole, other]) {
      expect(sweep).toMatchObject({
        state: 'done',
        processed: JOBS,
        total: JOBS,
        counts: { MATCH: JOBS - changed.length, ...(isGiven ? {} : { INTEGRITY_FAILURE: changed.length }) },
        unmatched_total: changed.length,
      });
    }
    for (const sweep of [whole, other]) expect(listed(sweep)).toEqual(changed);
  }, 900_000);

  /** A sweep of all jobs that the last kill left after its first range and before its last, as the next start tells of it. */
  async function leftHalfWay(): Promise<SweepView> {
    for (let kill = 0; kill < KILLS; kill++) {
      const killed = await ServedProcess.start(folder);
      const { sweep_id } = await ask(killed, 'POST', '/replay/sweeps', { threads: 1 });
      killed.tell('SIGSTOP');
      await sleep(UNTIL_NOTED_MS);
      killed.tell('SIGCONT');
      await eventually(async () => {
        const { processed, state } = await ask(killed, 'GET', `/replay/sweeps/${sweep_id}`);
        return processed > JOBS / 3 || state !== 'running' ? true : null;
      }, 'a part of the sweep');
      await killed.kill();

      const looking = await ServedProcess.start(folder);
      const left = await eventually(async () => {
        const view = await ask(looking, 'GET', `/replay/sweeps/${sweep_id}`);
        return view.state === 'running' ? null : view;
      }, 'the end of the killed process');
      await looking.kill();
      if (left.state === 'interrupted' && left.processed > 0) return left;
    }
    throw new Error(`none of ${KILLS} kills came between the first note and the end`);
  }

  function ended(server: ServedProcess, id: string): Promise<SweepView> {
    return eventually(async () => {
      const view = await ask(server, 'GET', `/replay/sweeps/${id}`);
      return view.state === 'running' ? null : view;
    }, 'the end of the sweep');
  }

  async function ask(server: ServedProcess, method: string, path: string, body?: object): Promise<SweepView> {
    return (await call(server, tokens.auditor, method, path, body)) as SweepView;
  }

  /** Their ids, in the order in which they were answered. */
  async function everyJob(server: ServedProcess): Promise<readonly string[]> {
    const ids: string[] = [];
    let asked = 0;
    const caller = async (): Promise<void> => {
      while (asked < JOBS) {
        const answer = await call(server, tokens.user, 'POST', '/jobs', { query_text: `${asked++} + 4` });
        ids.push((answer as { readonly job_id: string }).job_id);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    return ids;
  }
});

async function call(
  server: ServedProcess,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const answer = await fetch(new URL(path, server.url), {
    method,
    headers: {
      ...EACH_ITS_OWN,
      authorization: `Bearer ${token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}
