import { snapshotStream } from '#lib/governance';
import { jobStream, World } from '#lib/jobs';
import { goldenMessage, type StoredEnvelope } from '#lib/kernel';
import { ReplayClock, type ReplayResult } from '#lib/replay';

import { sha256 } from '../../libs/event-store/src/testing/codec-support.js';
import { until } from '../support/eventually.js';
import { type Caller, JobApp } from '../support/job-app.js';
import { REPLAYED, ReplayHouse } from '../support/replay-house.js';
import { remove, resign, resignStored } from '../support/resigning.js';
import { tamper } from '../support/tampering.js';

/** What a replay is refused for: what is missing, what is not what was signed, what takes too long (seed 002 section 11). */

let house: ReplayHouse;
let app: JobApp;
let tuff: Caller;
let auditor: Caller;
let tampered: string[];

beforeAll(async () => {
  house = await ReplayHouse.open();
  ({ app, tuff, auditor, tampered } = house);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => house.dispose());

describe('REPLAY-02', () => {
  it('REPLAY-02: a job one of whose snapshots was removed is MISSING_SNAPSHOT in every mode, whatever else is wrong', async () => {
    const own = await JobApp.open();
    const { body: job } = await (await own.caller('TUFF')).ask('6*7');
    const asking = await own.caller('ann', ['auditor']);
    const missing = async (kind: string): Promise<void> => {
      for (const mode of ['audit', 'reexecute', 'production']) {
        const { status, body } = await asking.send('POST', '/replay/request', { job_id: job.job_id, mode });
        expect([status, body.error_code, body.user_message]).toEqual([
          409,
          'MISSING_SNAPSHOT',
          goldenMessage('MISSING_SNAPSHOT'),
        ]);
        expect(body.developer_message).toBe(`snapshot ${job.snapshots[kind]} is not stored`);
        expect(body.meta['replay_id']).toMatch(/^rp-[0-9a-f]{32}$/);
      }
    };
    remove(own.folder, snapshotStream(job.snapshots['selfrep']!));
    await missing('selfrep');
    remove(own.folder, snapshotStream(job.snapshots['router']!));
    await missing('router');
    tamper(own.folder, jobStream(job.job_id), 'ROUTER_DECISION', '"depth":1', '"depth":2');
    await missing('router');
    await own.dispose({ tampered: [job.job_id] });
  });
});

describe('REPLAY-03', () => {
  it('REPLAY-03: a job whose snapshot had a byte flipped is INTEGRITY_FAILURE, and the snapshot is halted', async () => {
    const own = await JobApp.open();
    const { body: job } = await (await own.caller('TUFF')).ask('6*7');
    const asking = await own.caller('ann', ['auditor']);
    tamper(own.folder, snapshotStream(job.snapshots['router']!), 'SNAPSHOT_CREATED', '"top_n":10', '"top_n":11');
    for (const mode of ['audit', 'reexecute', 'production']) {
      const { status, body } = await asking.send('POST', '/replay/request', { job_id: job.job_id, mode });
      expect([status, body.error_code, body.user_message]).toEqual([
        409,
        'INTEGRITY_FAILURE',
        goldenMessage('INTEGRITY_FAILURE'),
      ]);
    }
    const next = await (await own.caller('TUFF')).ask('6*8');
    expect([next.status, next.body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    expect(await own.stream(`amendment-${job.log_id}`)).toEqual([]);
    await own.dispose({ tampered: [job.job_id] });
  });

  it('REPLAY-03: so is one whose own record had a byte flipped, and what was asked is on record with mode and job', async () => {
    const { body: job } = await tuff.ask('6*7', { job_seed: 'flipped' });
    tampered.push(job.job_id);
    tamper(app.folder, jobStream(job.job_id), 'ROUTER_DECISION', '"depth":1', '"depth":2');
    const { status, body } = await house.refusedReplay(job.job_id, 'production');
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    expect(body.developer_message).toBe(`stream ${jobStream(job.job_id)}, revision 3: its signature does not verify`);
    const asked = { job_id: job.job_id, mode: 'production' };
    expect(await app.stream(`replay-${body.meta['replay_id'] as string}`)).toMatchObject([
      { type: 'REPLAY_REQUEST', data: { ...asked, actor_id: 'user_ann' } },
      { type: 'REPLAY_RESULT', data: { ...asked, verdict: null, error_code: 'INTEGRITY_FAILURE' } },
    ]);
  });

  it.each<[string, (folder: string, stream: string) => void]>([
    ['a byte flipped', (folder, stream) => tamper(folder, stream, 'ROUTER_DECISION', '"depth":1', '"depth":2')],
    ['an event removed', (folder, stream) => remove(folder, stream, 'QCP_CLASSIFIED')],
    ['an agent’s output removed', (folder, stream) => remove(folder, stream, 'AGENT_OUTPUT')],
  ])('REPLAY-03: a replay that meets a record with %s quarantines its log once, and alerts', async (_, damage) => {
    const own = await JobApp.open();
    const asker = await own.caller('TUFF');
    const { body: job } = await asker.ask('6*7');
    const ann = await own.caller('ann', ['auditor']);
    await until(async () => (await asker.get(`/reflective-logs/${job.log_id}`)).status === 200, 'the listed log');
    damage(own.folder, jobStream(job.job_id));
    for (let again = 0; again < 2; again++)
      expect((await ann.send('POST', '/replay/request', { job_id: job.job_id, mode: 'audit' })).status).toBe(409);
    const beside = await own.stream(`amendment-${job.log_id}`);
    expect(beside).toMatchObject([{ type: 'INTEGRITY_FAILURE', data: { job_id: job.job_id } }]);
    const { event_id, actor } = beside[0]!.metadata;
    expect(actor.id).toBe('user_ann');
    const incident = `incident-inc-${sha256(`after:incidents:${event_id}:incident`).slice(0, 32)}`;
    await until(async () => (await own.stream(incident)).length > 0, 'the alert');
    await own.dispose({ tampered: [job.job_id] });
  });
});

describe('a record that a newer release wrote', () => {
  it.each<[string, string, (envelope: StoredEnvelope) => object, string]>([
    [
      'an event of a later version',
      'REFLECTIVE_LOG_WRITTEN',
      ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, schema_version: 9 } }),
      'event type REFLECTIVE_LOG_WRITTEN has version 9',
    ],
    [
      'a later engine',
      'SNAPSHOTS_PINNED',
      ({ data, ...rest }) => ({ ...rest, data: { ...data, engine_version: 9 } }),
      'engine version 9 is not known to this release',
    ],
  ])('is DATA_UNAVAILABLE, with its log left as it is: %s', async (_, type, change, reason) => {
    const own = await JobApp.open();
    const asker = await own.caller('TUFF');
    const { body: job } = await asker.ask('6*7');
    const ann = await own.caller('ann', ['auditor']);
    await until(async () => (await asker.get(`/reflective-logs/${job.log_id}`)).status === 200, 'the listed log');
    await resignStored(own, jobStream(job.job_id), (event) => (event.type === type ? change(event) : event));
    const { status, body } = await ann.send('POST', '/replay/request', { job_id: job.job_id, mode: 'audit' });
    expect([status, body.error_code]).toEqual([503, 'DATA_UNAVAILABLE']);
    expect(body.developer_message).toContain(reason);
    expect(body.developer_message).toContain('a newer release wrote it; start that one');
    expect(await own.stream(`amendment-${job.log_id}`)).toEqual([]);
    await own.dispose({ tampered: [job.job_id] });
  });
});

