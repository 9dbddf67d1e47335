import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Policies } from '#lib/governance';
import { jobStream } from '#lib/jobs';
import { sha256Hex, systemSeed, traceId } from '#lib/kernel';

import { ADOPTED_POLICIES } from '../../apps/api/src/governance/adopted-policies.js';
import { describeEmbedded } from '../support/event-store-for-tests.js';
import { eventually, until } from '../support/eventually.js';
import { JobApp } from '../support/job-app.js';
import { RoomClient, voteBy } from '../support/room-client.js';
import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../support/served-process.js';

const LISTENING = /takes gRPC calls[^\n]* port=(\d+)/;
/** Closed by the last vote, however slow the machine is. */
const WINDOW_S = 600;

interface Listed {
  readonly items: readonly { readonly artifact_id: string; readonly status: string }[];
}

/** A server that is killed while a job waits for outside critics: the next one takes it further. */
describeEmbedded('a job that waits for outside critics', 'the policy is set in the files of the embedded store', () => {
  let folder: string;
  const started: ServedProcess[] = [];
  const tokens = new Map<string, string>();
  const token = (who: string): string => tokens.get(who)!;

  beforeAll(async () => {
    folder = await mkdtemp(join(process.env['MACE_TEST_DISK'] ?? tmpdir(), 'mace-outside-'));
    const app = await JobApp.on(folder);
    await seatOutside(app);
    await app.close();
    for (const who of ['ann', 'ben']) tokens.set(who, tokenFor(folder, who, 'agent'));
    tokens.set('tuff', tokenFor(folder, 'tuff', 'user'));
    tokens.set('otto', tokenFor(folder, 'otto', 'auditor'));
  });
  afterAll(async () => {
    // A test that failed has left its own running.
    for (const server of started) await server.kill();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (): Promise<{ server: ServedProcess; room: RoomClient }> => {
    const server = await ServedProcess.start(folder, { MACE_GRPC_PORT: '0', MACE_LOG_LEVEL: 'info' });
    started.push(server);
    await until(() => Promise.resolve(LISTENING.test(server.log())));
    return { server, room: new RoomClient(Number(LISTENING.exec(server.log())![1]), token) };
  };
  const get = async <T>(server: ServedProcess, who: string, path: string): Promise<T> => {
    const headers = { ...EACH_ITS_OWN, authorization: `Bearer ${token(who)}` };
    return (await (await fetch(`${server.url}${path}`, { headers })).json()) as T;
  };
  const post = async <T>(server: ServedProcess, who: string, path: string, message: object, more = {}): Promise<T> => {
    const headers = { ...EACH_ITS_OWN, authorization: `Bearer ${token(who)}`, 'content-type': 'application/json' };
    const request = { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(message) };
    return (await (await fetch(`${server.url}${path}`, request)).json()) as T;
  };
  /** Begun, and not waited for. */
  const begin = async (server: ServedProcess, query_text: string, job_seed: string): Promise<string> => {
    const question = { query_text, job_seed };
    const async = { prefer: 'respond-async' };
    return (await post<{ job_id: string }>(server, 'tuff', '/jobs', question, async)).job_id;
  };
  const completed = async (server: ServedProcess, job_id: string): Promise<void> => {
    const done = await eventually(async () => {
      const job = await get<{ status: string }>(server, 'tuff', `/jobs/${job_id}`);
      return job.status === 'running' ? null : job;
    });
    expect(done.status).toBe('completed');
  };
  /** What ann is asked about and has not been decided. */
  const open = async (server: ServedProcess): Promise<readonly string[]> => {
    const { items } = await get<Listed>(server, 'ann', '/negotiations?critic=me');
    return items.filter(({ status }) => status === 'open').map(({ artifact_id }) => artifact_id);
  };

  it('is replayed in every mode without a question to anybody: their votes come from the record', async () => {
    let { server, room } = await start();
    const job_id = await begin(server, '4*4', 'outside:replayed');
    const asked = await eventually(async () => (await open(server))[0]);
    for (const critic of ['ann', 'ben']) await room.call(critic, 'SubmitVote', voteBy(critic, asked));
    await completed(server, job_id);
    room.close();
    await server.kill();

    ({ server, room } = await start());
    for (const mode of ['audit', 'reexecute', 'production'])
      // Who asked them again would wait for the window.
      expect(await post(server, 'otto', '/replay/request', { job_id, mode })).toMatchObject({ mode, verdict: 'MATCH' });
    await until(async () => (await open(server)).length === 0, 'nobody who is asked');
    expect((await get<Listed>(server, 'ann', '/negotiations?critic=me')).items).toMatchObject([{ artifact_id: asked }]);
    room.close();
    expect(await server.stop()).toBe(0);
  }, 240_000);

  it('is killed with its server, before and after a vote, and ends once, in one negotiation, with both votes', async () => {
    let { server, room } = await start();
    const job_id = await begin(server, '6*7', 'outside:killed');
    const asked = await eventually(async () => (await open(server))[0]);
    room.close();
    await server.kill();

    ({ server, room } = await start());
    await room.call('ann', 'SubmitVote', voteBy('ann', asked));
    room.close();
    await server.kill();

    ({ server, room } = await start());
    expect(await open(server)).toEqual([asked]);
    await room.call('ben', 'SubmitVote', voteBy('ben', asked));
    await completed(server, job_id);
    room.close();
    expect(await server.stop()).toBe(0);

    const app = await JobApp.on(folder);
    const types = async (stream: string): Promise<readonly string[]> =>
      (await app.stream(stream)).map(({ type }) => type);
    expect(await types(`negotiation-${asked}`)).toEqual([
      'NEGOTIATION_PROPOSED',
      'VOTE_CAST',
      'VOTE_CAST',
      'VOTE_WINDOW_CLOSED',
      'NEGOTIATION_DECIDED',
    ]);
    const job = await types(jobStream(job_id));
    expect(job.filter((type) => /AGENT_OUTPUT|OUTSIDE|COUNCIL/.test(type))).toEqual([
      'AGENT_OUTPUT',
      'OUTSIDE_CRITICS_ASKED',
      ...Array.from({ length: 5 }, () => 'COUNCIL_VOTE'),
      'COUNCIL_DECISION',
    ]);
    // Replays it too, and is a MATCH without anybody who could vote.
    await app.dispose();
  }, 240_000);
});

/** As people's approval would, so that the next start with the same file keeps it. */
async function seatOutside(app: JobApp): Promise<void> {
  const policies = app.parts.app.nest.get<Policies>(ADOPTED_POLICIES);
  const { body, snapshot_id } = await policies.current('governance');
  const { critics } = body['answer_council'] as { critics: { critic_id: string; weight: number }[] };
  const outside = ['ann', 'ben'].map((critic_id) => ({ critic_id, weight: 1, outside: true }));
  const jobSeed = systemSeed('test', sha256Hex('outside'));
  await policies.apply({
    policy: 'governance',
    change: { answer_council: { critics: [...critics, ...outside], outside_window_s: WINDOW_S } },
    baseSnapshotId: snapshot_id,
    requestId: `ar-${'0'.repeat(32)}`,
    provenance: { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) },
    now: Date.now(),
  });
}
