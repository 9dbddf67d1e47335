import { type HaltPage, Snapshots, snapshotStream } from '#lib/governance';
import type { IncidentRow, ListPage } from '#lib/incidents';
import type { UnreplayablePage } from '#lib/jobs';
import type { JsonObject } from '#lib/kernel';
import { type Bundle, verifyBundle } from '#lib/verifier';

import { HaltsRuntimeModule } from '../../apps/api/src/halts/halts.runtime.module.js';

import { eventually } from '../support/eventually.js';
import { type AnyBody, type Answer, type Caller, JobApp } from '../support/job-app.js';
import { tamper } from '../support/tampering.js';

/** Halts from their cause to their end, through HTTP, on files that somebody changed (seed 002 section 10; spec/replay.md). */

type Body = AnyBody & { readonly [name: string]: unknown };

let app: JobApp;
let tuff: Caller;
let auditor: Caller;
let ada: Caller;
let bob: Caller;
let council: readonly Caller[];
/** Jobs that cannot be replayed when this ends. */
const tampered: string[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  await people();
});
afterAll(() => app.dispose({ tampered }));

/** Tokens are void after a restart with other keys; they are made again all the same. */
async function people(): Promise<void> {
  [tuff, auditor, ada, bob] = await Promise.all([
    app.caller('TUFF'),
    app.caller('ann', ['auditor']),
    app.caller('ada', ['admin'], ['otp']),
    app.caller('bob', ['admin'], ['otp']),
  ]);
  council = await Promise.all(['anna', 'ben', 'cara'].map((name) => app.caller(name, ['council'], ['otp'])));
}

const replay = (job_id: string): Promise<Answer<AnyBody>> =>
  auditor.send('POST', '/replay/request', { job_id, mode: 'audit' });
const clear = (who: Caller, id: string): Promise<Answer<Body>> =>
  who.send<Body>('POST', `/replay/halts/${id}/clear`, { justification: 'restored from the backup' });
const halt = (id: string) => app.parts.app.nest.get(Snapshots).halts.of(id);

async function listed(id: string, status: 'halted' | 'cleared') {
  return eventually(async () => {
    const { body } = await auditor.get<HaltPage>(`/replay/halts?status=${status}`);
    return body.items.find(({ snapshot_id }) => snapshot_id === id);
  }, `snapshot ${id} among the ${status}`);
}

/** Three of the council agree, and what they agreed on is carried out. */
async function agreed({ request_id, proposal_digest }: Body): Promise<JsonObject> {
  for (const member of council) {
    const said = await member.send('POST', `/actionrequest/${String(request_id)}/vote`, {
      vote: 'approve',
      proposal_digest,
    });
    expect(said.status).toBe(200);
  }
  return eventually(
    async () => (await ada.get<Body>(`/actionrequest/${String(request_id)}`)).body['execution'] as JsonObject | null,
    'the execution',
  );
}

async function numberOfRequests(): Promise<number> {
  return (await app.texts()).filter((text) => text.includes('"type":"ACTION_REQUESTED"')).length;
}

async function rawText(stream: string): Promise<string> {
  return (await app.parts.platform.eventStore.readStream(stream, { limit: 1 })).events[0]!.text;
}

/** One digit of a snapshot's signature, changed by whoever holds the closed folder; the way back is answered. */
async function damage(id: string): Promise<() => void> {
  const { signature } = JSON.parse(await rawText(snapshotStream(id))).data as { signature: string };
  const other = `${signature.slice(0, -1)}${signature.endsWith('0') ? '1' : '0'}`;
  const write = (from: string, to: string): void =>
    tamper(app.folder, snapshotStream(id), 'SNAPSHOT_CREATED', from, to);
  await app.whileClosed(() => write(signature, other));
  await people();
  return () => write(other, signature);
}

