import type { RequestView } from '#lib/governance';
import { jobStream } from '#lib/jobs';
import { goldenMessage } from '#lib/kernel';
import type { Divergence, ReplayResult } from '#lib/replay';

import { type Answer, type AnyBody, type Caller, type JobApp } from '../support/job-app.js';
import { PLAIN, ReplayHouse } from '../support/replay-house.js';
import { resign } from '../support/resigning.js';

/** What a replay needs the council for (seed 002 sections 7 and 11). */

let house: ReplayHouse;
let app: JobApp;
let tuff: Caller;
let auditor: Caller;
let operator: Caller;
let tampered: string[];

beforeAll(async () => {
  house = await ReplayHouse.open();
  ({ app, tuff, auditor, operator, tampered } = house);
});
afterAll(() => house.dispose());

describe('REPLAY-06', () => {
  let replayId: string;
  let first: Divergence;
  let request: string;
  let admin: Caller;

  beforeAll(async () => {
    const { body } = await house.replay(await house.forge('forced', ['ROUTER_DECISION', { depth: 2 }]), 'audit');
    [replayId, first] = [body.replay_id, body.divergence!];
    admin = await app.caller('ada', ['admin'], ['otp']);
  });

  it('REPLAY-06: going on is for an elevated admin alone', async () => {
    for (const caller of [tuff, auditor, operator]) {
      const { status, body } = await force(caller);
      expect([status, body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
    }
    const { status, body } = await force(await app.caller('ada', ['admin']));
    expect([status, body.error_code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('REPLAY-06: without the council it is FORCE_CONTINUE_REQUIRED, and files one request for exactly this difference', async () => {
    const refused = await Promise.all([force(admin), force(admin)]);
    for (const { status, body } of [...refused, await force(admin)]) {
      expect([status, body.error_code, body.user_message]).toEqual([
        409,
        'FORCE_CONTINUE_REQUIRED',
        goldenMessage('FORCE_CONTINUE_REQUIRED'),
      ]);
      expect(body.meta['replay_id']).toBe(replayId);
      request = body.meta['action_request_id'] as string;
      expect(request).toBe(refused[0].body.meta['action_request_id']);
    }
    const [, divergence, result] = await app.stream(`replay-${replayId}`);
    expect((await house.read(request)).proposal!.payload).toMatchObject({
      action: 'force_continue',
      replay_id: replayId,
      event_number: 3,
      event_type: 'ROUTER_DECISION',
      divergence_digest: result!.metadata.prev_hash,
    });
    expect(divergence!.type).toBe('REPLAY_DIVERGENCE');
    expect(await app.stream(`actionrequest-${request}`)).toHaveLength(1);
  });

  it('REPLAY-06: at a revision that was not read nobody is asked and nothing goes on', async () => {
    const at = `/replay/${replayId}`;
    const { headers } = await admin.get(at);
    const held = (tag: string) => admin.send('POST', `${at}/force_continue`, {}, { 'if-match': tag });
    expect((await held('"0"')).body.error_code).toBe('PRECONDITION_FAILED');
    expect((await held(String(headers['etag']))).body.error_code).toBe('FORCE_CONTINUE_REQUIRED');
  });

  it('REPLAY-06: nobody asks for it in other words', async () => {
    const { payload } = (await house.read(request)).proposal!;
    const body = { kind: 'force_continue', payload, justification: 'let me' };
    const { status, body: answer } = await admin.send('POST', '/actionrequest/create', body);
    expect([status, answer.error_code]).toEqual([400, 'INVALID_INPUT']);
  });

  it('REPLAY-06: an emergency does not stand in for the council', async () => {
    expect(await house.overridden(request)).toEqual(['409 CONFLICT', '409 CONFLICT']);
    const { status, body } = await force(admin);
    expect([status, body.error_code]).toEqual([409, 'FORCE_CONTINUE_REQUIRED']);
    expect(await app.stream(`actionrequest-${request}`)).toHaveLength(1);
  });

  it('REPLAY-06: with the council’s approval it goes on to the end, every difference told, and is no proof', async () => {
    await house.vote(request, ['anna', 'ben', 'cara']);
    const { status, body } = await force<ReplayResult>(admin);
    expect(status).toBe(200);
    expect(body).toMatchObject({ verdict: 'MISMATCH', authoritative: false, forced_by: request, divergence: first });
    // The council decided on depth 2; what was recorded after it was decided on depth 1.
    expect(body.divergences_total).toBe(1);
    expect(body.steps.map(({ step, verdict }) => `${step}: ${verdict}`).slice(-8)).toEqual([
      'classification: ok',
      'router decisions: failed',
      'agent turns: ok',
      'council decisions: ok',
      'brainstate ticks: ok',
      'notices: ok',
      'final answer: ok',
      'reflective log and seal: ok',
    ]);
    const recorded = await app.stream(`replay-${replayId}`);
    expect(recorded.map(({ type }) => type)).toEqual([
      'REPLAY_REQUEST',
      'REPLAY_DIVERGENCE',
      'REPLAY_RESULT',
      'FORCE_CONTINUE',
      'REPLAY_RESULT',
    ]);
    expect(recorded[3]!.data).toMatchObject({
      actor_id: 'user_ada',
      action_request_id: request,
      approvals: ['user_anna', 'user_ben', 'user_cara'],
      divergence_digest: recorded[2]!.metadata.prev_hash,
    });
    expect((await force<ReplayResult>(admin)).body).toEqual(body);
    expect((await auditor.get<ReplayResult>(`/replay/${replayId}${PLAIN}`)).body).toEqual(body);
    expect(await app.stream(`replay-${replayId}`)).toHaveLength(5);
  });

  it('REPLAY-06: every further difference is told, in order', async () => {
    const forged = await house.forge(
      'forged-twice',
      ['ROUTER_DECISION', { depth: 2 }],
      ['BRAINSTATE_TICK', { brainstate_id: 'bs:other' }],
    );
    const { body: stop } = await house.replay(forged, 'audit');
    const { body: asked } = await force(admin, stop.replay_id);
    await house.vote(asked.meta['action_request_id'] as string, ['anna', 'ben', 'cara']);
    const { body } = await force<ReplayResult>(admin, stop.replay_id);
    expect([body.divergence!.event_type, ...body.further.map(({ event_type }) => event_type)]).toEqual([
      'ROUTER_DECISION',
      'BRAINSTATE_TICK',
    ]);
    expect([body.divergence, body.divergences_total]).toEqual([stop.divergence, 2]);
  });

  it('REPLAY-06: another difference than the one approved stops it there, on record, and is put before the council anew', async () => {
    const forged = await house.forge('forged-anew', ['ROUTER_DECISION', { depth: 2 }]);
    const { body: stop } = await house.replay(forged, 'audit');
    const approved = (await force(admin, stop.replay_id)).body.meta['action_request_id'] as string;
    await house.vote(approved, ['anna', 'ben', 'cara']);
    await resign(app, jobStream(forged), 'ROUTER_DECISION', { depth: 1 });
    await resign(app, jobStream(forged), 'BRAINSTATE_TICK', { brainstate_id: 'bs:other' });
    const { status, body } = await force(admin, stop.replay_id);
    expect([status, body.error_code]).toEqual([409, 'FORCE_CONTINUE_REQUIRED']);
    expect(body.developer_message).toContain('(BRAINSTATE_TICK)');
    const anew = body.meta['action_request_id'] as string;
    expect(anew).not.toBe(approved);
    const recorded = await app.stream(`replay-${stop.replay_id}`);
    expect(recorded.map(({ type }) => type)).toEqual([
      'REPLAY_REQUEST',
      'REPLAY_DIVERGENCE',
      'REPLAY_RESULT',
      'REPLAY_DIVERGENCE',
      'REPLAY_RESULT',
    ]);
    const told = (await auditor.get<ReplayResult>(`/replay/${stop.replay_id}${PLAIN}`)).body;
    expect(told).toMatchObject({
      verdict: 'MISMATCH',
      forced_by: null,
      divergences_total: 1,
      divergence: { event_type: 'BRAINSTATE_TICK', pointer: '/data/brainstate_id' },
    });
    expect((await force(admin, stop.replay_id)).body.meta['action_request_id']).toBe(anew);
    expect(await app.stream(`replay-${stop.replay_id}`)).toHaveLength(5);

    await house.vote(anew, ['anna', 'ben', 'cara']);
    const { body: forced } = await force<ReplayResult>(admin, stop.replay_id);
    expect(forced).toMatchObject({ authoritative: false, forced_by: anew, divergence: told.divergence });
    expect((await auditor.get<ReplayResult>(`/replay/${stop.replay_id}${PLAIN}`)).body).toEqual(forced);
  });

  it('REPLAY-06: a record that was put back leaves nothing to go on past, and no FORCE_CONTINUE', async () => {
    const forged = await house.forge('put-back', ['ROUTER_DECISION', { depth: 2 }]);
    const { body: stop } = await house.replay(forged, 'audit');
    await house.vote((await force(admin, stop.replay_id)).body.meta['action_request_id'] as string, [
      'anna',
      'ben',
      'cara',
    ]);
    await resign(app, jobStream(forged), 'ROUTER_DECISION', { depth: 1 });
    tampered.splice(tampered.indexOf(forged), 1);
    const { status, body } = await force(admin, stop.replay_id);
    expect([status, body.error_code]).toEqual([409, 'CONFLICT']);
    expect(await app.stream(`replay-${stop.replay_id}`)).toHaveLength(3);
    expect((await auditor.get<ReplayResult>(`/replay/${stop.replay_id}${PLAIN}`)).body).toEqual(stop);
  });

  it('REPLAY-06: a replay that stopped at no difference has nothing to go on past', async () => {
    const { body: job } = await tuff.ask('6*7', { job_seed: 'sound' });
    const { body } = await house.replay(job.job_id, 'audit');
    const answer = await force(admin, body.replay_id);
    expect([answer.status, answer.body.error_code]).toEqual([409, 'CONFLICT']);
    const none = await force(admin, `rp-${'0'.repeat(32)}`);
    expect([none.status, none.body.error_code]).toEqual([404, 'NOT_FOUND']);
  });

  function force<T = AnyBody>(caller: Caller, id = replayId): Promise<Answer<T>> {
    return caller.send<T>('POST', `/replay/${id}/force_continue${PLAIN}`, {});
  }
});

describe('a production replay', () => {
  it('is for auditors and admins, and for an operator with the council’s approval of that job alone', async () => {
    const { body: job } = await tuff.ask('6*7', { job_seed: 'by-approval' });
    const asked = { job_id: job.job_id, mode: 'production' };
    const denied = await operator.send('POST', '/replay/request', asked);
    expect([denied.status, denied.body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
    expect(await app.stream(`replay-${denied.body.meta['replay_id'] as string}`)).toMatchObject([
      { type: 'REPLAY_REQUEST', data: { ...asked, actor_id: 'user_otto' } },
      { type: 'REPLAY_RESULT', data: { ...asked, verdict: null, error_code: 'PERMISSION_DENIED', steps: [] } },
    ]);
    expect((await (await app.caller('ada', ['admin'])).send('POST', '/replay/request', asked)).status).toBe(200);

    const wish = {
      kind: 'production_replay',
      payload: { action: 'production_replay', job_id: job.job_id },
      justification: 'forensics',
    };
    const { body: request } = await operator.send<RequestView>('POST', '/actionrequest/create', wish);
    const approval_id = request.request_id;
    const early = await operator.send('POST', '/replay/request', { ...asked, approval_id });
    expect([early.status, early.body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
    expect(await house.overridden(approval_id)).toEqual(['409 CONFLICT', '409 CONFLICT']);
    expect((await operator.send('POST', '/replay/request', { ...asked, approval_id })).status).toBe(403);
    await house.vote(approval_id, ['anna', 'ben', 'cara']);
    const allowed = await operator.send<ReplayResult>('POST', '/replay/request', { ...asked, approval_id });
    expect([allowed.status, allowed.body.verdict]).toEqual([200, 'MATCH']);

    const { body: other } = await tuff.ask('6*8', { job_seed: 'not-approved' });
    const elsewhere = { job_id: other.job_id, mode: 'production', approval_id };
    expect((await operator.send('POST', '/replay/request', elsewhere)).status).toBe(403);
    const olga = await app.caller('olga', ['operator']);
    expect((await olga.send('POST', '/replay/request', { ...asked, approval_id })).status).toBe(403);
  });
});
