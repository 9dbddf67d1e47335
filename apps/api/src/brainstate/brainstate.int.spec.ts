import { BrainStateSnapshots, type BrainStateView, type RoutingHints } from '#lib/brainstate';
import { EventLog } from '#lib/event-store';
import { type ErrorEnvelope, timestampSeeded } from '#lib/kernel';

import { eventually, until } from '../../../../test/support/eventually.js';
import { JobApp, type Answer, type Caller } from '../../../../test/support/job-app.js';

/** The whole application on real files. */
let app: JobApp;
let admin: Caller;
let operator: Caller;
let user: Caller;
let seeds = 0;

beforeAll(async () => {
  app = await JobApp.open();
  admin = await app.caller('root', ['admin'], ['otp']);
  operator = await app.caller('ops', ['operator']);
  user = await app.caller('tuff');
});
afterAll(() => app.dispose());

interface Kept {
  readonly state: object;
}

interface Listed {
  readonly items: readonly Record<string, unknown>[];
}

type Body = BrainStateView & RoutingHints & ErrorEnvelope & { readonly event_id: string };

const post = (caller: Caller, path: string, body: unknown, key?: string): Promise<Answer<Body>> =>
  caller.send<Body>('POST', `/brainstate/${path}`, body, key === undefined ? {} : { 'idempotency-key': key });

async function snapshot(more: object = {}): Promise<string> {
  const { body, status } = await post(admin, 'create_snapshot', { job_seed: `bs-${++seeds}`, ...more });
  expect(status).toBe(200);
  return body.brainstate_snapshot_id;
}

async function insert(id: string, value: unknown, more: object = {}): Promise<string> {
  const { body } = await post(admin, 'insert', { brainstate_snapshot_id: id, type: 'fact', value, ...more });
  return body.event_id;
}

const tick = (id: string, ...event_ids: string[]): Promise<Answer<Body>> =>
  post(admin, 'tick', { brainstate_snapshot_id: id, event_ids });

const read = (caller: Caller, id: string, query = ''): Promise<Answer<Body>> =>
  caller.get<Body>(`/brainstate/${id}${query}`);

/** A job of the user, with the ids of what it decided. */
async function decisionOf(query: string): Promise<{ job_id: string; event_id: string }> {
  const { body: job } = await user.ask(query);
  const { body } = await user.get(`/jobs/${job.job_id}/events`);
  const { event_id } = body.items.find(({ type }) => type === 'COUNCIL_DECISION')!;
  return { job_id: job.job_id, event_id };
}

