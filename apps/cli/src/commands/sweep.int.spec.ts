import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { jobStream } from '#lib/jobs';
import type { SweepView } from '#lib/replay';

import { JobApp } from '../../../../test/support/job-app.js';
import { resign } from '../../../../test/support/resigning.js';
import { tamper } from '../../../../test/support/tampering.js';
import { listenLocally, type LocalSocket } from '../../../api/src/edge/local-socket.js';
import { mace as run, type Ended } from '../testing/mace.js';

let app: JobApp;
let socket: LocalSocket;
const jobs: string[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  socket = await listenLocally(app.parts.app.fastify, app.folder);
  const tuff = await app.caller('TUFF');
  for (const query of ['6*7', '6*8', '6*9']) jobs.push((await tuff.ask(query)).body.job_id);
});
afterAll(async () => {
  await socket.close();
  await app.dispose({ tampered: jobs.slice(1) });
});

const mace = (...args: readonly string[]): Promise<Ended> => run('--data', app.folder, ...args);

describe('mace replay --all', () => {
  it('of jobs that all match says how many, ends with 0, and writes the answer where it is told to', async () => {
    const file = join(app.folder, 'sweep.json');
    const { code, out, err } = await mace('replay', '--all', '--threads', '2', '-o', file);
    expect([code, out]).toEqual([0, '3 of 3 jobs: 3 MATCH']);
    expect(err).toMatch(/^\d+ jobs\/s {2}rs-[0-9a-f]{32}$/);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ state: 'done', counts: { MATCH: 3 } });
  });

  it('ends with 1 where a replay was refused, with 2 where a job differs, and names each', async () => {
    tamper(app.folder, jobStream(jobs[1]!), 'COUNCIL_DECISION', '"outcome":"', '"outcome": "');
    const refused = await mace('replay', '--all');
    expect([refused.code, refused.out.split('\n')]).toEqual([
      1,
      ['3 of 3 jobs: 2 MATCH, 1 INTEGRITY_FAILURE', expect.stringContaining(`${jobs[1]}  INTEGRITY_FAILURE  rp-`)],
    ]);
    await resign(app, jobStream(jobs[2]!), 'ROUTER_DECISION', { depth: 2 });
    const differs = await mace('--json', 'replay', '--all');
    expect(differs.code).toBe(2);
    const view = JSON.parse(differs.out) as SweepView;
    expect(view.unmatched.map(({ job_id, verdict, error_code }) => [job_id, verdict, error_code])).toEqual([
      [jobs[1], null, 'INTEGRITY_FAILURE'],
      [jobs[2], 'MISMATCH', 'REPLAY_DIVERGENCE'],
    ]);
    const listed = await mace('replay', 'sweeps');
    expect(listed.out.split('\n')[1]).toMatch(new RegExp(`^${view.sweep_id} .* done +3 of 3 +2$`));
    const cancelled = await mace('replay', 'cancel', view.sweep_id);
    expect([cancelled.code, cancelled.out]).toEqual([0, expect.stringContaining('3 of 3 jobs')]);
  });

  it('of a part, of nothing, of too much and of both is told apart', async () => {
    const dry = await mace('replay', '--all', '--from', '10', '--to', '20', '--dry-run');
    expect([dry.code, dry.out]).toEqual([0, 'would send POST /replay/sweeps {"mode":"audit","from":"10","to":"20"}']);
    const wrong = [
      ['replay'],
      ['replay', jobs[0]!, '--all'],
      ['replay', jobs[0]!, '--threads', '2'],
      ['replay', '--all', '--mode', 'production'],
      ['replay', '--all', '--unredacted'],
      ['replay', '--all', '--threads', '99'],
      ['replay', '--all', '--from', 'yesterday'],
    ];
    for (const args of wrong) expect([args, (await mace(...args)).code]).toEqual([args, 64]);
  });
});
