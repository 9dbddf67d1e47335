import { givenEvents } from '#lib/projections';

import { actionRequestsProjection } from './actionrequests.projection.js';

const ASKED = {
  type: 'ACTION_REQUESTED',
  stream: 'actionrequest-ar-1',
  data: {
    request_id: 'ar-1',
    action: 'sem_put',
    payload: { action: 'sem_put' },
    risk_class: 'high',
    required_approval_type: 'council_quorum',
    origin: 'agent:user_solver',
    requested_by: 'user_solver',
    proposal_digest: 'd',
    created_at: '2026-01-01T00:00:00.000Z',
    due_at: '2026-01-02T00:00:00.000Z',
    council_quorum: 3,
    justification: { $enc: { kid: 'k', nonce: 'n', ct: 'c' } },
  },
};
const of = (type: string, data: Record<string, unknown> = {}) => ({
  type,
  stream: 'actionrequest-ar-1',
  data: { request_id: 'ar-1', ...data } as never,
});
const body = async (...events: { type: string; data: never }[]) =>
  (await givenEvents(actionRequestsProjection, ASKED, ...events).documents('requests'))[0]!.body;

describe('the list of requests', () => {
  it('shows a request with its class, due time and no word that was said', async () => {
    expect(await body()).toMatchObject({
      kind: 'sem_put',
      status: 'pending',
      closes_at: ASKED.data.due_at,
      position: 1,
    });
    expect(JSON.stringify(await body())).not.toContain('$enc');
  });

  it('holds no request for what a job asks for: that is one once it is in a stream of its own', async () => {
    const data = { request_id: 'ar-2', job_id: 'job:1', reason: 'COUNCIL_DEADLOCK' };
    const wish = { type: 'ACTION_REQUESTED', stream: 'job-job:1', data };
    expect(await givenEvents(actionRequestsProjection, wish).documents('requests')).toEqual([]);
  });

  it('follows votes, decision and execution', async () => {
    const tally = { approve: 2, reject: 1, abstain: 0 };
    const approved = [of('ACTION_VOTE', { phase: 'decision', tally }), of('ACTION_APPROVED')];
    expect(await body(...approved)).toMatchObject({ tally, status: 'approved', closes_at: null });
    expect(await body(...approved, of('ACTION_EXECUTED'))).toMatchObject({ status: 'executed' });
    expect(await body(of('ACTION_REJECTED'))).toMatchObject({ status: 'rejected', closes_at: null });
    expect(await body(of('ACTION_EXPIRED'))).toMatchObject({ status: 'expired', closes_at: null });
  });

  it('keeps an emergency open until its review is done', async () => {
    const override = [
      of('EMERGENCY_OVERRIDE', { review_due_at: '2026-01-03T00:00:00.000Z' }),
      of('ACTION_APPROVED', { approval_type: 'emergency' }),
    ];
    expect(await body(...override)).toMatchObject({ status: 'approved', closes_at: '2026-01-03T00:00:00.000Z' });
    expect(await body(...override, of('EMERGENCY_REVIEWED', { outcome: 'upheld' }))).toMatchObject({
      closes_at: null,
      review: 'upheld',
    });
  });
});
