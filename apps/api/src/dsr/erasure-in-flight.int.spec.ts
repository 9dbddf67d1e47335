import { ForensicStore } from '#lib/audit';
import type { SubjectKeyStore } from '#lib/event-store';
import { jobId as jobIdOf, queryId, traceId } from '#lib/kernel';

import { eventually, until } from '../../../../test/support/eventually.js';
import { type Caller } from '../../../../test/support/job-app.js';
import { SUBJECT_KEY_STORE } from '../platform.tokens.js';
import { type Body, COLOR, DsrHouse } from './testing/dsr-house.js';

let house: DsrHouse;

describe('a legal hold', () => {
  beforeAll(async () => {
    house = await DsrHouse.open();
  });
  afterAll(() => house.app.dispose());

  it('is an elevated admin’s, on evidence by its name, once; its evidence stays and the rest of the person’s goes', async () => {
    const store = house.app.parts.app.nest.get(ForensicStore);
    const keep = (what: string) => store.keep({ event_type: 'POLICY_VIOLATION', user_id: 'user_tuff', what });
    const [held, free] = [await keep('zinfandel one'), await keep('zinfandel two')];
    const place = (by: Caller, body: Body) => by.send<Body>('POST', '/dsr/holds', body);
    const hold = { evidence_ref: held, reason: 'preservation order 12' };
    expect((await place(house.tuff, hold)).status).toBe(403);
    expect((await place(await house.app.caller('ada', ['admin']), hold)).status).toBe(401);
    expect((await place(house.admin, { ...hold, evidence_ref: 'x' })).body['error_code']).toBe('INVALID_INPUT');
    expect((await place(house.admin, { ...hold, reason: 'SSN 523-45-6789' })).body['error_code']).toBe(
      'PRIVACY_BLOCKED',
    );
    const placed = await place(house.admin, hold);
    expect(placed).toMatchObject({ status: 200, body: { ...hold, placed_by: 'user_ada' } });
    expect((await place(house.admin, { ...hold, reason: 'another' })).body).toEqual(placed.body);
    await house.tuff.send('PUT', `/sem/${COLOR}`, { value: 'blue' });
    const id = await house.filed('delete');
    await house.admin.send('POST', `/dsr/${id}/approve`, {});
    await house.keysDestroyed(id);
    house.pass(31_000);
    const { deletion_manifest: manifest } = await house.reaches(id, 'erased');
    expect(manifest!.forensic).toEqual([
      { evidence_ref: held, fate: 'kept', legal_hold: placed.body['hold_id'] },
      { evidence_ref: free, fate: 'purged', legal_hold: null },
    ]);
    const { artifacts } = house.app.parts.platform;
    expect([(await artifacts.get(held)) === null, await artifacts.get(free)]).toEqual([false, null]);
    expect((await house.app.stream(`forensic-${free}`)).map(({ type, data }) => [type, data['dsr_id']])).toEqual([
      ['FORENSIC_KEPT', undefined],
      ['FORENSIC_ERASED', id],
    ]);
    expect((await house.admin.get<Body>(`/audit/evidence/${free}`)).body).toMatchObject({
      erased: true,
      missing: false,
    });
    expect((await house.admin.get<Body>(`/audit/evidence/${held}`)).body).toMatchObject({
      erased: false,
      missing: false,
    });

    const shown = () => house.admin.get<Body>('/dsr/holds');
    expect((await house.tuff.get('/dsr/holds')).status).toBe(403);
    const none = { lifted_by: null, lifted_at: null, lifted_because: null };
    expect((await shown()).body['items']).toEqual([{ ...placed.body, ...none }]);
    const path = `/dsr/holds/${String(placed.body['hold_id'])}/lift`;
    const lift = (by: Caller, reason: string, key = 'l-1') =>
      by.send<Body>('POST', path, { reason }, { 'idempotency-key': key });
    expect((await lift(house.tuff, 'done')).status).toBe(403);
    expect((await lift(await house.app.caller('ada', ['admin']), 'done')).status).toBe(401);
    expect((await lift(house.clerk, 'SSN 523-45-6789', 'l-0')).body['error_code']).toBe('PRIVACY_BLOCKED');
    const unknown = `/dsr/holds/lh-${'0'.repeat(32)}/lift`;
    expect((await house.clerk.send<Body>('POST', unknown, { reason: 'r' })).body['error_code']).toBe('NOT_FOUND');
    const lifted = await lift(house.clerk, 'the case is closed');
    expect(lifted).toMatchObject({
      status: 200,
      body: { ...placed.body, lifted_by: 'user_clara', lifted_because: 'the case is closed' },
    });
    expect((await lift(house.clerk, 'the case is closed')).body).toEqual(lifted.body);
    expect((await lift(house.clerk, 'the case is closed', 'l-2')).body['error_code']).toBe('CONFLICT');
    expect((await shown()).body['items']).toEqual([lifted.body]);
    await until(async () => (await artifacts.get(held)) === null, 'the end of what the hold kept');
    expect((await house.app.stream(`forensic-${held}`)).at(-1)).toMatchObject({
      type: 'FORENSIC_ERASED',
      data: { dsr_id: id },
    });
  });
});

