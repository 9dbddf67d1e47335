import { keyFileIn, readKeyFile, rotateKey } from '#lib/access';
import type { DsrView } from '#lib/dsr';
import { emptyHead, EventCodec, isEncrypted } from '#lib/event-store';
import { snapshotStream } from '#lib/governance';
import { jobStream } from '#lib/jobs';
import { type DomainEvent, type JsonObject, KeyRing } from '#lib/kernel';
import type { ReplayResult } from '#lib/replay';
import { type Bundle, ERASURE_FORMAT, verifyBundle } from '#lib/verifier';

import { eventually } from '../support/eventually.js';
import { type Answer, type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { resign, resignStored, rewriteTexts } from '../support/resigning.js';

/** Replays of somebody who was erased: what needs no erased words is compared as for anybody. */

let clock = Date.now();
let app: JobApp;
let tuff: Caller;
let auditor: Caller;
const tampered: string[] = [];
const erased: string[] = [];

const FORGED: readonly (readonly [string, JsonObject, string, string])[] = [
  ['SNAPSHOTS_PINNED', { detector_version: '77' }, 'SNAPSHOTS_PINNED', '/data/detector_version'],
  ['QCP_CLASSIFIED', { depth_level: 2 }, 'QCP_CLASSIFIED', '/data/depth_level'],
  ['ROUTER_DECISION', { depth: 2 }, 'ROUTER_DECISION', '/data/depth'],
  ['COUNCIL_VOTE', { approve: false }, 'COUNCIL_DECISION', '/data/approvals'],
  ['COUNCIL_DECISION', { outcome: 'rejected' }, 'COUNCIL_DECISION', '/data/outcome'],
  ['COUNCIL_DECISION', { final_confidence: 0.1 }, 'COUNCIL_DECISION', '/data/final_confidence'],
  ['BRAINSTATE_TICK', { brainstate_id: 'bs:other' }, 'BRAINSTATE_TICK', '/data/brainstate_id'],
  ['REFLECTIVE_LOG_WRITTEN', { status: 'failed' }, 'REFLECTIVE_LOG_WRITTEN', '/data/status'],
  ['REFLECTIVE_LOG_WRITTEN', { final_confidence: 0.01 }, 'REFLECTIVE_LOG_WRITTEN', '/data/final_confidence'],
];

beforeAll(async () => {
  app = await JobApp.open({ now: () => clock });
  [tuff, auditor] = [await app.caller('TUFF'), await app.caller('ann', ['auditor'])];
  for (const [type, change] of FORGED) {
    const id = await asked();
    await resign(app, jobStream(id), type, change);
    tampered.push(id);
  }
  for (const query of [
    '6*7',
    'Remember that my favorite color is blue',
    'What is my favorite color?',
    'my ssn is 078-05-1120',
  ])
    erased.push(await asked(query));
  await erase('user_tuff');
  auditor = await app.caller('ann', ['auditor']);
});
afterAll(() => app.dispose({ tampered, erased }));

async function asked(query = '6*7'): Promise<string> {
  const { body } = await tuff.ask(query);
  return body.job_id ?? (body.meta['job_id'] as string);
}

function replay<T = ReplayResult>(job_id: string, mode = 'audit'): Promise<Answer<T>> {
  return auditor.send<T>('POST', '/replay/request?unredacted=true', { job_id, mode });
}

describe('a job of somebody who was erased', () => {
  it.each(FORGED.map(([type, change, at, pointer], i) => ({ type, change, at, pointer, i })))(
    'differs where $type was changed to $change and signed again',
    async ({ at, pointer, i }) => {
      for (const mode of ['audit', 'reexecute', 'production']) {
        const { status, body } = await replay(tampered[i]!, mode);
        expect([status, body.verdict, body.authoritative]).toEqual([200, 'MISMATCH', true]);
        expect(body.divergence).toMatchObject({ event_type: at, pointer });
      }
    },
  );

  it('is told step by step: what was computed again, and what was erased and could not be', async () => {
    for (const mode of ['audit', 'reexecute', 'production']) {
      const { body } = await replay(erased[0]!, mode);
      expect([body.verdict, body.authoritative]).toEqual(['MATCH_WITH_ERASED_INPUTS', true]);
      expect(Object.fromEntries(body.steps.map(({ step, verdict }) => [step, verdict]))).toEqual({
        'signatures and hash chain': 'ok',
        seal: 'ok',
        ids: 'ok',
        'log references': 'erased',
        quarantine: 'ok',
        'erased inputs': 'ok',
        snapshots: 'ok',
        'trust reductions': 'ok',
        'request and pinned snapshots': 'erased',
        classification: 'erased',
        'router decisions': 'ok',
        'agent turns': 'erased',
        'council decisions': 'ok',
        'brainstate ticks': 'erased',
        notices: 'erased',
        'final answer': 'erased',
        'reflective log and seal': 'erased',
        'merkle log': 'ok',
      });
    }
  });

  it('matches whatever it met: a memory written, a memory read, a question that was blocked', async () => {
    for (const id of erased) expect((await replay(id)).body.verdict).toBe('MATCH_WITH_ERASED_INPUTS');
  });
});

describe('the bundle of a job of somebody who was erased', () => {
  it('proves by the log itself that what cannot be read was erased', async () => {
    for (const id of erased) {
      const { status, body } = await auditor.get<Bundle>(`/audit/bundle/${id}`);
      expect([status, body.format]).toEqual([200, ERASURE_FORMAT]);
      const report = verifyBundle(Buffer.from(JSON.stringify(body)));
      expect([report.verdict, report.replay, report.difference]).toEqual([
        'verified',
        'MATCH_WITH_ERASED_INPUTS',
        null,
      ]);
      expect(report.erasure).toEqual({ keys: 1, proven: 1, erased_at: expect.any(String) });
    }
  });
});

describe('a job of somebody who came back after an erasure', () => {
  it('is no erased one where the key that was destroyed then is put in the place of the new one', async () => {
    const stream = jobStream(erased[0]!);
    const [before] = (await app.parts.platform.eventStore.readStream(stream, { limit: 1 })).events;
    const old = /"kid":"(user_tuff\.[^"]*)"/.exec(before!.text)![1]!;
    const { body: job } = await (await app.caller('TUFF')).ask('6*7');
    expect((await replay(job.job_id)).body.verdict).toBe('MATCH');
    tampered.push(job.job_id);
    await resignStored(app, jobStream(job.job_id), ({ data, ...envelope }) => {
      const own = Object.entries(data).map(([name, value]) =>
        isEncrypted(value) ? [name, { $enc: { ...value.$enc, kid: old } }] : [name, value],
      );
      return { ...envelope, data: Object.fromEntries(own) as JsonObject };
    });
    const { status, body } = await replay<AnyBody>(job.job_id);
    expect([status, body.error_code, body.developer_message]).toEqual([
      409,
      'INTEGRITY_FAILURE',
      'a part of it is encrypted under a key that was destroyed before the job',
    ]);
  });
});

