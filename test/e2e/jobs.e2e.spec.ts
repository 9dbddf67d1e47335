import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { EventView, JobPage, JobResult, LogView } from '#lib/jobs';
import type { ErrorEnvelope } from '#lib/kernel';
import type { ReplayResult } from '#lib/replay';

import { everyServedJobReplays } from '../support/replay-check.js';
import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../support/served-process.js';

/** What an answer may hold; a test names the part it looks at. */
type AnyBody = JobResult &
  Omit<ErrorEnvelope, 'status'> &
  LogView &
  JobPage &
  Omit<ReplayResult, 'error_code'> & { readonly items: readonly EventView[] };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnyBody;
}

type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

let folder: string;
let server: ServedProcess;
let tuff: Call;
let eve: Call;
let auditor: Call;
const made: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mace-jobs-e2e-'));
  await begin();
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
  expect(await everyServedJobReplays(folder)).toBeGreaterThanOrEqual(new Set(made).size);
  await rm(folder, { recursive: true, force: true });
});

describe('one request, sent twice', () => {
  it('with one Idempotency-Key and one body is one job', async () => {
    const [key, body] = [{ 'idempotency-key': 'k1' }, { query_text: '2+2' }];
    const first = await ask(body, key);
    const second = await ask(body, key);
    expect(first.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(await eventsOf(first.body.job_id)).toHaveLength(13);
  });

  it('with one key and another body is 422, and makes nothing', async () => {
    const key = { 'idempotency-key': 'k2' };
    await ask({ query_text: '2+3' }, key);
    const { status, body } = await tuff('POST', '/jobs', { query_text: '2+4' }, key);
    expect([status, body.error_code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('with one key and another body or seed is 422 where the caller names the seed', async () => {
    const key = { 'idempotency-key': 'k2s' };
    const first = await ask({ query_text: '2+3', job_seed: 'seed-k2s' }, key);
    expect(first.status).toBe(200);
    expect((await ask({ query_text: '2+3', job_seed: 'seed-k2s' }, key)).body).toEqual(first.body);
    for (const other of [
      { query_text: '2+4', job_seed: 'seed-k2s' },
      { query_text: '2+3', job_seed: 'seed-k2t' },
      { query_text: '2+3' },
    ]) {
      const { status, body } = await tuff('POST', '/jobs', other, key);
      expect([status, body.error_code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });

  it('with one key by two people is two jobs', async () => {
    const [key, body] = [{ 'idempotency-key': 'k3' }, { query_text: '2+5' }];
    const mine = await ask(body, key);
    const hers = await eve('POST', '/jobs', body, key);
    expect(hers.status).toBe(200);
    expect(hers.body.job_id).not.toBe(mine.body.job_id);
  });

  it('at once, many times over, is one job', async () => {
    const [key, body] = [{ 'idempotency-key': 'k4' }, { query_text: 'derivative of x^3' }];
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(body, key)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(answers[0]!.status).toBe(200);
    expect(await eventsOf(answers[0]!.body.job_id)).toHaveLength(13);
  });

  it('whose job had no answer gives that same error again', async () => {
    const [key, body] = [{ 'idempotency-key': 'k5' }, { query_text: 'What is my favorite planet?' }];
    const first = await ask(body, key);
    const second = await ask(body, key);
    expect([first.status, first.body.error_code]).toEqual([400, 'SEM_NOT_FOUND']);
    expect(second.body.meta['job_id']).toBe(first.body.meta['job_id']);
    expect(second.body).toEqual(first.body);
  });
});

describe('a job_seed', () => {
  it('with the same request gives the stored result', async () => {
    const body = { query_text: '3*3', job_seed: 'seed-a' };
    const first = await ask(body);
    expect((await ask(body)).body).toEqual(first.body);
  });

  it('of another is a conflict that tells nothing of the first request', async () => {
    const secret = 'Remember that my favorite fruit is durian';
    const { body: mine } = await ask({ query_text: secret, job_seed: 'seed-b' });
    for (const query_text of [secret, '1+1']) {
      const { status, body, headers } = await eve('POST', '/jobs', { query_text, job_seed: 'seed-b' });
      expect([status, body.error_code]).toEqual([409, 'JOB_SEED_CONFLICT']);
      const told = JSON.stringify([body, ...headers]);
      for (const word of ['durian', 'fruit', 'tuff', mine.job_id, mine.log_id]) expect(told).not.toContain(word);
    }
    expect((await eve('GET', `/jobs/${mine.job_id}`)).status).toBe(404);
  });

  it('with another body of the same person is a conflict too', async () => {
    await ask({ query_text: '3*4', job_seed: 'seed-c' });
    const { status, body } = await tuff('POST', '/jobs', { query_text: '3*5', job_seed: 'seed-c' });
    expect([status, body.error_code]).toEqual([409, 'JOB_SEED_CONFLICT']);
  });
});

describe('Prefer: respond-async', () => {
  it.each(['respond-async', 'Respond-Async, wait=5', 'return=minimal, respond-async'])(
    '(%s) is answered 202 with a job that is stored, and that ends',
    async (prefer) => {
      const { status, body } = await tuff('POST', '/jobs', { query_text: 'Integrate x^3 dx' }, { prefer });
      expect(status).toBe(202);
      expect(body).toEqual({ job_id: body.job_id, status: 'running' });
      made.push(body.job_id);
      const found = await tuff('GET', `/jobs/${body.job_id}`);
      expect(found.status).toBe(200);
      expect((await sealed(body.job_id)).status).toBe('completed');
    },
  );
});

describe('somebody else’s job', () => {
  it('is not there, by any path', async () => {
    const { body } = await ask({ query_text: '4*4' });
    const paths = ['', '/log', '/events'].map((end) => `/jobs/${body.job_id}${end}`);
    const answers = await Promise.all([
      ...[...paths, `/reflective-logs/${body.log_id}`].map((path) => eve('GET', path)),
      eve('POST', `/jobs/${body.job_id}/feedback`, { upvote: true }),
      eve('PATCH', `/reflective-logs/${body.log_id}`, { final_answer: 'x' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    const missing = await eve('GET', `/jobs/job:${'0'.repeat(32)}`);
    expect(answers[0].body.user_message).toBe(missing.body.user_message);
  });

  it('is seen by an auditor without what was said', async () => {
    const { body } = await ask({ query_text: 'Remember that my favorite color is teal' });
    const { status, body: seen } = await auditor('GET', `/jobs/${body.job_id}`);
    expect([status, seen.final_answer, seen.agent_id]).toEqual([200, '[redacted]', 'operational_agent']);
    const events = await auditor('GET', `/jobs/${body.job_id}/events`);
    expect(JSON.stringify([seen, events.body])).not.toContain('teal');
  });
});

describe('what stands beside a log', () => {
  it('is feedback of its owner, once for one key', async () => {
    const { body: job } = await ask({ query_text: '5*5' });
    const path = `/jobs/${job.job_id}/feedback`;
    const key = { 'idempotency-key': 'f1' };
    const first = await tuff('POST', path, { upvote: true, comment: 'right' }, key);
    const second = await tuff('POST', path, { upvote: true, comment: 'right' }, key);
    expect([first.status, second.body]).toEqual([200, first.body]);
    expect((await tuff('POST', path, { upvote: false }, key)).status).toBe(422);
    expect((await logOf(job.job_id)).user_feedback).toMatchObject([{ upvote: true, comment: 'right' }]);
  });

  it('is amendments, once for one key, each shown with the log and in their own list', async () => {
    const { body: job } = await ask({ query_text: '5*6' });
    const path = `/reflective-logs/${job.log_id}/amendments`;
    const amendment = { effect: 'note', changes: { remark: 'checked by hand' } };
    const first = await tuff('POST', path, amendment, { 'idempotency-key': 'a1' });
    await tuff('POST', path, amendment, { 'idempotency-key': 'a1' });
    expect((await logOf(job.job_id)).amendments).toEqual([first.body]);
    expect((await tuff('GET', path)).body.items).toEqual([first.body]);
    const bad = await tuff('POST', path, { effect: 'rewrite', changes: {} });
    expect([bad.status, bad.body.error_code]).toEqual([400, 'INVALID_INPUT']);
    expect((await tuff('POST', path, { effect: 'note', changes: { x: 'y'.repeat(20_000) } })).status).toBe(400);
  });

  it('is never a patch', async () => {
    const { body: job } = await ask({ query_text: '5*7' });
    const before = await logOf(job.job_id);
    const patch = await tuff('PATCH', `/reflective-logs/${job.log_id}`, { final_answer: '36' });
    expect([patch.status, patch.body.error_code]).toEqual([409, 'IMMUTABLE_FIELD']);
    expect(patch.body.developer_message).toContain('ImmutableFieldError');
    expect(await logOf(job.job_id)).toEqual(before);
  });
});

describe('reading jobs', () => {
  it('gives a job’s version as its ETag', async () => {
    const { body } = await ask({ query_text: '6*6' });
    const { headers } = await tuff('GET', `/jobs/${body.job_id}`);
    expect(headers.get('etag')).toBe('"13"');
  });

  it('lists one’s own, newest first, page by page, each once', async () => {
    const newest = await ask({ query_text: '6*7' });
    await listed(newest.body.job_id);
    const all: string[] = [];
    let cursor: string | null = null;
    do {
      const next: Answer = await tuff(
        'GET',
        `/jobs?limit=5${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      expect(next.status).toBe(200);
      expect(next.body.items.length).toBeLessThanOrEqual(5);
      all.push(...(next.body.items as unknown as JobResult[]).map(({ job_id }) => job_id));
      cursor = next.body.next_cursor;
    } while (cursor !== null);
    expect(all[0]).toBe(newest.body.job_id);
    expect([...all].sort()).toEqual([...new Set(made)].sort());
    const hers = await eve('GET', '/jobs?limit=200');
    expect(JSON.stringify(hers.body)).not.toContain(newest.body.job_id);
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=nonsense', 'colour=blue'])('refuses ?%s', async (query) => {
    const { status, body } = await tuff('GET', `/jobs?${query}`);
    expect([status, body.error_code]).toEqual([400, 'INVALID_INPUT']);
  });
});

describe('every job made here', () => {
  it('is of every kind there is, replays to MATCH, and again after the server was killed and started', async () => {
    const queries = [
      'What is my favorite color?',
      "What is Ohm's law?",
      'What is the capital of Atlantis?',
      'Do something weird and unknown',
      'Write a poem about rain',
      'My SSN is 123-45-6789',
      '1/0',
      '12.5% of 80',
    ];
    for (const query_text of queries) await ask({ query_text });
    await expectMatches();
    await server.kill();
    await begin();
    await expectMatches();
  });
});

async function begin(): Promise<void> {
  server = await ServedProcess.start(folder);
  [tuff, eve, auditor] = [['TUFF', 'user'] as const, ['eve', 'user'] as const, ['ann', 'auditor'] as const].map(
    ([user, roles]) => caller(tokenFor(folder, user, roles)),
  ) as [Call, Call, Call];
}

function caller(token: string): Call {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...EACH_ITS_OWN,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as AnyBody };
  };
}

/** Asks as tuff, and remembers the job. */
async function ask(body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await tuff('POST', '/jobs', body, headers);
  const id = answer.body.job_id ?? answer.body.meta['job_id'];
  if (typeof id === 'string') made.push(id);
  return answer;
}

async function eventsOf(jobId: string): Promise<readonly EventView[]> {
  return (await tuff('GET', `/jobs/${jobId}/events`)).body.items;
}

async function logOf(jobId: string): Promise<LogView> {
  return (await tuff('GET', `/jobs/${jobId}/log`)).body;
}

async function sealed(jobId: string): Promise<JobResult> {
  for (;;) {
    const { body } = await tuff('GET', `/jobs/${jobId}`);
    if (body.status !== 'running') return body;
    await pause();
  }
}

async function listed(jobId: string): Promise<void> {
  for (;;) {
    const { body } = await tuff('GET', '/jobs?limit=1');
    if ((body.items[0] as unknown as JobResult | undefined)?.job_id === jobId) return;
    await pause();
  }
}

async function expectMatches(): Promise<void> {
  for (const job_id of new Set(made)) {
    const { status, body } = await auditor('POST', '/replay/request', { job_id });
    expect([job_id, status, body.verdict]).toEqual([job_id, 200, 'MATCH']);
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
