import type { AgentReply } from '#lib/agents';
import type { RequestView } from '#lib/governance';
import { jobStream } from '#lib/jobs';
import type { JsonObject } from '#lib/kernel';
import { ProjectionHost } from '#lib/projections';
import type { ReplayResult } from '#lib/replay';
import { SelfrepSnapshots } from '#lib/selfrep';

import { InstalledAgents } from '../../apps/api/src/jobs/agents.js';
import { type Answer, type AnyBody, type Caller, JobApp } from './job-app.js';
import { resign } from './resigning.js';

/** What a replay that matches answers, whichever it is. */
export const REPLAYED = {
  verdict: 'MATCH',
  authoritative: true,
  divergence: null,
  further: [],
  divergences_total: 0,
  forced_by: null,
  error_code: null,
  status: 'done',
};
/** With what was said: that an auditor or admin looked is recorded. */
export const PLAIN = '?unredacted=true';
export const POEM = 'Rain, and the street is a river of lights.';
/** What a poet of another process said, as its agent records it. */
export const SAID: Extract<AgentReply, { kind: 'answer' }> = {
  kind: 'answer',
  text: POEM,
  confidence: 0.7,
  reasoning_trace: ['asked poet-1 at poems.example:443'],
  evidence: [],
  memory_write: null,
};

/** A house with a poet of another process, whose jobs are replayed and forged. */
export class ReplayHouse {
  /** Jobs that were changed on purpose. */
  readonly tampered: string[] = [];

  private constructor(
    readonly app: JobApp,
    readonly tuff: Caller,
    readonly auditor: Caller,
    readonly operator: Caller,
  ) {}

  static async open(): Promise<ReplayHouse> {
    const app = await JobApp.open();
    app.parts.app.nest
      .get(InstalledAgents)
      .set('creative_agent', { agent_id: 'creative_agent', external: true, answer: () => Promise.resolve(SAID) });
    await app.parts.app.nest.get(SelfrepSnapshots).renew();
    const [tuff, auditor, operator] = await Promise.all([
      app.caller('TUFF'),
      app.caller('ann', ['auditor']),
      app.caller('otto', ['operator']),
    ]);
    return new ReplayHouse(app, tuff, auditor, operator);
  }

  dispose(): Promise<void> {
    return this.app.dispose({ tampered: this.tampered });
  }

  replay(job_id: string, mode: 'audit' | 'reexecute' | 'production'): Promise<Answer<ReplayResult>> {
    return this.auditor.send<ReplayResult>('POST', `/replay/request${PLAIN}`, { job_id, mode });
  }

  refusedReplay(job_id: string, mode: string): Promise<Answer<AnyBody>> {
    return this.auditor.send('POST', '/replay/request', { job_id, mode });
  }

  /** A job whose record was changed, event by event, by somebody who holds the keys. */
  async forge(job_seed: string, ...changes: readonly (readonly [type: string, change: JsonObject])[]): Promise<string> {
    const { body } = await this.tuff.ask('6*7', { job_seed });
    this.tampered.push(body.job_id);
    for (const [type, change] of changes) await resign(this.app, jobStream(body.job_id), type, change);
    return body.job_id;
  }

  /** An action request, as an admin reads it. */
  async read(id: string): Promise<RequestView> {
    const admin = await this.app.caller('ada', ['admin'], ['otp']);
    return (await admin.get<RequestView>(`/actionrequest/${id}`)).body;
  }

  async vote(id: string, members: readonly string[]): Promise<void> {
    const { proposal_digest } = await this.read(id);
    for (const member of members) {
      const voter = await this.app.caller(member, ['council'], ['otp']);
      const { status } = await voter.send('POST', `/actionrequest/${id}/vote`, { vote: 'approve', proposal_digest });
      expect(status).toBe(200);
    }
  }

  /** What a superadmin and another admin are answered who sign a request as an emergency. */
  async overridden(id: string): Promise<readonly string[]> {
    const { proposal_digest } = await this.read(id);
    const answers: string[] = [];
    for (const [name, role] of [['root', 'superadmin'] as const, ['bob', 'admin'] as const]) {
      const signer = await this.app.caller(name, [role], ['otp']);
      const signed = { request_id: id, proposal_digest, reason: 'the council sleeps' };
      const { status, body } = await signer.send('POST', '/superadmin/override', signed);
      answers.push(`${status} ${body.error_code}`);
    }
    return answers;
  }

  /** A checkpoint is signed over everything so far. */
  async covered(): Promise<void> {
    const { proof, eventStore } = this.app.parts.platform;
    await proof.covering(await eventStore.head(), 60_000);
  }

  /** The list of replays holds everything so far. */
  async caughtUp(): Promise<void> {
    const host = this.app.parts.app.nest.get(ProjectionHost);
    await host.waitFor(await this.app.parts.platform.eventStore.head(), ['replays']);
  }
}
