import { type CouncilVote, Critics } from '#lib/council';
import type { Review } from '#lib/jobs';

import { eventually } from '../../../../test/support/eventually.js';
import { type AnyBody, type Caller, JobApp } from '../../../../test/support/job-app.js';

type Reviewed = AnyBody & { readonly review?: Review };
interface Request {
  readonly request_id: string;
  readonly proposal_digest: string;
  readonly payload: { readonly job_id: string };
}

let app: JobApp;
let tuff: Caller;
let council: readonly Caller[];

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('tuff');
  council = await Promise.all(['cora', 'carl', 'cleo'].map((who) => app.caller(who, ['council'], ['otp'])));
});
afterAll(() => app.dispose());
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

/** Critics that come to no majority, and the request for people that follows. */
async function deadlocked(job_seed: string): Promise<{ job: string; request: Request }> {
  const vote = (council_agent_id: string, approve: boolean): CouncilVote => ({
    council_agent_id,
    scores: { factuality: 0.5, coherence: 0.5, safety: 1 },
    approve,
    suggested_changes: '',
    note: 'a synthetic vote',
    confidence: 1,
  });
  jest.spyOn(app.parts.app.nest.get(Critics), 'collect').mockReturnValue({
    votes: [vote('council_factuality_v1', true), vote('council_coherence_v1', false)],
    unavailable: { council_safety_v1: 'not installed' },
    collection_timeout_reached: false,
  });
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
