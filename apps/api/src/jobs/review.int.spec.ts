import type { AgentReply } from '#lib/agents';
import { type CouncilVote, Critics } from '#lib/council';
import { StoreUnavailableError } from '#lib/event-store';
import { Proposals } from '#lib/governance';
import type { Review } from '#lib/jobs';
import { jobId } from '#lib/kernel';

import { eventually, until } from '../../../../test/support/eventually.js';
import { type AnyBody, type Caller, JobApp } from '../../../../test/support/job-app.js';
import { InstalledAgents } from './agents.js';

type Reviewed = AnyBody & { readonly review?: Review };
interface Request {
  readonly request_id: string;
  readonly proposal_digest: string;
  readonly payload: { readonly job_id: string };
}

let app: JobApp;
let tuff: Caller;
let council: readonly Caller[];
/** What the clock of erasures is ahead, milliseconds. */
let ahead = 0;

beforeAll(async () => {
  app = await JobApp.open({ now: () => Date.now() + ahead });
  tuff = await app.caller('tuff');
  council = await Promise.all(['cora', 'carl', 'cleo'].map((who) => app.caller(who, ['council'], ['otp'])));
});
/** Its person is erased. */
const ERASED = jobId('erased');
afterAll(() => app.dispose({ erased: [ERASED] }));
afterEach(() => jest.restoreAllMocks());

describe('a deadlock that went to the council', () => {
  it('comes back beside the log as its review, with the answer that people let stand', async () => {
    const { job, request } = await deadlocked('approved');
    await decide(request, ['approve', 'approve', 'reject']);
    const reviewed = await reviewOf(job);
    expect(reviewed.review).toEqual({
      amendment_id: expect.stringMatching(/^am-[0-9a-f]{32}$/) as string,
      author_role: 'council',
      changes: {
        ruling: 'approved',
        request_id: request.request_id,
        candidate_event_id: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        final_answer: expect.stringContaining('current') as string,
      },
      at: expect.stringMatching(/^20/) as string,
    });
    // The record stays: it had no answer, and says so.
    expect(reviewed).toMatchObject({ status: 'failed', final_answer: null, error: { error_code: 'COUNCIL_DEADLOCK' } });
    const { body: log } = await tuff.get(`/jobs/${job}/log`);
    expect(log.final_answer).toBeNull();
    expect(log.amendments).toMatchObject([
      { amendment_id: reviewed.review!.amendment_id, author: 'council', effect: 'override_suggestion' },
    ]);

    const [stored] = await app.stream(`amendment-${log.log_id}`);
    const approval = (await app.stream(`actionrequest-${request.request_id}`)).find(
      ({ type }) => type === 'ACTION_APPROVED',
    );
    expect(stored!.metadata).toMatchObject({
      job_seed: `after:human-review-ruling:${approval!.metadata.event_id}`,
      $causationId: approval!.metadata.event_id,
    });
    const seen = await (await app.caller('ann', ['auditor'])).get<Reviewed>(`/jobs/${job}`);
    expect(seen.body.review).toMatchObject({ author_role: 'council', changes: { $redacted: true } });
  });

  it('comes back as rejected, without an answer, where people refuse it', async () => {
    const { job, request } = await deadlocked('rejected');
    await decide(request, ['reject', 'approve', 'reject']);
    const { review } = await reviewOf(job);
    expect(review).toMatchObject({
      author_role: 'council',
      changes: { ruling: 'rejected', request_id: request.request_id },
    });
    expect(review!.changes).not.toHaveProperty('final_answer');
  });

  it('is ruled on once, also where the process that would tell of it stops', async () => {
    const { job, request } = await deadlocked('restarted');
    await decide(request, ['approve', 'approve', 'approve']);
    await app.whileClosed(() => undefined);
    tuff = await app.caller('tuff');
    council = await Promise.all(['cora', 'carl', 'cleo'].map((who) => app.caller(who, ['council'], ['otp'])));
    const { log_id } = await reviewOf(job);
    await app.whileClosed(() => undefined);
    tuff = await app.caller('tuff');
    expect((await app.stream(`amendment-${log_id}`)).map(({ type }) => type)).toEqual(['AMENDMENT_ADDED']);
  });
});