describe('a key that was retired', () => {
  it('proves what it signed before, and nothing that stands after it', async () => {
    const before = new KeyRing(readKeyFile(keyFileIn(app.folder)));
    await app.whileClosed(() => void rotateKey(keyFileIn(app.folder), 'event-hmac', Date.now()));
    auditor = await app.caller('ann', ['auditor']);
    expect((await replay(erased[0]!)).body.verdict).toBe('MATCH_WITH_ERASED_INPUTS');
    const { body: job } = await (await app.caller('tom')).ask('6*7');
    expect((await replay(job.job_id)).body.verdict).toBe('MATCH');
    await signWith(before, job.job_id);
    const { status, body } = await replay<AnyBody>(job.job_id);
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    expect(body.developer_message).toMatch(/^event 0 \(JOB_ACCEPTED\): key \S+ was retired before, and signs no more$/);
    tampered.push(job.job_id);
    await snapshotSignedWith(before);
  });

  /** A snapshot that was made after the rotation, signed by somebody who got hold of an old key file. */
  async function snapshotSignedWith(ring: KeyRing): Promise<void> {
    const operator = await app.caller('olga', ['operator']);
    const report = { event_type: 'POLICY_VIOLATION', node_id: 'agent:creative_v1' };
    expect((await operator.send('POST', '/events/failure', report)).status).toBe(200);
    const { body: job } = await (await app.caller('tom')).ask('6*5');
    tampered.push(job.job_id);
    expect((await replay(job.job_id)).body.verdict).toBe('MATCH');
    const selfrep = job.snapshots['selfrep']!;
    await resignStored(app, snapshotStream(selfrep), (envelope) => envelope, undefined, ring);
    const { status, body } = await replay<AnyBody>(job.job_id);
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    expect(body.developer_message).toMatch(new RegExp(`^snapshot ${selfrep}: key \\S+ was retired before`));
  }

  /** Signs a job's record again, as somebody does who got hold of the file and of an old key file. */
  async function signWith(ring: KeyRing, id: string): Promise<void> {
    const { registry, ciphers } = app.parts.platform;
    const codec = new EventCodec(registry, ring, ciphers);
    const events = await app.stream(jobStream(id));
    const { job_seed: jobSeed, job_id: jobId, actor, request_digest: requestDigest, trace_id } = events[0]!.metadata;
    const plain = events.map((event): DomainEvent => ({ type: event.type, data: codec.withoutSeal(event) }));
    const by = {
      jobSeed,
      actor,
      sequenceIndex: 0,
      traceId: trace_id,
      ...(jobId === undefined ? {} : { jobId }),
      ...(requestDigest === undefined ? {} : { requestDigest }),
    };
    const texts = codec.encode(emptyHead(jobStream(id)), plain, by, await codec.prepare(plain)).map(({ text }) => text);
    rewriteTexts(app.folder, jobStream(id), texts);
  }
});

async function erase(user_id: string): Promise<void> {
  const [first, second] = await Promise.all(['ada', 'clara'].map((admin) => app.caller(admin, ['admin'], ['otp'])));
  const identity_proof = { document_ref: 'passport-1', reason: 'seen at the counter' };
  const { body: filed } = await first!.send<DsrView>('POST', '/dsr/request', {
    kind: 'delete',
    user_id,
    identity_proof,
  });
  expect((await second!.send('POST', `/dsr/${filed.dsr_id}/approve`, {})).status).toBe(200);
  const until = (wanted: (view: DsrView) => boolean) =>
    eventually(async () => {
      const { body } = await first!.get<DsrView>(`/dsr/${filed.dsr_id}`);
      return wanted(body) ? body : null;
    });
  await until(({ keys_destroyed_at }) => keys_destroyed_at !== null);
  clock += 31_000;
  await until(({ status }) => status === 'erased');
}
