import { type JobFilter, jobsProjection } from '#lib/jobs';
import { givenEvents, type ReadModel } from '#lib/projections';
import type { FindOptions } from '#lib/read-store';

import { ProjectedJobList } from './job-read-models.js';

type Given = Parameters<typeof givenEvents>[1];

/** Asked for in the n-th second of a minute. */
const at = (n: number): string => `2026-11-21T12:00:${String(n).padStart(2, '0')}.000Z`;

const asked = (n: number, user_id = 'user_ann'): Given => ({
  type: 'JOB_ACCEPTED',
  stream: `job-j${n}`,
  data: { job_id: `j${n}`, user_id, created_at: at(n) },
  metadata: { job_seed: `s${n}` },
});
const ended = (n: number, log: Record<string, string | boolean>, recorded_at = at(n)): Given => ({
  type: 'REFLECTIVE_LOG_WRITTEN',
  stream: `job-j${n}`,
  data: {
    job_id: `j${n}`,
    log_id: `l${n}`,
    status: 'completed',
    error_code: null,
    agent_id: 'math_agent',
    route_reason: null,
    final_confidence: 1,
    replayable: true,
    snapshots: {},
    ...log,
  },
  metadata: { recorded_at },
});
const TIMED_OUT = { status: 'failed', error_code: 'AGENT_TIMEOUT', agent_id: 'web_agent' };

async function listed(events: readonly Given[], filter: Partial<JobFilter> & { userId?: string }) {
  const list = new ProjectedJobList(await givenEvents(jobsProjection, ...events).readModel());
  return list.page({ userId: null, limit: 50, ...filter });
}
const idsOf = async (events: readonly Given[], filter: Parameters<typeof listed>[1]) =>
  (await listed(events, filter)).items.map(({ job_id }) => job_id);

const SOME = [
  asked(1),
  asked(2, 'user_bob'),
  asked(3),
  asked(4),
  asked(5),
  ended(1, TIMED_OUT),
  ended(2, TIMED_OUT),
  ended(4, {}),
  ended(5, { replayable: false }),
];

describe('jobs that are listed', () => {
  it.each<[string, Parameters<typeof listed>[1], string[]]>([
    ['how they stand', { status: 'running' }, ['j3']],
    ['the agent', { agent: 'math_agent' }, ['j5', 'j4']],
    ['the error', { error_code: 'AGENT_TIMEOUT' }, ['j2', 'j1']],
    ['what they said of their replay, of which a job that runs says nothing', { replayable: false }, ['j5']],
    ['the time of the request, its end exclusive', { from_time: '2026-11-21T12:00:02Z', to_time: at(4) }, ['j3', 'j2']],
    ['several at once', { error_code: 'AGENT_TIMEOUT', status: 'failed', to_time: at(2) }, ['j1']],
    ['several of which none holds together', { agent: 'math_agent', status: 'failed' }, []],
    ['one person and an error', { userId: 'user_bob', error_code: 'AGENT_TIMEOUT' }, ['j2']],
  ])('are found by %s, newest first', async (_, filter, ids) => {
    expect(await idsOf(SOME, filter)).toEqual(ids);
  });

  it('say their error and how long they took, by the time at which their end was recorded', async () => {
    const { items } = await listed([asked(1), ended(1, TIMED_OUT, at(3)), asked(2)], {});
    expect(items).toMatchObject([
      { job_id: 'j2', error_code: null, ended_at: null, duration_ms: null },
      { job_id: 'j1', error_code: 'AGENT_TIMEOUT', ended_at: at(3), duration_ms: 2000 },
    ]);
    expect(items[0]).not.toHaveProperty('asked');
  });

  it('come each once over pages, also where most of what is looked at is not asked for', async () => {
    const many = Array.from({ length: 30 }, (_, i) => [
      asked(i + 1),
      ended(i + 1, i % 3 === 0 ? TIMED_OUT : {}),
    ]).flat();
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await listed(many, { error_code: 'AGENT_TIMEOUT', status: 'failed', limit: 4, cursor });
      pages.push(page.items.map(({ job_id }) => job_id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(pages).toEqual([
      ['j28', 'j25', 'j22', 'j19'],
      ['j16', 'j13', 'j10', 'j7'],
      ['j4', 'j1'],
    ]);
  });

  it('are looked for in so many, and no more for one page: its cursor goes on', async () => {
    let looked = 0;
    const documents = (limit: number) =>
      Array.from({ length: limit }, () => ({ id: `j${++looked}`, body: { agent_id: 'math_agent', asked: at(0) } }));
    const found = (_: string, { limit }: FindOptions) =>
      Promise.resolve({ documents: documents(limit), next: `${looked}` });
    const model = { find: found, position: () => Promise.resolve('1') } as unknown as ReadModel;
    const page = await new ProjectedJobList(model).page({
      userId: 'user_ann',
      agent: 'web_agent',
      limit: 10,
      cursor: undefined,
    });
    expect([page.items, page.next_cursor, looked]).toEqual([[], '4000', 4000]);
  });
});