describe('the yes of a job’s owner to a review', () => {
  it.each([
    ['low confidence', 200, 'LOW_CONFIDENCE', [true, true, true]],
    ['refused answers', 503, 'REPAIR_LIMIT_EXCEEDED', [false, false, false]],
  ] as const)('brings %s before the council, and its ruling back', async (seed, status, code, votes) => {
    const { job, answered } = await judged(`yes ${seed}`, votes);
    expect([answered.status, JSON.stringify(answered.body)]).toEqual([status, expect.stringContaining(code)]);
    const before = await app.stream(`job-${job}`);
    const asked = await askReview(tuff, job, { comment: 'for an exam, my mail is ann@posteo.de' }, `k-${code}`);
    expect(asked).toEqual({ status: 202, body: { job_id: job, request_id: expect.stringMatching(/^ar-/) as string } });
    const request_id = asked.body['request_id'] as string;

    // Whoever asked finds it at once, and again under the same key.
    const { body: request } = await tuff.get<Request & AnyBody>(`/actionrequest/${request_id}`);
    expect(request).toMatchObject({ kind: 'human_review', status: 'pending', requested_by: 'user_tuff' });
    expect(request.payload).toEqual({ action: 'human_review', job_id: job, reason_type: code });
    expect(await askReview(tuff, job, { comment: 'for an exam, my mail is ann@posteo.de' }, `k-${code}`)).toEqual(
      asked,
    );
    const again = await askReview(tuff, job, {}, `other-${code}`);
    expect([again.status, again.body['developer_message']]).toEqual([
      409,
      `the review of job ${job} was asked for already: ${request_id}`,
    ]);

    await decide(request, ['approve', 'approve', 'approve']);
    const reviewed = await reviewOf(job);
    expect(reviewed.review).toMatchObject({
      author_role: 'council',
      changes: { ruling: 'approved', request_id, final_answer: expect.stringContaining('current') as string },
    });
    expect(await app.stream(`job-${job}`)).toEqual(before);
    const beside = await app.stream(`amendment-${reviewed.log_id}`);
    expect(beside.map(({ type }) => type)).toEqual(['ACTION_REQUESTED', 'PII_FLAGGED', 'AMENDMENT_ADDED']);
    const auditor = await app.caller('ann', ['auditor']);
    const { body: replayed } = await auditor.send('POST', '/replay/request', { job_id: job, mode: 'audit' });
    expect(replayed).toMatchObject({ verdict: 'MATCH', authoritative: true });
  });

  it('shows the council question, answers, votes and comment, which is on record, and others nothing', async () => {
    const { job } = await judged('shown', [true, true, true]);
    const { body } = await askReview(tuff, job, { comment: 'for an exam, my mail is ann@posteo.de' });
    const path = `/actionrequest/${body['request_id'] as string}`;
    const [cora, oscar, eve] = [council[0]!, await app.caller('oscar', ['operator']), await app.caller('eve')];
    const { body: seen } = await cora.get<Request & { under_review: unknown }>(path);
    expect(seen.under_review).toMatchObject({
      job_id: job,
      question: "What is Ohm's law?",
      comment: 'for an exam, my mail is [redacted:email]',
      answers: [{ agent_id: 'knowledge_agent', text: expect.stringContaining('current') as string }],
      votes: [{ approve: true }, { approve: true }, { approve: true }],
    });
    const looks = (await app.stream('access-user_cora')).map(({ data }) => data['resource']);
    expect(looks).toContain(`job/${job}`);
    expect(JSON.stringify((await oscar.get(path)).body)).not.toMatch(/Ohm|current|exam/);
    expect((await eve.get(path)).status).toBe(404);
  });

  it('is accepted once the yes is stored, where the store fails after that, and its request follows', async () => {
    const { job } = await judged('later', [true, true, true]);
    const propose = jest.spyOn(app.parts.app.nest.get(Proposals), 'propose');
    propose.mockRejectedValueOnce(new StoreUnavailableError('for a moment'));
    const { status, body } = await askReview(tuff, job, {});
    expect(status).toBe(202);
    const path = `/actionrequest/${body['request_id'] as string}`;
    await until(async () => (await tuff.get(path)).status === 200, 'the request');
  });

  it('joins the request that a deadlock makes by itself', async () => {
    const { job, request } = await deadlocked('joined');
    const { status, body } = await askReview(tuff, job, { comment: 'please' });
    expect([status, body['request_id']]).toEqual([202, request.request_id]);
    const { body: seen } = await council[0]!.get<Request & { under_review: unknown }>(
      `/actionrequest/${request.request_id}`,
    );
    expect(seen.under_review).toMatchObject({ job_id: job, comment: 'please', question: "What is Ohm's law?" });
    expect((await tuff.get(`/actionrequest/${request.request_id}`)).status).toBe(200);
    await decide(request, ['approve', 'approve', 'approve']);
    expect((await reviewOf(job)).review).toMatchObject({ changes: { request_id: request.request_id } });
    const { body: own } = await tuff.get<{ items: unknown[] }>('/actionrequest?limit=200');
    expect(JSON.stringify(own)).not.toContain(job);
  });

  it('is refused for a job that offered none, for others’ jobs and for jobs that are not there', async () => {
    const { body: sound } = await tuff.ask('What is 6 * 7?');
    const none = await askReview(tuff, sound.job_id, {});
    expect([none.status, none.body['error_code'], none.body['developer_message']]).toEqual([
      409,
      'CONFLICT',
      `job ${sound.job_id} offered no human review; one follows COUNCIL_DEADLOCK, REPAIR_LIMIT_EXCEEDED, LOW_CONFIDENCE`,
    ]);
    const { job } = await judged('others', [true, true, true]);
    const admin = await app.caller('ada', ['admin'], ['otp']);
    for (const caller of [await app.caller('eve'), admin]) expect((await askReview(caller, job, {})).status).toBe(404);
    expect((await askReview(tuff, `job:${'0'.repeat(32)}`, {})).status).toBe(404);
    expect((await askReview(tuff, job, { comment: 'x'.repeat(4001) })).status).toBe(400);
    const stale = await tuff.send('POST', `/jobs/${job}/review`, {}, { 'if-match': '"1"' });
    expect([stale.status, stale.body.error_code]).toEqual([412, 'PRECONDITION_FAILED']);
  });

  it('opens no job for which somebody else asks', async () => {
    const { job } = await judged('asked by others', [true, true, true]);
    const payload = { action: 'human_review', job_id: job, reason_type: 'curiosity' };
    const solver = await app.caller('solver', ['agent']);
    const order = { kind: 'human_review', payload, justification: 'I want to see it' };
    const { body } = await solver.send<Request>('POST', '/actionrequest/create', order);
    for (const caller of [solver, council[0]!])
      expect((await caller.get(`/actionrequest/${body.request_id}`)).body).not.toHaveProperty('under_review');
  });

  it('is ruled on after the person is erased, without their words', async () => {
    const udo = await app.caller('udo');
    const { job } = await judged('erased', [true, true, true], udo);
    const { body } = await askReview(udo, job, { comment: 'for an exam' });
    const [ada, clara] = await Promise.all(['ada', 'clara'].map((who) => app.caller(who, ['admin'], ['otp'])));
    const identity_proof = { document_ref: 'counter-12', reason: 'seen at the counter' };
    const filed = { kind: 'delete', user_id: 'udo', identity_proof };
    const { body: dsr } = await clara!.send<{ dsr_id: string }>('POST', '/dsr/request', filed);
    await ada!.send('POST', `/dsr/${dsr.dsr_id}/approve`, {});
    const path = `/actionrequest/${body['request_id'] as string}`;
    const request = await eventually(async () => {
      const { body: seen } = await council[0]!.get<Request & { under_review: { question: string } }>(path);
      return seen.under_review.question === '[erased]' ? seen : undefined;
    });
    expect(JSON.stringify(request)).not.toMatch(/Ohm|current|exam/);
    await until(async () => {
      ahead += 60_000;
      return (await ada!.get<{ status: string }>(`/dsr/${dsr.dsr_id}`)).body.status === 'erased';
    }, 'the end of the erasure');
    await decide(request, ['approve', 'approve', 'approve']);
    const { log_id } = (await ada!.get<AnyBody>(`/jobs/${job}`)).body;
    const ruling = await eventually(async () =>
      (await app.stream(`amendment-${log_id}`)).find(({ type }) => type === 'AMENDMENT_ADDED'),
    );
    expect(JSON.stringify(ruling)).not.toContain('current');
  });
});

