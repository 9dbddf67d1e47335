import { hash } from 'node:crypto';

import { type EvidenceView, ForensicStore } from '#lib/audit';
import { DamagedArtifactError } from '#lib/event-store';
import type { ErrorEnvelope } from '#lib/kernel';

import { seal } from '../../../../libs/audit/src/sealed-record.js';
import { sha256 } from '../../../../libs/event-store/src/testing/codec-support.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';

const TRIED = 'the lock of the seventh cellar';

let app: JobApp;
let admin: Caller;
let ref: string;

beforeAll(async () => {
  app = await JobApp.open();
  admin = await app.caller('ada', ['admin'], ['otp']);
  const operator = await app.caller('olga', ['operator']);
  const report = { event_type: 'POLICY_VIOLATION', node_id: 'agent:creative_v1', details: { tried: TRIED } };
  expect((await operator.send('POST', '/events/failure', report)).status).toBe(200);
  const events = await app.stream('module-agent:creative_v1');
  ref = events.find(({ type }) => type === 'POLICY_VIOLATION')!.data['evidence_ref'] as string;
});
afterAll(() => app.dispose());

function read(caller: Caller, evidence = ref) {
  return caller.get<EvidenceView & ErrorEnvelope>(`/audit/evidence/${evidence}`);
}

async function trail(): Promise<readonly string[]> {
  return (await app.stream(`forensic-${ref}`)).map(({ type, metadata }) => `${type} by ${metadata.actor.id}`);
}