describe('a BrainState snapshot', () => {
  it('holds constants, budget and goals, and answers the same id for the same request', async () => {
    const request = {
      job_seed: 'bs-same',
      goals: [{ type: 'answer', priority: 1, origin: 'user' }],
      attention: { attention_gain: 0.4 },
      resource_budget: { max_depth_allowed: 3 },
    };
    const first = await post(admin, 'create_snapshot', request);
    expect(first.body).toEqual({ brainstate_snapshot_id: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect((await post(admin, 'create_snapshot', request)).body).toEqual(first.body);
    const { body } = await read(admin, first.body.brainstate_snapshot_id);
    expect(body).toMatchObject({
      job_seed: 'bs-same',
      tick: 0,
      attention: { attention_gain: 0.4, explore_bias: 0.15, reward_signal: 0 },
      resource_budget: { token_budget: 2048, max_depth_allowed: 3 },
      goals: [{ goal_id: 'g1', priority: 0.9, type: 'answer', status: 'active' }],
      constants: { a_decay: 0.05, promotion_window: 4, confidence_threshold: 0.7 },
      redacted: false,
    });
  });

  it('is one of its maker: another person’s of the same seed is another', async () => {
    const other = await app.caller('other', ['council'], ['otp']);
    const [mine, theirs] = [
      await post(admin, 'create_snapshot', { job_seed: 'bs-shared' }),
      await post(other, 'create_snapshot', { job_seed: 'bs-shared' }),
    ];
    expect(theirs.status).toBe(200);
    expect(theirs.body.brainstate_snapshot_id).not.toBe(mine.body.brainstate_snapshot_id);
    const snapshots = app.parts.app.nest.get(BrainStateSnapshots);
    expect(await snapshots.forJob('user_root', 'bs-shared')).toBe(mine.body.brainstate_snapshot_id);
    expect(await snapshots.forJob('user_other', 'bs-shared')).toBe(theirs.body.brainstate_snapshot_id);
    expect(await snapshots.forJob('user_tuff', 'bs-shared')).toBeNull();
  });

  it('is refused a second time for a seed with other content, and with personal data', async () => {
    await post(admin, 'create_snapshot', { job_seed: 'bs-taken' });
    const other = await post(admin, 'create_snapshot', { job_seed: 'bs-taken', attention: { explore_bias: 0.5 } });
    expect([other.status, other.body.error_code]).toEqual([409, 'JOB_SEED_CONFLICT']);
    const goals = [{ type: 'plan', metadata: { who: 'jane.doe@gmail.com' } }];
    const personal = await post(admin, 'create_snapshot', { job_seed: 'bs-personal', goals });
    expect([personal.status, personal.body.error_code]).toEqual([403, 'PRIVACY_BLOCKED']);
    expect((await app.texts()).join()).not.toContain('jane.doe');
  });

  it.each([
    ['a reserved seed', { job_seed: 'cmd:mine' }],
    ['a seed with a blank', { job_seed: 'a seed' }],
    ['attention over 1', { job_seed: 'x', attention: { attention_gain: 1.5 } }],
    ['a negative budget', { job_seed: 'x', resource_budget: { token_budget: -1 } }],
    ['half a depth', { job_seed: 'x', resource_budget: { max_depth_allowed: 1.5 } }],
    ['a goal of an unknown type', { job_seed: 'x', goals: [{ type: 'win' }] }],
    [
      'two goals of one name',
      {
        job_seed: 'x',
        goals: [
          { type: 'plan', goal_id: 'a' },
          { type: 'plan', goal_id: 'a' },
        ],
      },
    ],
    ['too many decimals', { job_seed: 'x', attention: { attention_gain: 0.1234567891 } }],
    ['a deadline that is no time', { job_seed: 'x', goals: [{ type: 'plan', deadline_ts: 'tomorrow' }] }],
    ['a bare claim', { job_seed: 'x', council_approves: true }],
  ])('is refused with %s', async (_, body) => {
    const { status, body: error } = await post(admin, 'create_snapshot', body);
    expect([status, error.error_code]).toEqual([400, 'INVALID_INPUT']);
  });
});

describe('a tick', () => {
  it('T-BS-01 over HTTP: takes in what was inserted, and lets it go after its time', async () => {
    const id = await snapshot();
    const inserted = await insert(id, 'blue', { ttl_ticks: 2 });
    const first = await tick(id, inserted);
    expect(first.body.WM).toMatchObject([{ type: 'fact', value: 'blue', ttl_ticks: 1, created_at_tick: 1 }]);
    expect((await read(admin, id)).body).toEqual(first.body);
    expect((await tick(id)).body.WM).toEqual([]);
  });

  it('T-BS-02 over HTTP: promotes what came twice', async () => {
    const id = await snapshot();
    await tick(id, await insert(id, 'the sky is blue'));
    const { body } = await tick(id, await insert(id, 'the sky is blue'));
    expect(body.WM).toEqual([]);
    expect(body.CWM).toMatchObject({ topic: 'fact', tokens_used: 4, items: [{ references: [1, 2] }] });
  });

  it('T-BS-03 over HTTP: moves attention as a council decided and a user felt', async () => {
    const { job_id, event_id } = await decisionOf('What is 6 * 7?');
    const id = await snapshot({ goals: [{ type: 'answer', priority: 1 }] });
    const decided = await tick(id, event_id);
    expect(decided.body.attention).toEqual({ attention_gain: 0.675, explore_bias: 0.1755, reward_signal: 0.8 });
    expect(decided.body.goals).toMatchObject([{ status: 'succeeded' }]);

    const feedback = await user.send<Body>('POST', `/jobs/${job_id}/feedback`, { upvote: true });
    const both = await tick(await snapshot(), event_id, feedback.body.event_id);
    expect(both.body.attention).toMatchObject({ attention_gain: 0.725, reward_signal: 1 });
  });

  it('takes an event once, and the same request gives the same tick', async () => {
    const id = await snapshot();
    const event = await insert(id, 'once');
    const body = { brainstate_snapshot_id: id, event_ids: [event] };
    const first = await post(admin, 'tick', body, 'tick-once');
    expect((await post(admin, 'tick', body, 'tick-once')).body).toEqual(first.body);
    const again = await tick(id, event);
    expect([again.status, again.body.error_code]).toEqual([409, 'CONFLICT']);
    const other = await post(admin, 'tick', { ...body, event_ids: [] }, 'tick-once');
    expect([other.status, other.body.error_code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect((await read(admin, id)).body.tick).toBe(1);
  });

  it('is refused an event that does not exist, that is another BrainState’s, or that is of another type', async () => {
    const [id, other] = [await snapshot(), await snapshot()];
    const unknown = await tick(id, 'f'.repeat(64));
    expect([unknown.status, unknown.body.error_code]).toEqual([404, 'NOT_FOUND']);
    const foreign = await tick(id, await insert(other, 'theirs'));
    expect([foreign.status, foreign.body.error_code]).toEqual([404, 'NOT_FOUND']);
    await tick(id);
    const [first] = await app.stream(`brainstate-${id}`);
    const wrong = await tick(id, first!.metadata.event_id);
    expect([wrong.status, wrong.body.error_code]).toEqual([400, 'INVALID_INPUT']);
    const claimed = await post(admin, 'tick', { brainstate_snapshot_id: id, event_ids: [], council_approves: true });
    expect([claimed.status, claimed.body.error_code]).toEqual([400, 'INVALID_INPUT']);
    expect((await read(admin, id)).body.tick).toBe(1);
  });

  it('of many at once are numbered one after the other', async () => {
    const id = await snapshot();
    const ticks = await Promise.all(Array.from({ length: 8 }, () => tick(id)));
    expect(ticks.map(({ body }) => body.tick).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('is all of its stream that is held in memory: what was inserted since is read again', async () => {
    const id = await snapshot();
    await tick(id, await insert(id, 'before'));
    const fold = jest.spyOn(EventLog.prototype, 'fold');
    const since = [await insert(id, 'one'), await insert(id, 'two')];
    expect((await tick(id, ...since)).body.WM.map(({ value }) => value)).toEqual(['two', 'one', 'before']);
    const kept = await Promise.all(
      fold.mock.results
        .filter((_, i) => fold.mock.calls[i]![0] === `brainstate-${id}`)
        .map(({ value }) => value as Promise<Kept>),
    );
    fold.mockRestore();
    expect(kept.map(({ state }) => state)).toMatchObject(Array(3).fill({ revision: 1, type: 'BRAINSTATE_TICK' }));
  });

  it('stands in the stream of its snapshot, with its personal fields encrypted', async () => {
    const id = await snapshot();
    await tick(id, await insert(id, 'a phrase to look for'));
    expect((await app.stream(`brainstate-${id}`)).map(({ type }) => type)).toEqual(['WM_INSERT', 'BRAINSTATE_TICK']);
    expect((await app.texts()).join()).not.toContain('a phrase to look for');
  });
});

describe('working memory', () => {
  it('holds no personal data, only what it was and a keyed hash', async () => {
    const id = await snapshot();
    const { body } = await tick(id, await insert(id, { note: 'mail jane.doe@gmail.com', n: 1 }));
    expect(body.WM[0]!.value).toEqual({ note: 'mail [redacted:email]', n: 1 });
    const [inserted] = await app.stream(`brainstate-${id}`);
    expect(inserted!.data['redacted']).toEqual([
      { pii_type: 'email', category: 'medium', pii_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    expect((await app.texts()).join()).not.toContain('jane.doe');
  });

  it.each([
    ['null', null],
    ['too long a text', 'x'.repeat(16_001)],
    ['too many decimals', 0.1234567891],
    ['a reserved name', { $enc: 1 }],
  ])('refuses %s', async (_, value) => {
    const id = await snapshot();
    const { status, body } = await post(admin, 'insert', { brainstate_snapshot_id: id, type: 'fact', value });
    expect([status, body.error_code]).toEqual([400, 'INVALID_INPUT']);
  });
});

describe('reading', () => {
  it('shows operators and auditors what kinds of things there are, and council and admin what they say', async () => {
    const id = await snapshot({ goals: [{ type: 'plan', metadata: { about: 'a garden' } }] });
    await tick(id, await insert(id, 'blue'));
    for (const role of ['operator', 'auditor'] as const) {
      const { body } = await read(await app.caller(`reader-${role}`, [role]), id);
      expect(body).toMatchObject({
        redacted: true,
        WM: [{ type: 'fact', value: '[redacted]' }],
        goals: [{ metadata: {} }],
      });
    }
    const { body } = await read(await app.caller('member', ['council']), id);
    expect(body).toMatchObject({
      redacted: false,
      WM: [{ value: 'blue' }],
      goals: [{ metadata: { about: 'a garden' } }],
    });
  });

  it('tells when its newest tick was recorded, and seeded time under its own name alone', async () => {
    const id = await snapshot({ goals: [{ type: 'plan' }] });
    const [made] = await app.stream(`snapshot-${id}`);
    expect((await read(admin, id)).body.last_updated).toBe(made!.metadata.recorded_at);
    const { body } = await tick(id, await insert(id, 'blue'));
    const [, ticked] = await app.stream(`brainstate-${id}`);
    const timestamp_seeded = timestampSeeded(`bs-${seeds}`, 1);
    expect(body).toMatchObject({
      last_updated: ticked!.metadata.recorded_at,
      timestamp_seeded,
      WM: [{ timestamp_seeded }],
      goals: [{ timestamp_seeded: expect.stringMatching(/^2025/) }],
    });
    expect(JSON.stringify(body)).not.toMatch(/"(timestamp|created_at|ts)":/);
  });

  it('is recorded before it is answered', async () => {
    const id = await snapshot();
    await read(admin, id);
    await read(operator, id);
    const last = async (who: string) => (await app.stream(`access-user_${who}`)).at(-1)!;
    expect(await last('root')).toMatchObject({
      type: 'admin_access_event',
      data: { resource: `brainstate/${id}`, action: 'read', unredacted: true },
      metadata: { actor: { id: 'user_root', role: 'admin' } },
    });
    expect((await last('ops')).data).toMatchObject({ resource: `brainstate/${id}`, unredacted: false });
  });

  it('gives a BrainState as it was at a position', async () => {
    const id = await snapshot();
    await tick(id);
    const { position } = (await app.stream(`brainstate-${id}`)).at(-1)!;
    await tick(id);
    expect((await read(admin, id, `?as_of=${position}`)).body.tick).toBe(1);
    expect((await read(admin, id)).body.tick).toBe(2);
    expect((await read(admin, id, '?as_of=0')).body.error_code).toBe('NOT_FOUND');
    expect((await read(admin, id, '?as_of=99999999999')).body.error_code).toBe('INVALID_INPUT');
  });

  it('T-BS-05 over HTTP: hints at a depth of 1 for attention 0.4 of depth 3', async () => {
    const id = await snapshot({ attention: { attention_gain: 0.4 }, resource_budget: { max_depth_allowed: 3 } });
    const { body } = await post(operator, 'query', { brainstate_snapshot_id: id });
    expect(body).toEqual({ max_depth_allowed: 1, prefer_high_APT: false, allow_explore: false });
  });

  it('knows the shared default, which nobody changes', async () => {
    const { body: job } = await user.ask('What is 2 + 2?');
    const id = job.snapshots['brainstate']!;
    expect((await read(admin, id)).body).toMatchObject({ job_seed: null, brainstate_id: null, tick: 0 });
    const refused = await tick(id);
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
  });

  it('finds neither an unknown snapshot nor one of another kind', async () => {
    const { body: job } = await user.ask('What is 3 + 2?');
    for (const id of ['0'.repeat(64), 'query', '..%2F..', '%20', 'a'.repeat(80), job.snapshots['router']!]) {
      const { status, body } = await read(admin, id);
      expect([status, body.error_code]).toEqual([404, 'NOT_FOUND']);
    }
  });
});

describe('after its maker was erased', () => {
  it('working memory is empty, what is not personal stays, and nothing erased is taken in', async () => {
    const leaving = await app.caller('leaving', ['council'], ['otp']);
    const { body } = await post(leaving, 'create_snapshot', { job_seed: 'bs-leaving' });
    const id = body.brainstate_snapshot_id;
    await tick(id, await insert(id, 'blue'));
    const late = await insert(id, 'green');
    const { subjectKeys, ciphers } = app.parts.platform;
    for (const record of await subjectKeys.listFor('user_leaving'))
      await subjectKeys.destroy(record.state === 'present' ? record.key.kid : record.kid);
    ciphers.forget('user_leaving');

    for (const reader of [admin, operator])
      expect((await read(reader, id)).body).toMatchObject({ erased: true, tick: 1, WM: [], CWM: { items: [] } });
    const refused = await tick(id, late);
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
    expect((await tick(id)).body).toMatchObject({ tick: 2, WM: [], erased: false });
  });
});

describe('who may', () => {
  it('change: admin and council with a second factor', async () => {
    const change = async (caller: Caller) => {
      const { status, body } = await post(caller, 'create_snapshot', { job_seed: `bs-${++seeds}` });
      return [status, body.error_code];
    };
    expect(await change(await app.caller('member', ['council'], ['otp']))).toEqual([200, undefined]);
    expect(await change(await app.caller('root', ['admin']))).toEqual([401, 'UNAUTHENTICATED']);
    expect(await change(operator)).toEqual([403, 'PERMISSION_DENIED']);
    expect(await change(user)).toEqual([403, 'PERMISSION_DENIED']);
  });

  it('read: not a user', async () => {
    const { status } = await read(user, await snapshot());
    expect(status).toBe(403);
  });
});

describe('GET /brainstate', () => {
  it('lists those of jobs and those that were prepared, without what they hold, and the trail names who looked', async () => {
    const id = await snapshot();
    await tick(id, await insert(id, 'prefers zaffre'));
    await read(operator, id);
    const { body: job } = await user.ask('What is 6 times 7?');
    const auditor = await app.caller('otto', ['auditor']);
    const { items } = await eventually(async () => {
      const { body } = await auditor.get<Listed>('/brainstate?limit=200');
      const ids = body.items.flatMap((one) => [one['job_id'], one['brainstate_snapshot_id']]);
      return ids.includes(job.job_id) && body.items.some((one) => one['tick'] === 1 && ids.includes(id)) ? body : null;
    });
    expect(items.find((one) => one['brainstate_snapshot_id'] === id)).toMatchObject({
      job_id: null,
      user_id: 'user_root',
    });
    expect(items.find((one) => one['job_id'] === job.job_id)).toMatchObject({ user_id: 'user_tuff' });
    expect(JSON.stringify(items)).not.toContain('zaffre');
    expect((await user.get('/brainstate')).status).toBe(403);
    const trail = await eventually(async () => {
      const { body } = await auditor.get<Listed>('/audit/trail?kind=access&actor=user_ops');
      return body.items.length > 0 ? body.items : null;
    });
    expect(trail[0]).toMatchObject({ type: 'admin_access_event', stream: 'access-user_ops', kind: 'access' });
    expect((await operator.get('/audit/trail')).status).toBe(403);
  });

  it('of one job, and from tick to tick of a job or a snapshot, in figures, page by page', async () => {
    const { body: job } = await user.ask('What is 6 times 7?');
    const found = async () => (await operator.get<Listed>(`/brainstate?job_id=${job.job_id}`)).body.items;
    await until(async () => (await found()).length === 1, 'the BrainState of the job');
    const ticks = async (id: string, query = '') =>
      (await operator.get<Listed & { next_cursor: string | null }>(`/brainstate/${id}/ticks${query}`)).body;
    const [before, after] = (await ticks(job.job_id)).items;
    expect([before, after]).toMatchObject([
      { tick: 0, event_id: null },
      { tick: 1, goals: [{ status: 'succeeded' }] },
    ]);
    expect((await found())[0]).toMatchObject({ tick: 1, attention: after!['attention'] });

    const id = await snapshot();
    await tick(id, await insert(id, 'prefers zaffre'));
    await tick(id);
    const all = (await ticks(id)).items;
    expect(all.map((one) => one['tick'])).toEqual([0, 1, 2]);
    expect(JSON.stringify(all)).not.toContain('zaffre');
    const paged: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await ticks(id, `?limit=1${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.items);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all);
    expect((await operator.get<Body>(`/brainstate/${'0'.repeat(64)}/ticks`)).body.error_code).toBe('NOT_FOUND');
    expect((await operator.get<Body>(`/brainstate/job:${'0'.repeat(32)}/ticks`)).body.error_code).toBe('NOT_FOUND');
    expect((await operator.get<Body>(`/brainstate/${id}/ticks?cursor=x`)).body.error_code).toBe('INVALID_INPUT');
    expect((await user.get(`/brainstate/${id}/ticks`)).status).toBe(403);
  });

  it.each(['brainstate', 'audit', 'job_counts'])('%s is made again alike by a rerun of an auditor', async (name) => {
    const auditor = await app.caller('otto', ['auditor']);
    const { body } = await auditor.send<Record<string, unknown>>('POST', `/projections/${name}/rerun`, {});
    const path = `/projections/${name}/reruns/${body['rerun_id'] as string}`;
    const done = await eventually(async () => {
      const view = (await auditor.get<Record<string, unknown>>(path)).body;
      return view['state'] === 'running' ? null : view;
    });
    expect(done).toMatchObject({ state: 'done', verdict: 'MATCH' });
  });
});