async function askReview(caller: Caller, job: string, body: object, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const answer = await caller.send<Record<string, unknown>>('POST', `/jobs/${job}/review`, body, headers);
  return { status: answer.status, body: answer.body };
}

/** A job whose critics vote so on what an unsure agent says. */
async function judged(seed: string, votes: readonly boolean[], by = tuff) {
  const job_seed = seed.replaceAll(' ', '-');
  const said: AgentReply = {
    kind: 'answer',
    text: 'It is something about current.',
    confidence: 0.01,
    reasoning_trace: [],
    evidence: [],
    memory_write: null,
  };
  jest.spyOn(app.parts.app.nest.get(InstalledAgents), 'get').mockReturnValue({
    agent_id: 'knowledge_agent',
    external: false,
    answer: () => Promise.resolve(said),
  });
  collects(votes);
  const answered = await by.ask("What is Ohm's law?", { job_seed });
  return { answered, job: jobId(job_seed) };
}

function collects(votes: readonly boolean[]): void {
  const cast = votes.map((approve, i): CouncilVote => ({
    council_agent_id: ['council_factuality_v1', 'council_coherence_v1', 'council_safety_v1'][i]!,
    scores: { factuality: 0.5, coherence: 0.5, safety: 1 },
    approve,
    suggested_changes: '',
    note: 'a synthetic vote',
    confidence: 1,
  }));
  const unavailable: Record<string, string> = votes.length < 3 ? { council_safety_v1: 'not installed' } : {};
  const collected = { votes: cast, unavailable, collection_timeout_reached: false };
  jest.spyOn(app.parts.app.nest.get(Critics), 'collect').mockReturnValue(collected);
}

