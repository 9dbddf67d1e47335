import { jobStream } from '#lib/jobs';
import { type JsonObject, MaceError, type Provenance } from '#lib/kernel';
import { DETECTOR_VERSION } from '#lib/privacy';
import type { ReplayResult } from '#lib/replay';

import { type AnyBody, type Answer, type Caller, JobApp } from '../support/job-app.js';
import { remove, resign, resignAs, resignStored } from '../support/resigning.js';

/** Records that were changed and signed again in what no engine computes: what a job was given, and its envelopes. */

let app: JobApp;
let tuff: Caller;
let auditor: Caller;
const tampered: string[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  [tuff, auditor] = [await app.caller('TUFF'), await app.caller('ann', ['auditor'])];
});
afterAll(() => app.dispose({ tampered }));

async function asked(): Promise<string> {
  const { body } = await tuff.ask('6*7');
  tampered.push(body.job_id);
  return body.job_id;
}

function replay<T = AnyBody>(job_id: string, mode = 'audit'): Promise<Answer<T>> {
  return auditor.send<T>('POST', '/replay/request?unredacted=true', { job_id, mode });
}

async function refused(job_id: string): Promise<string> {
  const { status, body } = await replay(job_id, 'production');
  return `${status} ${body.error_code}: ${body.developer_message}`;
}

describe('what a job was given', () => {
  it('names the detector of the privacy snapshot that it pinned, or differs from it', async () => {
    const id = await asked();
    await resign(app, jobStream(id), 'SNAPSHOTS_PINNED', { detector_version: '2' });
    for (const mode of ['audit', 'reexecute', 'production']) {
      const { status, body } = await replay<ReplayResult>(id, mode);
      expect([status, body.verdict]).toEqual([200, 'MISMATCH']);
      expect(body.divergence).toMatchObject({
        event_number: 1,
        event_type: 'SNAPSHOTS_PINNED',
        pointer: '/data/detector_version',
        recorded: '"2"',
        computed: JSON.stringify(String(DETECTOR_VERSION)),
      });
    }
  });

  it.each<[string, string, JsonObject]>([
    ['SNAPSHOTS_PINNED', 'detector_version', { detector_version: null }],
    ['SNAPSHOTS_PINNED', 'detector_version', { detector_version: [[{}]] }],
    ['SNAPSHOTS_PINNED', 'system_version', { system_version: -1 }],
    ['SNAPSHOTS_PINNED', 'system_version', { system_version: '' }],
    ['SNAPSHOTS_PINNED', 'system_version', { system_version: 'mace-9.9.9' }],
    ['SNAPSHOTS_PINNED', 'snapshots', { snapshots: null }],
    ['JOB_ACCEPTED', 'blocked', { blocked: null }],
    ['JOB_ACCEPTED', 'blocked', { blocked: '' }],
    ['JOB_ACCEPTED', 'blocked', { pii_findings: [{ pii_type: 'ssn', category: 'high', pii_hash: 'x' }] }],
    ['JOB_ACCEPTED', 'priority', { priority: 'high' }],
    ['JOB_ACCEPTED', 'query_text_hash', { query_text_hash: 'f'.repeat(64) }],
  ])('is an integrity failure where %s has another %s than any job: %j', async (type, field, change) => {
    const id = await asked();
    await resign(app, jobStream(id), type, change);
    const told = await refused(id);
    expect(told).toMatch(/^409 INTEGRITY_FAILURE: /);
    expect(told).toContain(`/data/${field} of ${type}`);
  });
});

