import { JobApp } from '../../../../test/support/job-app.js';

/** Whether a principal may write its own keys does not depend on the way (docs/access.md, `sem.write`). */

let app: JobApp;

beforeAll(async () => {
  app = await JobApp.open();
});
afterAll(() => app.dispose());

describe('a principal’s own key', () => {
  it('is not for an agent that is no user to write, neither itself nor by way of a job', async () => {
    const bot = await app.caller('bot', ['agent']);
    const key = 'user/profile/user_bot/favorite_color';
    const direct = await bot.send('PUT', `/sem/${key}`, { value: 'blue' });
    expect([direct.status, direct.body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
    const { status, body } = await bot.ask('Remember that my favorite color is blue');
    expect([status, body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
    const events = await app.stream(`job-${body.meta['job_id'] as string}`);
    expect(events[0]!.data['asked_by']).toEqual({ id: 'user_bot', roles: ['agent'], elevated: false });
    expect(events.find(({ type }) => type === 'MEMORY_WRITE_RESULT')!.data).toMatchObject({
      ok: false,
      error_code: 'PERMISSION_DENIED',
    });
    expect(await app.stream(`sem-${key}`)).toEqual([]);
  });

  it('says, written by a job, which job that was and how far its agent was trusted; written directly nothing', async () => {
    const ivo = await app.caller('ivo');
    const path = '/sem/user/profile/user_ivo/favorite_color';
    expect((await ivo.send('PUT', path, { value: 'red' })).status).toBe(200);
    expect((await ivo.get<{ meta: object }>(path)).body.meta).toEqual({});
    const { body } = await ivo.ask('Remember that my favorite color is blue');
    const { apt } = (
      await (await app.caller('otto', ['operator'])).get<{ apt: number }>('/modules/agent:operational_v1')
    ).body;
    const read = (await ivo.get<{ value: string; meta: { trust: number; provenance_id: string } }>(path)).body;
    expect([read.value, read.meta.provenance_id]).toEqual(['blue', body.job_id]);
    expect(read.meta.trust).toBeGreaterThan(0.5);
    expect(read.meta.trust).toBeLessThanOrEqual(apt);
    expect((await ivo.get<{ log_id: string }>(`/jobs/${read.meta.provenance_id}/log`)).body.log_id).toBe(body.log_id);
    const [, written] = await app.stream('sem-user/profile/user_ivo/favorite_color');
    expect(written!.metadata).toMatchObject({ job_id: body.job_id });
    const replay = { job_id: body.job_id };
    const auditor = await app.caller('ann', ['auditor']);
    expect((await auditor.send('POST', '/replay/request', replay)).body).toMatchObject({ verdict: 'MATCH' });
  });

  it('is refused a meta that uses a name of these for something else', async () => {
    const ivo = await app.caller('ivo');
    const { status, body } = await ivo.send('PUT', '/sem/user/profile/user_ivo/pet', {
      value: 'Rex',
      meta: { trust: 2 },
    });
    expect([status, body.developer_message]).toEqual([400, 'meta.trust: a number from 0 to 1, or null']);
  });

  it.each([
    ['ua', ['user', 'agent']],
    ['uu', ['user']],
    ['aa', ['admin']],
  ] as const)('is for %s with %j to write both ways', async (name, roles) => {
    const who = await app.caller(name, [...roles]);
    const key = `user/profile/user_${name}/favorite_color`;
    expect((await who.send('PUT', `/sem/${key}`, { value: 'red' })).status).toBe(200);
    const { status, body } = await who.ask('Remember that my favorite color is blue');
    expect([status, body.error_code]).toEqual([200, undefined]);
    expect((await who.get<{ value: unknown }>(`/sem/${key}`)).body.value).toBe('blue');
    const [accepted] = await app.stream(`job-${body.job_id}`);
    const asked = roles.includes('agent' as never) ? { id: `user_${name}`, roles, elevated: false } : undefined;
    expect(accepted!.data['asked_by']).toEqual(asked);
  });

  it('is not for an agent to write or to ask for whose module is out of service, in no way, user though it is', async () => {
    const agent = await app.caller('creative_v1', ['user', 'agent']);
    const operator = await app.caller('olga', ['operator']);
    const key = 'user/profile/user_creative_v1/favorite_color';
    expect((await agent.send('PUT', `/sem/${key}`, { value: 'red' })).status).toBe(200);
    const wish = () =>
      agent.send<{ error_code?: string }>('POST', '/actionrequest/create', {
        kind: 'sem_put',
        payload: { action: 'sem_put', key: 'world/physics/ohms_law/definition', value: 'V = IR' },
        justification: 'named in three answers of today',
      });
    expect((await wish()).status).toBe(200);
    const violation = { event_type: 'POLICY_VIOLATION', node_id: 'agent:creative_v1', details: {} };
    expect((await operator.send('POST', '/events/failure', violation)).status).toBe(200);
    expect((await agent.send('PUT', `/sem/${key}`, { value: 'green' })).status).toBe(403);
    const refused = await wish();
    expect([refused.status, refused.body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
    const { status, body } = await agent.ask('Remember that my favorite color is blue');
    expect([status, body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
    expect(await app.stream(`sem-${key}`)).toHaveLength(1);
  });
});
