import { StoreUnavailableError } from '#lib/event-store';
import { CouncilHolds, type RequestView } from '#lib/governance';
import { SemWriter } from '#lib/memory';

import { eventually, until } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { type Body, expectNowhere, grant, keyOf, put, SSN } from './testing/consent-house.js';

/** What waits for the council (spec/privacy.md, "What happens"), over HTTP and on real files. */

let app: JobApp;
let tuff: Caller;
let council: readonly Caller[];

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('tuff');
  council = await Promise.all(['anna', 'ben', 'cara'].map((who) => app.caller(who, ['council'], ['otp'])));
});
afterAll(() => app.dispose());

describe('a value of high sensitivity', () => {
  it('waits for the council, which sees its type and a hash, and is written once when approved', async () => {
    const key = keyOf('ssn');
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { status, body, request } = await held(key, SSN);
    expect(status).toBe(202);
    expect(body).toEqual({ success: false, applied: false, pending: true, request_id: request.request_id, key });
    expect((await tuff.get(`/sem/${key}`)).status).toBe(400);
    expect(request).toMatchObject({ kind: 'memory_promote_request', required_approval_type: 'council_quorum' });
    expect(request.payload).toMatchObject({ key, pii_type: 'us_ssn', held: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(JSON.stringify(request)).not.toContain(SSN);
    await expectNowhere(app, SSN);

    await decide(request, 'approve');
    const { execution } = await ended(request.request_id, 'executed');
    expect(execution).toMatchObject({ result: { key, applied: true } });
    expect((await tuff.get(`/sem/${key}`)).body).toMatchObject({ value: SSN, source: 'user' });
    expect((await app.stream(`sem-${key}`)).length).toBe(1);
    await gone(request);
    await expectNowhere(app, SSN);
  });

  it.each(['approve', 'reject'] as const)(
    'answers the same request again as before, after the council has said %s',
    async (vote) => {
      const key = keyOf('again');
      await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
      const idempotencyKey = `again-${vote}`;
      const first = await put<Body>(tuff, key, SSN, idempotencyKey);
      const request = await requestOf(first.body['request_id'] as string);
      await decide(request, vote);
      await ended(request.request_id, vote === 'approve' ? 'executed' : 'rejected');
      expect(await put(tuff, key, SSN, idempotencyKey)).toMatchObject({ status: 202, body: first.body });
      expect(await put(tuff, key, 'another', idempotencyKey)).toMatchObject({
        status: 422,
        body: { error_code: 'IDEMPOTENCY_KEY_REUSED' },
      });
    },
  );

  it('is written once where the process ended between its writing and the record of it', async () => {
    const key = keyOf('twice');
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { request } = await held(key, SSN);
    const writer = app.parts.app.nest.get(SemWriter);
    const write = writer.put.bind(writer);
    const put = jest.spyOn(writer, 'put').mockImplementationOnce(async (asked) => {
      await write(asked);
      throw new StoreUnavailableError('the process ended here');
    });
    await decide(request, 'approve');
    await ended(request.request_id, 'executed');
    expect(put).toHaveBeenCalledTimes(2);
    put.mockRestore();
    expect((await app.stream(`sem-${key}`)).map(({ type }) => type)).toEqual(['SEM_PUT']);
    expect((await tuff.get(`/sem/${key}`)).body).toMatchObject({ value: SSN });
    await gone(request);
  });

  it('does not replace what its owner wrote under the key while it waited', async () => {
    const key = keyOf('since');
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { request } = await held(key, SSN);
    const asked = Date.now();
    await until(async () => Date.now() > asked);
    expect((await put(tuff, key, 'none')).status).toBe(200);
    await decide(request, 'approve');
    const { execution } = await ended(request.request_id, 'executed');
    expect(execution).toMatchObject({ result: { key, applied: false } });
    expect((await tuff.get(`/sem/${key}`)).body).toMatchObject({ value: 'none' });
    await gone(request);
  });

  it('is destroyed when it is refused, and nothing is written', async () => {
    const key = keyOf('refused');
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { request } = await held(key, SSN);
    await decide(request, 'reject');
    await ended(request.request_id, 'rejected');
    await gone(request);
    expect(await app.stream(`sem-${key}`)).toEqual([]);
  });

  it('is not written where its consent was revoked meanwhile, and is destroyed', async () => {
    const zoe = await app.caller('zoe');
    const key = 'user/profile/user_zoe/ssn';
    const consent_id = await grant(zoe, { pii_type: 'us_ssn', scope: 'persistent' });
    const request = await requestOf((await put<Body>(zoe, key, SSN)).body['request_id'] as string);
    await zoe.send('POST', `/consents/${consent_id}/revoke`, {});
    await decide(request, 'approve');
    await until(async () => (await requestOf(request.request_id)).execution !== null);
    const { execution } = await requestOf(request.request_id);
    expect(execution).toMatchObject({ error_code: 'PRIVACY_BLOCKED' });
    await gone(request);
    expect(await app.stream(`sem-${key}`)).toEqual([]);
  });

  it('is not to be had by asking for somebody’s held value oneself', async () => {
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { request } = await held(keyOf('stolen'), SSN);
    const payload = { action: 'memory_promote_request', ...request.payload, key: 'user/profile/user_eve/stolen' };
    const forged = await (
      await app.caller('solver', ['agent'])
    ).send('POST', '/actionrequest/create', {
      kind: 'memory_promote_request',
      payload,
      justification: 'wanted',
    });
    expect([forged.status, forged.body.error_code]).toEqual([400, 'INVALID_INPUT']);
  });

  it('that a crash left without a request is destroyed at the next start, and one that waits is not', async () => {
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { request } = await held(keyOf('waiting'), SSN);
    const propose = jest.spyOn(app.parts.app.nest.get(CouncilHolds)['proposals'], 'propose');
    propose.mockRejectedValue(new Error('the process ended here'));
    expect((await put(tuff, keyOf('orphaned'), SSN)).status).toBe(500);
    propose.mockRestore();
    const before = await heldKeys();
    await app.whileClosed(() => undefined);
    await until(async () => (await heldKeys()).length < before.length);
    expect(await heldKeys()).toContain(request.request_id);
    await decide(request, 'approve');
    await ended(request.request_id, 'executed');
    await gone(request);
  });

  it('is destroyed when its time is over without a decision, also where no process was there to see it', async () => {
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { request } = await held(keyOf('overdue'), SSN);
    const clock = jest.spyOn(Date, 'now');
    try {
      await app.whileClosed(() => void clock.mockReturnValue(Date.parse(request.due_at) + 1));
      await gone(request);
      const types = (await app.stream(`actionrequest-${request.request_id}`)).map(({ type }) => type);
      expect(types.at(-1)).toMatch(/^ACTION_(EXPIRED|REJECTED)$/);
    } finally {
      // What was opened at that time keeps its clock.
      await app.whileClosed(() => clock.mockRestore());
    }
    expect(await app.stream(`sem-${request.payload['key'] as string}`)).toEqual([]);
  });

  it('that a job would store is not stored by it, and by the council’s approval all the same', async () => {
    const ivy = await app.caller('ivy');
    await grant(ivy, { pii_type: 'us_ssn', scope: 'job', job_seed: 'ivy-1' });
    const { status, body } = await ivy.ask(`Remember that my SSN is ${SSN}`, { job_seed: 'ivy-1' });
    expect([status, body.error_code]).toEqual([403, 'PRIVACY_BLOCKED']);
    expect(body.developer_message).toBe('the memory write failed: COUNCIL_PENDING');
    const request = await eventually(async () => {
      const { items } = (await council[0]!.get<{ items: RequestView[] }>('/actionrequest?limit=200')).body;
      const own = await Promise.all(items.map(({ request_id }) => requestOf(request_id)));
      return own.find(({ requested_by }) => requested_by === 'user_ivy');
    }, 'the request of ivy');
    expect(request.payload).toMatchObject({ key: 'user/profile/user_ivy/ssn', pii_type: 'us_ssn' });
    await decide(request, 'approve');
    await ended(request.request_id, 'executed');
    expect((await ivy.get('/sem/user/profile/user_ivy/ssn')).body).toMatchObject({ value: SSN });
    await expectNowhere(app, SSN);
  });
});

async function held(key: string, value: string) {
  const { status, body } = await put<Body>(tuff, key, value);
  return { status, body, request: await requestOf(body['request_id'] as string) };
}

async function requestOf(id: string): Promise<RequestView> {
  return (await council[0]!.get<RequestView>(`/actionrequest/${id}`)).body;
}

async function decide({ request_id, proposal_digest }: RequestView, vote: 'approve' | 'reject'): Promise<void> {
  for (const member of council)
    await member.send('POST', `/actionrequest/${request_id}/vote`, { vote, proposal_digest });
}

async function ended(id: string, status: RequestView['status']): Promise<RequestView> {
  await until(async () => (await requestOf(id)).status === status);
  return requestOf(id);
}

/** Neither a key nor anything that it would open is left. */
async function gone({ request_id, payload }: RequestView): Promise<void> {
  const { artifacts } = app.parts.platform;
  await until(async () => !(await heldKeys()).includes(request_id));
  await until(async () => (await artifacts.get(payload['held'] as string)) === null);
}

async function heldKeys(): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of app.parts.app.nest.get(CouncilHolds)['values'].held()) ids.push(id);
  return ids;
}