describe('REPLAY-04', () => {
  it('REPLAY-04: a job whose engine’s output was removed is MISSING_PERSISTED_AGENT_OUTPUT, and nobody is asked instead', async () => {
    const { body: job } = await tuff.ask('Write a short poem about rain', { job_seed: 'unkept' });
    tampered.push(job.job_id);
    const output = (await app.stream(jobStream(job.job_id))).find(({ type }) => type === 'AGENT_OUTPUT')!;
    remove(app.folder, jobStream(job.job_id), 'AGENT_OUTPUT');
    const asked = jest.spyOn(World.prototype, 'perform').mockRejectedValue(new Error('a replay asked the world'));
    for (const mode of ['production', 'audit', 'reexecute'] as const) {
      const { status, body } = await house.refusedReplay(job.job_id, mode);
      expect([status, body.error_code, body.user_message]).toEqual([
        409,
        'MISSING_PERSISTED_AGENT_OUTPUT',
        goldenMessage('MISSING_PERSISTED_AGENT_OUTPUT'),
      ]);
      expect(body.developer_message).toBe(
        `agent output ${output.metadata.event_id}, which the log names, is not stored`,
      );
    }
    expect(asked).not.toHaveBeenCalled();
  });

  it('REPLAY-04: an output that is there and is another one is INTEGRITY_FAILURE', async () => {
    const forged = await house.forge('forged-output', ['AGENT_OUTPUT', { text: '6 * 7 = 43.' }]);
    const { status, body } = await house.refusedReplay(forged, 'production');
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    expect(body.developer_message).toBe(`event ${sha256('forged-output:5:AGENT_OUTPUT')} is not what it refers to`);
  });
});

