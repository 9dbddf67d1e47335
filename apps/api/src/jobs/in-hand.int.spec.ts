import { jobId as jobIdOf, queryId, replayId, replaySeed, traceId } from '#lib/kernel';

import { until } from '../../../../test/support/eventually.js';
import { type AnyBody, type Answer, type Caller, JobApp } from '../../../../test/support/job-app.js';

/** Requests that a job or a replay under way stands in the way of, and nothing else: they succeed once it has ended. */

const SEED = 'left-running';
const RUNNING = jobIdOf(SEED);
const REPLAY = replayId(SEED);

let app: JobApp;
let tuff: Caller;
let auditor: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  [tuff, auditor] = await Promise.all([app.caller('tuff'), app.caller('ann', ['auditor'])]);
  const { body: sealed } = await tuff.ask('What is 2 + 2?');
  const [accepted, pinned] = await app.stream(`job-${sealed.job_id}`);
  const begun = { ...accepted!.data, job_id: RUNNING, query_id: queryId(SEED) };
  const left = { sequenceIndex: 0, actor: accepted!.metadata.actor, traceId: traceId(SEED) };
  await app.parts.platform.events.append(
    { stream: `job-${RUNNING}`, version: 0, lastHash: '0'.repeat(64) },
    [
      { type: 'JOB_ACCEPTED', data: begun },
      { type: 'SNAPSHOTS_PINNED', data: pinned!.data },
    ],
    { ...left, jobSeed: SEED, jobId: RUNNING },
  );
  const asked = { replay_id: REPLAY, job_id: sealed.job_id, mode: 'audit', mocked: [], actor_id: 'user_ann' };
  await app.parts.platform.events.append(
    { stream: `replay-${REPLAY}`, version: 0, lastHash: '0'.repeat(64) },
    [{ type: 'REPLAY_REQUEST', data: { ...asked, requested_at: new Date(0).toISOString() } }],
    { ...left, jobSeed: replaySeed(REPLAY) },
  );
});
afterAll(() => app.dispose({ unsealed: [RUNNING] }));

const WAITING: Readonly<Record<string, () => Promise<Answer<AnyBody>>>> = {
  'the log of a job': () => tuff.get(`/jobs/${RUNNING}/log`),
  'feedback to a job': () => tuff.send('POST', `/jobs/${RUNNING}/feedback`, { upvote: true }),
  'the review of a job': () => tuff.send('POST', `/jobs/${RUNNING}/review`, {}),
  'the replay of a job': () => auditor.send('POST', '/replay/request', { job_id: RUNNING, mode: 'audit' }),
  'the bundle of a job': () => auditor.get(`/audit/bundle/${RUNNING}`),
  'a replay that has no result yet': () => auditor.get(`/replay/${REPLAY}`),
};

it.each(Object.keys(WAITING))('%s: 409 with Retry-After while it runs', async (name) => {
  const { status, headers, body } = await WAITING[name]!();
  expect([status, body.error_code, headers['retry-after']]).toEqual([409, 'CONFLICT', '1']);
  expect(body.developer_message).toContain('still runs');
});

it('is listed by how it stands and when it was asked for, to whom it belongs and to those who audit', async () => {
  const listed = async (who: Caller, query: string): Promise<AnyBody> => (await who.get(`/jobs?${query}`)).body;
  expect((await listed(auditor, 'status=running')).items).toMatchObject([{ job_id: RUNNING, duration_ms: null }]);
  const { items } = await listed(tuff, 'status=completed&replayable=true&agent=math_agent');
  expect(items).toMatchObject([{ error_code: null, duration_ms: expect.any(Number) }]);
  const from = (items[0] as unknown as { readonly created_at: string }).created_at;
  expect((await listed(auditor, `from_time=${from}`)).items).toHaveLength(2);
  expect((await listed(auditor, `to_time=${from}`)).items).toEqual([]);
  expect((await listed(auditor, 'error_code=NONSENSE')).developer_message).toContain('AGENT_TIMEOUT');
  expect((await listed(auditor, 'from_time=yesterday')).error_code).toBe('INVALID_INPUT');
});

it('is counted when it began, and once it has ended, for those who operate', async () => {
  type Counts = { readonly counts: readonly { readonly begun: number; readonly completed: number }[] };
  const sum = async (): Promise<number[]> => {
    const { counts: items } = (await auditor.get<Counts>('/jobs/counts?step=60')).body;
    return [items.reduce((all, { begun }) => all + begun, 0), items.reduce((all, { completed }) => all + completed, 0)];
  };
  await until(async () => (await sum())[0] === 2, 'both jobs among those that began');
  expect(await sum()).toEqual([2, 1]);
  expect((await tuff.get('/jobs/counts')).status).toBe(403);
  expect((await auditor.get('/jobs/counts?step=61')).body.error_code).toBe('INVALID_INPUT');
});

it('says the same over GraphQL', async () => {
  const query = `mutation ($id: String!) {
    jobFeedback(job_id: $id, input: { upvote: true }) { __typename ... on Conflict { retry_after } }
  }`;
  const { body } = await tuff.send<object>('POST', '/graphql', { query, variables: { id: RUNNING } });
  expect(body).toEqual({ data: { jobFeedback: { __typename: 'Conflict', retry_after: 1 } } });
});