describe('a snapshot that is damaged before the process starts', () => {
  let job: AnyBody;
  let safety: string;
  let restore: () => void;

  beforeAll(async () => {
    job = (await tuff.ask('6*7', { job_seed: 'before-the-damage' })).body;
    safety = job.snapshots['safety']!;
    restore = await damage(safety);
  });

  it('is halted and named at the start, which does not fail: an auditor sees it with its cause and who pins it', async () => {
    const row = await listed(safety, 'halted');
    expect(row).toMatchObject({
      snapshot_id: safety,
      status: 'halted',
      cause: { type: 'INTEGRITY_FAILURE', stream: snapshotStream(safety) },
      cleared: null,
      pinned_by: { jobs: 1, at_least: false },
    });
    expect(Date.parse(row.since)).not.toBeNaN();
    expect((await tuff.get('/replay/halts')).status).toBe(403);
  });

  it('opens a critical incident, to which its halt is linked', async () => {
    const { cause } = await listed(safety, 'halted');
    const incident = await eventually(async () => {
      const { body } = await auditor.get<ListPage<IncidentRow>>('/incidents');
      return body.items.find((one) => one.cause.event_id === cause.event_id && one.links.length > 0);
    });
    expect(incident).toMatchObject({ severity: 'critical', links: [{ type: 'FORCE_HALT_REPLAY' }] });
  });

  it('lets nobody start a job or replay one, and answers everything else', async () => {
    const next = await tuff.ask('6*8', { job_seed: 'while-halted' });
    expect([next.status, next.body.error_code, next.body.meta['snapshot_id']]).toEqual([
      409,
      'INTEGRITY_FAILURE',
      safety,
    ]);
    expect((await replay(job.job_id)).body.error_code).toBe('INTEGRITY_FAILURE');
    expect((await tuff.get<Body>(`/jobs/${job.job_id}`)).body['final_answer']).toBe(job.final_answer);
    expect(app.parts.app.fastify.server).toBeDefined();
  });

  it('lists the job as one that cannot be replayed, once a replay found it', async () => {
    const page = await eventually(async () => {
      const { body } = await auditor.get<UnreplayablePage>('/jobs/unreplayable?missing=integrity');
      return body.items.some(({ job_id }) => job_id === job.job_id) ? body : null;
    });
    expect(page.items[0]).toMatchObject({ job_id: job.job_id, missing: 'integrity', found_by: 'replay' });
    expect(page.counts).toMatchObject({ integrity: 1, snapshot: 0 });
    expect((await auditor.get<UnreplayablePage>('/jobs/unreplayable?missing=snapshot')).body.items).toEqual([]);
    expect((await auditor.get('/jobs/unreplayable?missing=nonsense')).status).toBe(400);
    expect((await tuff.get('/jobs/unreplayable')).status).toBe(403);
  });

  it('is not put before the council while it does not verify: 409 that says what is wrong', async () => {
    const refused = await clear(ada, safety);
    expect([refused.status, refused.body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    expect(refused.body.developer_message).toContain('revision 0');
    expect(refused.body.meta['reason']).toContain('signature');
    expect((await clear(auditor, safety)).status).toBe(403);
    const plain = await app.caller('adi', ['admin']);
    expect((await clear(plain, safety)).status).toBe(401);
  });

  it('is cleared once it is restored, by one request of two admins and the council’s votes; jobs run and replay again', async () => {
    await app.whileClosed(restore);
    await people();
    const asked = await Promise.all([clear(ada, safety), clear(bob, safety), clear(ada, safety)]);
    expect(asked.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(asked.map(({ body }) => body['request_id'])).size).toBe(1);
    expect((await tuff.ask('6*9')).status).toBe(409);
    const request = asked[0].body;
    expect(await agreed(request)).toMatchObject({ result: { snapshot_id: safety } });
    expect(await halt(safety)).toBeNull();
    const row = await listed(safety, 'cleared');
    expect(row.cleared).toMatchObject({
      action_request_id: request['request_id'],
      approvals: ['user_anna', 'user_ben', 'user_cara'],
    });
    expect(['user_ada', 'user_bob']).toContain(row.cleared!.verified_by);
    expect((await tuff.ask('6*8', { job_seed: 'while-halted' })).body.final_answer).toBe('6 * 8 = 48.');
    expect((await replay(job.job_id)).body).toMatchObject({ verdict: 'MATCH' });
    expect((await clear(ada, safety)).body.error_code).toBe('CONFLICT');
    await eventually(async () => {
      const { body } = await auditor.get<UnreplayablePage>('/jobs/unreplayable');
      return body.items.length === 0 ? true : null;
    }, 'an empty list of jobs that cannot be replayed');
  });

  it('is halted again by the next failure, and a fresh one that the council puts in force is run on meanwhile', async () => {
    restore = await damage(safety);
    expect((await tuff.ask('7*7')).body.error_code).toBe('INTEGRITY_FAILURE');
    await listed(safety, 'halted');
    const change = { max_note_length: 3999 };
    const proposed = await ada.send<Body>('POST', '/actionrequest/create', {
      kind: 'policy_change',
      payload: { action: 'policy_change', policy: 'safety', change },
      justification: 'the snapshot in force is damaged',
    });
    expect(proposed.status).toBe(200);
    expect(await agreed(proposed.body)).toMatchObject({ result: { policy: 'safety', from_snapshot_id: safety } });
    const fresh = await tuff.ask('7*7', { job_seed: 'on-a-fresh-snapshot' });
    expect(fresh.body.final_answer).toBe('7 * 7 = 49.');
    expect(fresh.body.snapshots['safety']).not.toBe(safety);
    expect((await replay(fresh.body.job_id)).body).toMatchObject({ verdict: 'MATCH' });
    expect((await replay(job.job_id)).body.error_code).toBe('INTEGRITY_FAILURE');
    const still = await eventually(async () => halt(safety));
    expect(still.snapshot_id).toBe(safety);
    tampered.push(job.job_id, (await tuff.ask('6*8', { job_seed: 'while-halted' })).body.job_id);
  });
});

describe('a security incident that an admin reports of a job', () => {
  let job: AnyBody;

  it('halts the snapshots that the job pinned, each once and because of that report', async () => {
    job = (await tuff.ask('8*8', { job_seed: 'of-an-incident' })).body;
    const report = { event_type: 'SECURITY_INCIDENT', job_id: job.job_id, details: { seen: 'a stolen token' } };
    const { body } = await ada.send<Body>('POST', '/events/failure', report);
    for (const id of Object.values(job.snapshots)) {
      const row = await listed(id, 'halted');
      expect(row.cause).toEqual({ event_id: body['event_id'], type: 'SECURITY_INCIDENT', stream: 'system-security' });
    }
    for (const refused of [await replay(job.job_id), await tuff.ask('8*9')]) {
      expect([refused.status, refused.body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
      const { snapshot_id, cause_event_id, cause_type } = refused.body.meta;
      expect(Object.values(job.snapshots)).toContain(snapshot_id);
      expect([cause_event_id, cause_type]).toEqual([body['event_id'], 'SECURITY_INCIDENT']);
    }
    const { meta } = (await replay(job.job_id)).body;
    expect(meta['replay_id']).toMatch(/^rp-[0-9a-f]{32}$/);
  });

  it('holds against an emergency: two signatures lift no halt, and make no request to lift one', async () => {
    const id = job.snapshots['safety']!;
    const root = await app.caller('root', ['superadmin'], ['otp']);
    const { request_id, proposal_digest } = (await clear(ada, id)).body;
    const payload = { action: 'force_halt_clear', snapshot_id: id };
    const anew = { kind: 'force_halt_clear', payload, justification: 'the council sleeps' };
    const requests = await numberOfRequests();
    for (const body of [{ request_id, proposal_digest, reason: 'the council sleeps' }, anew]) {
      for (const who of [root, bob]) {
        const { status, body: refused } = await who.send<Body>('POST', '/superadmin/override', body);
        expect([status, refused.error_code]).toEqual([409, 'CONFLICT']);
        expect(refused.developer_message).toMatch(/^force_halt_clear takes the council’s own word/);
      }
    }
    expect(await numberOfRequests()).toBe(requests);
    expect((await ada.get<Body>(`/actionrequest/${String(request_id)}`)).body).toMatchObject({ status: 'pending' });
    expect(await halt(id)).not.toBeNull();
  });

  it('is over when each of them is cleared', async () => {
    for (const id of Object.values(job.snapshots)) {
      const asked = await clear(ada, id);
      expect([asked.status, asked.body.developer_message ?? null]).toEqual([202, null]);
      expect(await agreed(asked.body)).toMatchObject({ result: { snapshot_id: id } });
    }
    expect((await replay(job.job_id)).body).toMatchObject({ verdict: 'MATCH' });
    expect((await tuff.ask('8*9')).body.final_answer).toBe('8 * 9 = 72.');
  });
});

describe('what an admin has reported, while nothing answers events behind an answer', () => {
  // Only on a process of its own: what follows from a report stands when it is answered, whoever else is asleep.
  it.each(['SECURITY_INCIDENT', 'INTEGRITY_FAILURE'])(
    '%s halts and quarantines before it is answered, once',
    async (event_type) => {
      const own = await JobApp.open();
      await own.parts.app.nest.get(HaltsRuntimeModule).onModuleDestroy();
      const [asker, admin, looker] = await Promise.all([
        own.caller('TUFF'),
        own.caller('ada', ['admin'], ['otp']),
        own.caller('ann', ['auditor']),
      ]);
      const { body: job } = await asker.ask('8*8', { job_seed: 'reported-alone' });
      const { body: bundled } = await looker.get<Bundle>(`/audit/bundle/${job.job_id}`);
      expect(bundled.replay).toMatchObject({ verdict: 'MATCH', error_code: null });
      const key = { 'idempotency-key': 'reported-alone' };
      const report = { event_type, job_id: job.job_id };
      const { status, body } = await admin.send<Body>('POST', '/events/failure', report, key);
      expect(status).toBe(200);
      const next = await asker.ask('8*9');
      const again = await looker.send<AnyBody>('POST', '/replay/request', { job_id: job.job_id });
      for (const refused of [next, again]) {
        expect([refused.status, refused.body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
        expect(refused.body.meta['cause_event_id'] ?? body['event_id']).toBe(body['event_id']);
      }
      const log = await asker.get(`/reflective-logs/${job.log_id}`);
      expect(log.status).toBe(event_type === 'INTEGRITY_FAILURE' ? 400 : 200);
      // A snapshot of the modules follows their changes in its own time.
      const OWN = /"stream":"(?:snapshot|amendment|system)-[^"]*","type":"(?!SNAPSHOT_CREATED")\w+"}$/;
      const flags = async () => (await own.texts()).filter((text) => OWN.test(text));
      const before = await flags();
      expect((await admin.send<Body>('POST', '/events/failure', report, key)).body).toEqual(body);
      expect(await flags()).toEqual(before);
      await own.dispose({ tampered: [job.job_id] });
    },
  );

  it('of a module in a job halts what the job stands on before it is answered', async () => {
    const own = await JobApp.open();
    await own.parts.app.nest.get(HaltsRuntimeModule).onModuleDestroy();
    const asker = await own.caller('TUFF');
    const { body: job } = await asker.ask('8*8');
    const report = { event_type: 'SECURITY_INCIDENT', job_id: job.job_id, node_id: 'agent:creative_v1' };
    const admin = await own.caller('ada', ['admin'], ['otp']);
    expect((await admin.send<Body>('POST', '/events/failure', report)).body).toMatchObject({ status: 'offline' });
    const { halts } = own.parts.app.nest.get(Snapshots);
    for (const id of Object.values(job.snapshots)) expect(await halts.of(id)).not.toBeNull();
    await own.dispose({ tampered: [job.job_id] });
  });

  it('is told as a halt by the bundle of the job, whose record is what was signed', async () => {
    const own = await JobApp.open();
    const { body: job } = await (await own.caller('TUFF')).ask('8*8');
    const admin = await own.caller('ada', ['admin'], ['otp']);
    await admin.send('POST', '/events/failure', { event_type: 'SECURITY_INCIDENT', job_id: job.job_id });
    const { body: bundle } = await (await own.caller('ann', ['auditor'])).get<Bundle>(`/audit/bundle/${job.job_id}`);
    expect(bundle.replay).toMatchObject({ verdict: null, error_code: 'FORCE_HALT_REPLAY' });
    const report = verifyBundle(Buffer.from(JSON.stringify(bundle)));
    expect(report).toMatchObject({ verdict: 'verified', replay: 'FORCE_HALT_REPLAY', difference: null });
    await own.dispose({ tampered: [job.job_id] });
  });
});

describe('an integrity failure that an admin reports of a job', () => {
  it('quarantines its log too, until an admin’s check finds it sound; its snapshots stay the council’s affair', async () => {
    const job = (await tuff.ask('9*9', { job_seed: 'of-a-failure' })).body;
    const log = `/reflective-logs/${job.log_id}`;
    expect((await tuff.get(log)).status).toBe(200);
    await ada.send('POST', '/events/failure', { event_type: 'INTEGRITY_FAILURE', job_id: job.job_id });
    const refused = await eventually(async () => {
      const answer = await tuff.get(log);
      return answer.status === 400 ? answer.body : null;
    });
    expect(refused.error_code).toBe('LOG_INVALID');
    expect((await tuff.send<Body>('POST', `${log}/verify`, {})).body).toMatchObject({ valid: true, quarantined: true });
    expect((await ada.send<Body>('POST', `${log}/verify`, {})).body).toMatchObject({ valid: true, quarantined: false });
    expect((await tuff.get(log)).status).toBe(200);
    for (const id of Object.values(job.snapshots)) {
      await listed(id, 'halted');
      await agreed((await clear(bob, id)).body);
    }
    expect((await replay(job.job_id)).body).toMatchObject({ verdict: 'MATCH' });
  });
});
