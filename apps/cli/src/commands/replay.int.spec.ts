import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { jobStream } from '#lib/jobs';
import { ProjectionHost } from '#lib/projections';
import type { ReplayView } from '#lib/replay';

import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { resign } from '../../../../test/support/resigning.js';
import { listenLocally, type LocalSocket } from '../../../api/src/edge/local-socket.js';
import { mace as run, type Ended } from '../testing/mace.js';

let app: JobApp;
let socket: LocalSocket;
let tuff: Caller;
let auditor: Caller;
let changed: string;
let sound: string;

beforeAll(async () => {
  app = await JobApp.open();
  socket = await listenLocally(app.parts.app.fastify, app.folder);
  [tuff, auditor] = await Promise.all([app.caller('TUFF'), app.caller('ann', ['auditor'])]);
  sound = (await tuff.ask('6*7')).body.job_id;
  changed = (await tuff.ask('6*8')).body.job_id;
  await resign(app, jobStream(changed), 'ROUTER_DECISION', { depth: 2 });
});
afterAll(async () => {
  await socket.close();
  await app.dispose({ tampered: [changed] });
});

const mace = (...args: readonly string[]): Promise<Ended> => run('--data', app.folder, ...args);

describe('mace replay', () => {
  it('says MATCH and ends with 0, in every mode', async () => {
    for (const mode of ['audit', 'reexecute', 'production']) {
      const { code, out, err } = await mace('replay', sound, '--mode', mode);
      expect([code, out]).toEqual([0, 'MATCH']);
      expect(err).toMatch(/^requested 20\S+Z, ended 20\S+Z\n17 steps in \d+ microseconds {2}rp-[0-9a-f]{32}$/);
    }
  });

  it('tells the first difference for a person, and ends with 2', async () => {
    const { code, out, err } = await mace('replay', changed);
    expect(code).toBe(2);
    const lines = out.split('\n');
    expect(lines.slice(0, 2)).toEqual([
      'MISMATCH',
      `event 3 (ROUTER_DECISION) of ${jobStream(changed)} differs at /data/depth`,
    ]);
    expect(lines).toEqual(expect.arrayContaining(['-     "depth": 2,', '+     "depth": 1,']));
    expect(lines.at(-2)).toMatch(
      /^ {2}recorded {2}3 ROUTER_DECISION \[redacted\] <- 2 QCP_CLASSIFIED \w+ <- .* <- 0 JOB_ACCEPTED \[redacted\]$/,
    );
    expect(err).toContain('failed: router decisions');
    expect((await mace('replay', changed, '--unredacted')).out).toMatch(/ <- 0 JOB_ACCEPTED [0-9a-f]{12}$/);
  });

  it('gives the same bytes as JSON and in a file as the interface does', async () => {
    const file = join(app.folder, 'difference.json');
    const { code, out } = await mace('--json', 'replay', changed, '-o', file);
    expect(code).toBe(2);
    const { replay_id, divergence } = JSON.parse(out) as ReplayView;
    const { body } = await auditor.get<ReplayView>(`/replay/${replay_id}`);
    expect(out).toBe(JSON.stringify(body));
    const recorded = await app.stream(`replay-${replay_id}`);
    expect(body).toMatchObject({
      requested_at: recorded[0]!.data['requested_at'],
      ended_at: recorded.at(-1)!.metadata.recorded_at,
    });
    expect(readFileSync(file, 'utf8')).toBe(out);
    const asked = await auditor.send<ReplayView>('POST', '/replay/request', { job_id: changed });
    expect(JSON.stringify(asked.body.divergence)).toBe(JSON.stringify(divergence));
    expect(await mace('--json', 'replay', 'show', replay_id)).toMatchObject({ code: 2, out });
  });

  it('replays nothing for a file that cannot be written, and says so', async () => {
    const before = Number(await app.parts.platform.eventStore.head());
    for (const [file, code] of [
      [join(app.folder, 'none', 'difference.json'), 'ENOENT'],
      [app.folder, 'EISDIR'],
    ] as const) {
      const ended = await mace('replay', changed, '-o', file);
      expect(ended).toMatchObject({
        code: 1,
        err: expect.stringContaining(`--output: ${file} cannot be written (${code})`),
      });
    }
    expect(Number(await app.parts.platform.eventStore.head())).toBe(before);
  });

  it('writes a file that nobody but its owner reads, and none where there is no answer', async () => {
    const file = join(app.folder, 'for-me.json');
    expect((await mace('replay', sound, '-o', file)).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const none = join(app.folder, 'for-nobody.json');
    expect((await mace('replay', `job:${'0'.repeat(32)}`, '-o', none)).code).toBe(1);
    expect(readdirSync(app.folder).filter((name) => name.startsWith('for-'))).toEqual(['for-me.json']);
  });

  it('goes on once the council has approved it, and says what it waits for until then', async () => {
    const { replay_id } = JSON.parse((await mace('--json', 'replay', changed)).out) as ReplayView;
    const refused = await mace('replay', 'continue', replay_id);
    expect(refused.code).toBe(1);
    const request = /ar-[0-9a-f]{32}/.exec(refused.err)![0];
    const { proposal_digest } = JSON.parse((await mace('--json', 'governance', 'show', request)).out) as {
      proposal_digest: string;
    };
    for (const member of ['anna', 'ben', 'cara']) {
      const voter = await app.caller(member, ['council'], ['otp']);
      await voter.send('POST', `/actionrequest/${request}/vote`, { vote: 'approve', proposal_digest });
    }
    const { code, out } = await mace('replay', 'continue', replay_id);
    expect([code, out.split('\n').slice(0, 2)]).toEqual([2, ['MISMATCH', 'not authoritative']]);
  });

  it('sends nothing with --dry-run, and refuses a mock that says no agent', async () => {
    const rehearsed = await mace('replay', sound, '--dry-run', '--mock', 'creative_agent=A poem');
    expect(rehearsed.out).toBe(
      `would send POST /replay/request {"job_id":"${sound}","mode":"audit","mocks":[{"agent_id":"creative_agent","reply":"A poem"}]}`,
    );
    expect(await mace('replay', sound, '--mock', 'A poem')).toMatchObject({ code: 64 });
  });
});

describe('mace replays list', () => {
  it('lists what was replayed, newest first', async () => {
    const { body } = await auditor.send<ReplayView>('POST', '/replay/request', { job_id: sound });
    const host = app.parts.app.nest.get(ProjectionHost);
    await host.waitFor(await app.parts.platform.eventStore.head(), ['replays']);
    const { code, out } = await mace('replays', 'list', '--job', sound, '--limit', '1');
    expect(code).toBe(0);
    const [heads, row] = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(heads?.map((head) => head.toLowerCase())).toEqual([
      'replay',
      'requested_at',
      'job_id',
      'mode',
      'verdict',
      'authoritative',
    ]);
    expect(row).toEqual([body.replay_id, body.requested_at, sound, 'audit', 'MATCH', 'true']);
  });
});