describe('a job that was under way', () => {
  const SEED = 'left-by-a-crash';
  const LEFT = jobIdOf(SEED);

  beforeAll(async () => {
    house = await DsrHouse.open();
  });
  let sealed: string;
  afterAll(() => house.app.dispose({ tampered: [LEFT], erased: [sealed] }));

  it('of a person who is erased is closed as failed, and nothing of what was asked is left', async () => {
    const { events } = house.app.parts.platform;
    const { body: whole } = await house.tuff.ask('What is my favorite color?');
    sealed = whole.meta['job_id'] as string;
    const [accepted, pinned] = await house.app.stream(`job-${sealed}`);
    const begun = { ...accepted!.data, job_id: LEFT, query_id: queryId(SEED), query_text: 'a question of zinfandel' };
    await events.append(
      { stream: `job-${LEFT}`, version: 0, lastHash: '0'.repeat(64) },
      [
        { type: 'JOB_ACCEPTED', data: begun },
        { type: 'SNAPSHOTS_PINNED', data: pinned!.data },
      ],
      { jobSeed: SEED, sequenceIndex: 0, actor: accepted!.metadata.actor, jobId: LEFT, traceId: traceId(SEED) },
    );
    const id = await house.filed('delete');
    await house.admin.send('POST', `/dsr/${id}/approve`, {});
    await house.keysDestroyed(id);
    house.pass(31_000);
    const { deletion_manifest: manifest } = await house.reaches(id, 'erased');
    expect(manifest!.jobs_closed).toEqual([LEFT]);
    const closed = await eventually(async () => {
      const { body } = await house.tuff.get(`/jobs/${LEFT}`);
      return body.status === 'running' ? null : body;
    });
    expect(closed).toMatchObject({ status: 'failed', replayable: false, final_answer: null });
    expect(await house.app.stream(`job-${LEFT}`)).toMatchObject([
      { type: 'JOB_ACCEPTED', data: { query_text: { $erased: true } } },
      { type: 'SNAPSHOTS_PINNED' },
      {
        type: 'REFLECTIVE_LOG_WRITTEN',
        data: { status: 'failed', missing_artifacts: ['input:query_text'] },
      },
      { type: 'JOB_SEALED' },
    ]);
    expect((await house.tuff.get(`/jobs/${LEFT}/log`)).status).toBe(200);
  });
});