/** Critics that come to no majority, and the request for people that follows. */
async function deadlocked(job_seed: string): Promise<{ job: string; request: Request }> {
  collects([true, false]);
  const { status, body } = await tuff.ask("What is Ohm's law?", { job_seed });
  expect([status, body.error_code]).toEqual([409, 'COUNCIL_DEADLOCK']);
  const job = body.meta['job_id'] as string;
  const request = await eventually(async () => {
    const { body: page } = await council[0]!.get<{ items: { request_id: string }[] }>('/actionrequest');
    for (const { request_id } of page.items) {
      const { body: found } = await council[0]!.get<Request>(`/actionrequest/${request_id}`);
      if (found.payload.job_id === job) return found;
    }
    return undefined;
  });
  return { job, request };
}

async function decide({ request_id, proposal_digest }: Request, votes: readonly string[]): Promise<void> {
  for (const [i, vote] of votes.entries()) {
    const { status } = await council[i]!.send('POST', `/actionrequest/${request_id}/vote`, { vote, proposal_digest });
    expect(status).toBe(200);
  }
}

function reviewOf(job: string): Promise<Reviewed> {
  return eventually(async () => {
    const { body } = await tuff.get<Reviewed>(`/jobs/${job}`);
    return body.review ? body : undefined;
  });
}