describe('a replay that takes too long', () => {
  it('is stopped at the job’s own MAX_REPLAY_MS, recorded, refused, and decided anew when it is asked for again', async () => {
    const { body: job } = await tuff.ask('6*7', { job_seed: 'too-slow' });
    let now = 0;
    const slow = jest.spyOn(app.parts.app.nest.get(ReplayClock), 'now').mockImplementation(() => (now += 10_000));
    const key = { 'idempotency-key': 'slowly' };
    const { status, body } = await auditor.send('POST', '/replay/request', { job_id: job.job_id }, key);
    expect([status, body.error_code, body.user_message]).toEqual([
      409,
      'REPLAY_TIMEOUT',
      goldenMessage('REPLAY_TIMEOUT'),
    ]);
    const replayId = body.meta['replay_id'] as string;
    const recorded = await app.stream(`replay-${replayId}`);
    expect(recorded.map(({ type }) => type)).toEqual(['REPLAY_REQUEST', 'REPLAY_TIMEOUT', 'REPLAY_RESULT']);
    expect(recorded[1]!.data).toMatchObject({ job_id: job.job_id, limit: 'max_replay_ms', allowed: 60_000 });
    slow.mockRestore();
    const again = await auditor.send<ReplayResult>('POST', '/replay/request', { job_id: job.job_id }, key);
    expect(again.body).toMatchObject({ ...REPLAYED, replay_id: replayId });
  });
});

describe('a record that does not hold, in a replay that takes too long', () => {
  it('is not searched for what is missing beyond the time that a replay has', async () => {
    const { body: job } = await tuff.ask('6*7', { job_seed: 'searched-too-long' });
    await resign(app, jobStream(job.job_id), 'JOB_SEALED', { count: 1 });
    tampered.push(job.job_id);
    const key = { 'idempotency-key': 'searched' };
    let now = 0;
    const slow = jest.spyOn(app.parts.app.nest.get(ReplayClock), 'now').mockImplementation(() => (now += 10_000));
    const { body } = await auditor.send('POST', '/replay/request', { job_id: job.job_id }, key);
    expect(body.error_code).toBe('REPLAY_TIMEOUT');
    slow.mockRestore();
    const again = await auditor.send('POST', '/replay/request', { job_id: job.job_id }, key);
    expect(again.body.error_code).toBe('INTEGRITY_FAILURE');
  });
});
