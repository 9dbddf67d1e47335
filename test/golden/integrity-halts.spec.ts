import { Snapshots, snapshotStream } from '#lib/governance';
import { goldenMessage } from '#lib/kernel';

import { sha256 } from '../../libs/event-store/src/testing/codec-support.js';
import { type AnyBody, type Answer, type Caller, JobApp } from '../support/job-app.js';
import { tamper } from '../support/tampering.js';

let app: JobApp;
let tuff: Caller;
let auditor: Caller;
const tampered: string[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  [tuff, auditor] = await Promise.all([app.caller('TUFF'), app.caller('ann', ['auditor'])]);
});
afterAll(() => app.dispose({ tampered }));

describe('F-SEC-01', () => {
  let job: AnyBody;
  let safety: string;
  let refused: Answer<AnyBody>;
  let before: readonly string[];

  beforeAll(async () => {
    job = (await tuff.ask('6*7', { job_seed: 'on-a-corrupt-snapshot' })).body;
    tampered.push(job.job_id);
    safety = job.snapshots['safety']!;
    const { signature } = await app.parts.app.nest.get(Snapshots).load(safety);
    before = await app.texts();
    const other = `${signature.slice(0, -1)}${signature.endsWith('0') ? '1' : '0'}`;
    tamper(app.folder, snapshotStream(safety), 'SNAPSHOT_CREATED', signature, other);
    refused = await replay(job.job_id);
  });

  it('F-SEC-01: a replay on a snapshot whose signature is corrupt is rejected with 409 and the exact message', () => {
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      error_code: 'INTEGRITY_FAILURE',
      status: 409,
      severity: 'critical',
      user_message: 'I’m temporarily unable to trust my past data; ops team will check.',
      meta: { replay_id: expect.stringMatching(/^rp-[0-9a-f]{32}$/) as unknown },
    });
    expect(refused.body.user_message).toBe(goldenMessage('INTEGRITY_FAILURE'));
  });

  it('F-SEC-01: INTEGRITY_FAILURE and FORCE_HALT_REPLAY are appended to the snapshot’s stream, signed, one causing the other', async () => {
    const [failure, halt, ...more] = await flags();
    expect(failure).toMatchObject({
      type: 'INTEGRITY_FAILURE',
      data: { stream: snapshotStream(safety), revision: 0, job_id: job.job_id },
    });
    expect(failure!.metadata.event_id).toBe(sha256(`${failure!.metadata.job_seed}:0:INTEGRITY_FAILURE`));
    expect(halt).toMatchObject({
      type: 'FORCE_HALT_REPLAY',
      data: { snapshot_id: safety, cause_event_id: failure!.metadata.event_id },
      metadata: { $causationId: failure!.metadata.event_id },
    });
    expect(more).toEqual([]);
  });

  it('F-SEC-01: the refusal is recorded as the replay’s result, and nothing that was there is changed', async () => {
    const replayed = await app.stream(`replay-${refused.body.meta['replay_id'] as string}`);
    expect(replayed.map(({ type, data }) => [type, data['error_code'] ?? null])).toEqual([
      ['REPLAY_REQUEST', null],
      ['REPLAY_RESULT', 'INTEGRITY_FAILURE'],
    ]);
    const after = await app.texts();
    const changed = before.filter((text) => !after.includes(text));
    expect(changed.map((text) => (JSON.parse(text) as { stream: string }).stream)).toEqual([snapshotStream(safety)]);
  });

  it('F-SEC-01: no further job starts on the snapshot, also after a restart, and replays add no second flag', async () => {
    const next = await tuff.ask('6*8', { job_seed: 'on-a-halted-snapshot' });
    expect([next.status, next.body.error_code, next.body.meta['snapshot_id']]).toEqual([
      409,
      'INTEGRITY_FAILURE',
      safety,
    ]);
    expect(next.body.user_message).toBe(goldenMessage('INTEGRITY_FAILURE'));
    expect((await replay(job.job_id)).status).toBe(409);
    expect(await flags()).toHaveLength(2);
  });

  it('F-SEC-01: it stays halted when its bytes are restored: only an admin and the council lift the flag', async () => {
    const now = await rawText();
    const original = before.find((text) => text.includes(`"stream":"${snapshotStream(safety)}"`))!;
    const at = [...now].findIndex((character, i) => character !== original[i]);
    const around = (text: string): string => text.slice(at - 20, at + 2);
    tamper(app.folder, snapshotStream(safety), 'SNAPSHOT_CREATED', around(now), around(original));
    expect(await rawText()).toBe(original);
    const again = await replay(job.job_id);
    expect([again.status, again.body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    expect(again.body.developer_message).toContain('halted');
    await app.whileClosed(() => undefined);
    [tuff, auditor] = await Promise.all([app.caller('TUFF'), app.caller('ann', ['auditor'])]);
    expect((await tuff.ask('6*9')).status).toBe(409);
  });

  it('F-SEC-01: the job’s other snapshots are not halted with it', async () => {
    const snapshots = app.parts.app.nest.get(Snapshots);
    expect(await snapshots.halts.of(job.snapshots['router']!)).toBeNull();
    await expect(snapshots.halts.refuse([safety])).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
  });

  function replay(job_id: string): Promise<Answer<AnyBody>> {
    return auditor.send('POST', '/replay/request', { job_id, mode: 'audit' });
  }

  async function rawText(): Promise<string> {
    const { events } = await app.parts.platform.eventStore.readStream(snapshotStream(safety), { limit: 1 });
    return events[0]!.text;
  }

  async function flags() {
    const { codec, eventStore } = app.parts.platform;
    const { events } = await eventStore.readStream(snapshotStream(safety), { from: 1 });
    return events.map((recorded) => codec.open(recorded, codec.decode(recorded).metadata.prev_hash).event);
  }
});