describe('a value that waits for the council', () => {
  beforeAll(async () => {
    house = await DsrHouse.open();
  });
  afterAll(() => house.app.dispose());

  it('goes with its owner: its key, what that opened, and the manifest says so', async () => {
    const terms = { pii_type: 'us_ssn', scope: 'persistent', consent_text: 'Keep it.' };
    const waits = async (by: Caller, name: string): Promise<{ key: string; held: string }> => {
      expect((await by.send('POST', '/consents', terms)).status).toBe(200);
      const { body } = await by.send<Body>('PUT', `/sem/user/profile/${name}/ssn`, { value: '536-22-8145' });
      const [asked] = await house.app.stream(`actionrequest-${String(body['request_id'])}`);
      return { key: `held-${String(body['request_id'])}`, held: (asked!.data['payload'] as { held: string }).held };
    };
    const [gone, stays] = [await waits(house.tuff, 'user_tuff'), await waits(house.eve, 'user_eve')];
    const { subjectKeys, artifacts } = house.app.parts.platform;
    const isThere = async ({ key, held }: { key: string; held: string }) => [
      (await subjectKeys.listFor(key)).some(({ state }) => state === 'present'),
      (await artifacts.get(held)) !== null,
    ];
    expect([await isThere(gone), await isThere(stays)]).toEqual([
      [true, true],
      [true, true],
    ]);
    const id = await house.filed('delete');
    expect((await house.admin.send('POST', `/dsr/${id}/approve`, {})).status).toBe(200);
    await house.keysDestroyed(id);
    house.pass(31_000);
    const { deletion_manifest: manifest } = await house.reaches(id, 'erased');
    expect([await isThere(gone), await isThere(stays)]).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(manifest!.places).toContainEqual({
      kind: 'scratch',
      name: 'values that wait for the council',
      found: null,
      fate: 'purged',
    });
  });
});

describe('an erasure that ends with the process', () => {
  beforeAll(async () => {
    house = await DsrHouse.open();
  });
  afterAll(() => house.app.dispose());

  it('in its wait goes on at the next start', async () => {
    await house.tuff.send('PUT', `/sem/${COLOR}`, { value: 'blue' });
    const id = await house.filed('delete');
    await house.admin.send('POST', `/dsr/${id}/approve`, {});
    await house.keysDestroyed(id);
    await house.app.whileClosed(() => {
      house.pass(31_000);
    });
    await house.enter();
    await house.reaches(id, 'erased');
    expect((await house.app.stream(`dsr-${id}`)).filter(({ type }) => type === 'SUBJECT_ERASED')).toHaveLength(1);
    // Whoever was erased may come back once that is on record, which is a step of its own.
    await until(
      async () => (await house.tuff.send('PUT', `/sem/${COLOR}`, { value: 'white' })).status === 200,
      'readmission',
    );
  });

  it('that fails holds up no other, and is an incident until it ends, which readiness shows', async () => {
    const { nest } = house.app.parts.app;
    const keys = nest.get<SubjectKeyStore>(SUBJECT_KEY_STORE);
    const refuse = keys.refuse.bind(keys);
    const failing = jest
      .spyOn(keys, 'refuse')
      .mockImplementation((who) => (who === 'user_tuff' ? Promise.reject(new Error('no')) : refuse(who)));
    const approved = async (by: Caller, who: string): Promise<string> => {
      expect((await by.send('PUT', `/sem/user/profile/user_${who}/pet`, { value: 'dog' })).status).toBe(200);
      const id = await house.filed('delete', who);
      expect((await house.admin.send('POST', `/dsr/${id}/approve`, {})).status).toBe(200);
      return id;
    };
    const stuck = await approved(house.tuff, 'tuff');
    await house.keysDestroyed(await approved(house.eve, 'eve'));
    const ole = await house.app.caller('ole', ['operator']);
    const incident = async (): Promise<Body | undefined> =>
      (await ole.get<{ items: Body[] }>('/incidents')).body.items.find(
        ({ cause }) => (cause as Body)['stream'] === `dsr-${stuck}`,
      );
    await until(async () => (await incident()) !== undefined, 'the incident');
    expect(await incident()).toMatchObject({ severity: 'error', status: 'open', cause: { type: 'DSR_APPROVED' } });
    const shown = async (): Promise<string> => JSON.stringify((await ole.get<Body>('/health/ready')).body['degraded']);
    await until(async () => (await shown()).includes('1 of DSR_APPROVED (error)'), 'what readiness says');
    house.pass(31_000);
    failing.mockRestore();
    // What is owed is tried with whatever comes.
    await approved(await house.app.caller('uma'), 'uma');
    await house.keysDestroyed(stuck);
    await until(async () => (await incident())?.['status'] === 'closed', 'the end of the incident');
  });
});