describe('forensic evidence', () => {
  it('is named by hash in a signed trail of its own, and is in no event and no file in plain', async () => {
    const [kept] = await app.stream(`forensic-${ref}`);
    expect(kept).toMatchObject({
      type: 'FORENSIC_KEPT',
      data: { evidence_ref: ref, event_type: 'POLICY_VIOLATION', kid: 'forensic-evidence.fixture' },
      metadata: { event_id: sha256(`system:forensics:${ref}:0:FORENSIC_KEPT`) },
    });
    expect((await app.texts()).filter((text) => text.includes(TRIED))).toEqual([]);
    expect(Buffer.from((await app.parts.platform.artifacts.get(ref))!).includes(TRIED)).toBe(false);
  });

  it('is for an admin with a second factor, and for nobody else', async () => {
    const others: [Caller, number][] = [
      [await app.caller('ada', ['admin']), 401],
      [await app.caller('ann', ['auditor'], ['otp']), 403],
      [await app.caller('olga', ['operator'], ['otp']), 403],
      [await app.caller('cleo', ['council'], ['otp']), 403],
    ];
    for (const [caller, status] of others) expect((await read(caller)).status).toBe(status);
    expect(await trail()).toEqual(['FORENSIC_KEPT by system']);
  });

  it('is shown once the look stands in its trail', async () => {
    const { status, body } = await read(admin);
    expect([status, body.erased, body.missing]).toEqual([200, false, false]);
    expect(body.record).toMatchObject({ event_type: 'POLICY_VIOLATION', details: { tried: TRIED } });
    expect(await trail()).toEqual(['FORENSIC_KEPT by system', 'admin_access_event by user_ada']);
  });

  it('is not shown where the look cannot be recorded', async () => {
    const { events } = app.parts.platform;
    const failing = jest.spyOn(events, 'execute').mockRejectedValue(new Error('no room'));
    try {
      const { status, body } = await read(admin);
      expect(status).toBeGreaterThanOrEqual(500);
      expect(JSON.stringify(body)).not.toContain(TRIED);
    } finally {
      failing.mockRestore();
    }
  });

  it('that was altered, or that no key opens, is a failure of integrity and no bug', async () => {
    const { artifacts } = app.parts.platform;
    const get = jest.spyOn(artifacts, 'get');
    try {
      get.mockRejectedValueOnce(new DamagedArtifactError(ref));
      expect(await read(admin)).toMatchObject({ status: 409, body: { error_code: 'INTEGRITY_FAILURE' } });
      const altered = Buffer.from((await artifacts.get(ref))!);
      altered[altered.length - 1]! ^= 1;
      get.mockResolvedValueOnce(altered);
      expect(await read(admin)).toMatchObject({ status: 409, body: { error_code: 'INTEGRITY_FAILURE' } });
    } finally {
      get.mockRestore();
    }
  });

  it('of a job is withheld from everybody once a consent has ended under which the job was told something', async () => {
    const tuff = await app.caller('tuff');
    const grant = { pii_type: 'email', scope: 'persistent', consent_text: 'MACE may read my e-mail address.' };
    const { body: consent } = await tuff.send<{ consent_id: string }>('POST', '/consents', grant);
    const email = 'zebulon.quuxworthy@pennyfarthing-cycles.org';
    expect((await tuff.send('PUT', '/sem/user/profile/user_tuff/work_contact', { value: email })).status).toBe(200);
    const { body: answer } = await tuff.ask(`Is ${email} where I can be reached?`);
    const job_id = answer.job_id ?? (answer.meta['job_id'] as string);
    expect((await app.stream(`job-${job_id}`))[0]!.data['consent_ids']).toEqual([consent.consent_id]);
    const store = app.parts.app.nest.get(ForensicStore);
    const record = { event_type: 'POLICY_VIOLATION', job_id, user_id: 'user_tuff', tried: TRIED };
    const kept = await store.keep(record);
    expect((await read(admin, kept)).body).toMatchObject({ withheld: false, record });
    expect((await tuff.send('POST', `/consents/${consent.consent_id}/revoke`, {})).status).toBe(200);
    const { status, body } = await read(admin, kept);
    expect([status, body]).toEqual([200, expect.objectContaining({ withheld: true, missing: false, record: null })]);
    expect(JSON.stringify(body)).not.toContain(TRIED);
  });

  it('that was never kept is not found', async () => {
    for (const none of ['f'.repeat(64), 'none', '..%2f..%2fkeys']) expect((await read(admin, none)).status).toBe(404);
  });

  it('whose trail was written, and which a crash kept from being stored, is missing and not erased', async () => {
    const store = app.parts.app.nest.get(ForensicStore);
    const record = { event_type: 'POLICY_VIOLATION', tried: 'the eighth cellar' };
    const put = jest.spyOn(app.parts.platform.artifacts, 'put').mockRejectedValueOnce(new Error('the process ended'));
    await expect(store.keep(record)).rejects.toThrow('the process ended');
    put.mockRestore();
    const stored = await app.parts.platform.artifacts.put(seal(app.parts.platform.ring, record).bytes);
    await app.parts.platform.artifacts.delete(stored);
    expect((await read(admin, stored)).body).toMatchObject({ erased: false, missing: true, record: null });
    expect(await store.keep(record)).toBe(stored);
    expect((await read(admin, stored)).body).toMatchObject({ erased: false, missing: false, record });
  });

  it('that went with its person says so, and holds nothing any more, also where it is kept once more', async () => {
    const store = app.parts.app.nest.get(ForensicStore);
    const record = { event_type: 'POLICY_VIOLATION', tried: 'the ninth cellar' };
    const gone = await store.keep(record);
    for (let i = 0; i < 2; i++) await store.erase(gone, `dr-${'1'.repeat(32)}`);
    const types = (await app.stream(`forensic-${gone}`)).map(({ type }) => type);
    expect(types).toEqual(['FORENSIC_KEPT', 'FORENSIC_ERASED']);
    const erased = { evidence_ref: gone, erased: true, missing: false, record: null };
    expect((await read(admin, gone)).body).toMatchObject(erased);
    expect(await store.keep(record)).toBe(gone);
    expect(await app.parts.platform.artifacts.get(gone)).toBeNull();
    expect((await read(admin, gone)).body).toMatchObject(erased);
  });

  it('that is erased while it is being kept is not stored after all', async () => {
    const store = app.parts.app.nest.get(ForensicStore);
    const { artifacts } = app.parts.platform;
    const record = { event_type: 'POLICY_VIOLATION', tried: 'the tenth cellar' };
    const real = artifacts.put.bind(artifacts);
    const put = jest.spyOn(artifacts, 'put').mockImplementationOnce(async (bytes) => {
      await store.erase(hash('sha256', bytes, 'hex'), `dr-${'1'.repeat(32)}`);
      return real(bytes);
    });
    const kept = await store.keep(record);
    expect(put).toHaveBeenCalledTimes(1);
    put.mockRestore();
    expect(await artifacts.get(kept)).toBeNull();
  });
});