describe('the envelopes of a job', () => {
  it.each<[string, number, string, Partial<Provenance>]>([
    ['who asked', 0, 'actor', { actor: { id: 'user_eve', role: 'admin' } }],
    ['who asked, from the middle on', 6, 'actor', { actor: { id: 'user_tuff', role: 'superadmin' } }],
    ['the trace', 6, 'trace_id', { traceId: 'trace-0000000000000000' }],
    ['the cause', 5, '$causationId', { causationId: 'f'.repeat(64) }],
    ['the cause of the first', 0, '$causationId', { causationId: 'f'.repeat(64) }],
    ['the job', 4, 'job_id', { jobId: `job:${'0'.repeat(32)}` }],
    ['the request', 3, 'request_digest', { requestDigest: '0'.repeat(64) }],
  ])('name %s, and are an integrity failure signed again with another', async (_, from, part, change) => {
    const id = await asked();
    await resignAs(app, jobStream(id), change, from);
    const type = (await app.stream(jobStream(id)))[from]!.type;
    const why =
      part === 'actor' && from === 0 ? 'actor is not who asked' : `${part} is not what the job's run gives it`;
    expect(await refused(id)).toBe(`409 INTEGRITY_FAILURE: event ${from} (${type}): ${why}`);
  });

  it.each<[string, string, Partial<Provenance>]>([
    ['a role that asks for no job', 'operator', { actor: { id: 'user_tuff', role: 'operator' } }],
    ['a role above all', 'superadmin', { actor: { id: 'user_tuff', role: 'superadmin' } }],
  ])('name %s nowhere, not in all events alike', async (_, __, change) => {
    const id = await asked();
    await resignAs(app, jobStream(id), change);
    expect(await refused(id)).toBe('409 INTEGRITY_FAILURE: event 0 (JOB_ACCEPTED): actor has no role of who asked');
  });

  it.each<[string, Partial<Provenance>]>([
    ['who asked in another role', { actor: { id: 'user_tuff', role: 'admin' } }],
    ['another request', { requestDigest: '0'.repeat(64) }],
  ])('are not those that a checkpoint was signed over where all alike name %s', async (_, change) => {
    const id = await asked();
    const { proof, eventStore } = app.parts.platform;
    await proof.covering(await eventStore.head(), 60_000);
    await resignAs(app, jobStream(id), change);
    const told = 'the record is another than the one that a checkpoint was signed over';
    expect(await refused(id)).toBe(`409 INTEGRITY_FAILURE: ${told}`);
    const quarantined = 'its log failed a check and is quarantined until an admin verifies it again';
    for (const mode of ['audit', 'reexecute', 'production']) {
      const { status, body } = await replay(id, mode);
      expect(`${status} ${body.error_code}: ${body.developer_message}`).toBe(`409 INTEGRITY_FAILURE: ${quarantined}`);
    }
  });

  it('hold nothing up that count further than any job does', async () => {
    const id = await asked();
    await resign(app, jobStream(id), 'REFLECTIVE_LOG_WRITTEN', { event_refs: ['f'.repeat(64)] });
    await resignAs(app, jobStream(id), { sequenceIndex: 2 ** 52 });
    expect(await refused(id)).toMatch(/^409 INTEGRITY_FAILURE/);
  });
});

describe('what a job wrote to memory', () => {
  const KEY = 'user/profile/user_tuff/favorite_band';
  const wish = async (band: string): Promise<string> => {
    const { body } = await tuff.ask(`Remember that my favorite band is ${band}`);
    tampered.push(body.job_id);
    return body.job_id;
  };

  /** In plain fields, each event at its own index: between two of such a job stands what it wrote. */
  const rewritten = (id: string, of: string, change: JsonObject): Promise<void> =>
    resignStored(app, jobStream(id), (envelope) =>
      envelope.type === of ? { ...envelope, data: { ...envelope.data, ...change } } : envelope,
    );

  it.each<[string, string, JsonObject]>([
    ['MEMORY_WRITE_RESULT', 'event_id', { event_id: 7 }],
    ['MEMORY_WRITE_RESULT', 'event_id', { event_id: [null] }],
    ['MEMORY_WRITE_RESULT', 'revision', { revision: -1 }],
    ['MEMORY_WRITE_RESULT', 'revision', { revision: {} }],
    ['MEMORY_WRITE_RESULT', 'ok', { ok: -1 }],
    ['MEMORY_WRITE_RESULT', 'applied', { applied: null }],
    ['MEMORY_WRITE_RESULT', 'attempts', { attempts: {} }],
    ['MEMORY_WRITE_REQUESTED', 'key_revision', { key_revision: 'x' }],
    ['MEMORY_WRITE_REQUESTED', 'key_revision', { key_revision: [null] }],
  ])('is an integrity failure where %s has a %s of a form that no job records: %j', async (type, field, change) => {
    const id = await wish('Queen');
    await rewritten(id, type, change);
    const told = await refused(id);
    expect(told).toMatch(/^409 INTEGRITY_FAILURE: /);
    // Of what is no write, other members are what no job records.
    if (field !== 'ok') expect(told).toContain(`/data/${field} of ${type}`);
  });

  it('is an integrity failure where the record names another event than is stored there', async () => {
    const first = await wish('Queen');
    const second = await wish('Abba');
    const [written] = (await app.stream(jobStream(first))).filter(({ type }) => type === 'MEMORY_WRITE_RESULT');
    const { event_id, revision } = written!.data;
    await rewritten(second, 'MEMORY_WRITE_REQUESTED', { key_revision: 0 });
    await rewritten(second, 'MEMORY_WRITE_RESULT', { event_id: event_id!, revision: revision! });
    expect(await refused(second)).toContain(`INTEGRITY_FAILURE: MEMORY_WRITE_RESULT names another event`);
  });

  it('is told as missing first where it is not stored, whatever else is wrong', async () => {
    const id = await wish('Queen');
    const [written] = (await app.stream(jobStream(id))).filter(({ type }) => type === 'MEMORY_WRITE_RESULT');
    const told = `409 MISSING_PERSISTED_AGENT_OUTPUT: event ${written!.data['event_id'] as string}, which the job wrote to memory, is not stored`;
    remove(app.folder, `sem-${KEY}`);
    for (const mode of ['audit', 'reexecute', 'production']) {
      const { status, body } = await replay(id, mode);
      expect(`${status} ${body.error_code}: ${body.developer_message}`).toBe(told);
      expect(body.meta['event_id']).toBe(written!.data['event_id']);
    }
    await rewritten(id, 'JOB_SEALED', { count: 1 });
    expect(await refused(id)).toBe(told);
  });
});

describe('the tree that is signed', () => {
  it('proves nothing of a job while no checkpoint covers it: a match that is not authoritative', async () => {
    const { body: job } = await tuff.ask('6*7');
    const uncovered = new MaceError('WAIT_TIMEOUT', 'a checkpoint has not reached it');
    const { proof } = app.parts.platform;
    const spies = [
      jest.spyOn(proof, 'latest').mockReturnValue(null),
      jest.spyOn(proof, 'covering').mockRejectedValue(uncovered),
    ];
    const { body } = await replay<ReplayResult>(job.job_id);
    for (const spy of spies) spy.mockRestore();
    expect([body.verdict, body.authoritative]).toEqual(['MATCH', false]);
    expect(body.steps.at(-1)).toMatchObject({ step: 'merkle log', verdict: 'unchecked', checked: 0 });
    expect((await replay<ReplayResult>(job.job_id)).body).toMatchObject({ verdict: 'MATCH', authoritative: true });
  });

  it('is a fault where what is kept of it is not what was signed', async () => {
    const { body: job } = await tuff.ask('6*7');
    const { proof } = app.parts.platform;
    const { events } = await app.parts.platform.eventStore.readStream(jobStream(job.job_id));
    const whole = await proof.proofOf(events.at(-1)!.id);
    const other = { ...whole!, leaf_hash: 'ab'.repeat(32), inclusion: whole!.inclusion.map(() => 'cd'.repeat(32)) };
    const spy = jest.spyOn(proof, 'proofOf').mockResolvedValue(other);
    const told = await refused(job.job_id);
    spy.mockRestore();
    expect(told).toMatch(/^409 INTEGRITY_FAILURE: proof\.db does not keep what was signed/);
  });
});

describe('a record of a form that no job writes', () => {
  it.each([
    '6*7',
    'Write a short poem about rain',
    'Remember that my favorite band is Queen',
    'What is my favorite car?',
  ])('is none that a job wrote: %s', async (query) => {
    const { body } = await tuff.ask(query);
    const id = body.job_id ?? (body.meta['job_id'] as string);
    for (const who of [tuff, auditor]) {
      for (const path of [`/jobs/${id}`, `/jobs/${id}/log`, `/jobs/${id}/explain`, `/jobs/${id}/events`]) {
        expect([path, (await who.get(path)).status]).toEqual([path, 200]);
      }
    }
  });

  it.each<[string, JsonObject]>([
    ['REFLECTIVE_LOG_WRITTEN', { notices: null }],
    ['REFLECTIVE_LOG_WRITTEN', { notices: 7 }],
    ['REFLECTIVE_LOG_WRITTEN', { agent_outputs: [null] }],
    ['AGENT_OUTPUT', { evidence: [null] }],
    ['SNAPSHOTS_PINNED', { snapshots: null }],
    ['COUNCIL_DECISION', { unavailable_critics: -1 }],
  ])('is no fault of ours to read, whoever reads what of it: %s %j', async (type, change) => {
    const id = await asked();
    await resign(app, jobStream(id), type, change);
    for (const who of [tuff, auditor]) {
      for (const path of [`/jobs/${id}`, `/jobs/${id}/log`, `/jobs/${id}/explain`, `/jobs/${id}/events`]) {
        const { status, body } = await who.get(path);
        if (status === 200) continue;
        expect([path, status, body.error_code]).toEqual([path, 409, 'INTEGRITY_FAILURE']);
        expect(body.developer_message).toContain(jobStream(id));
      }
    }
    const { status, body } = await auditor.get(`/audit/bundle/${id}`);
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
  });
});
