import type { Caller, JobApp } from '../../../../../test/support/job-app.js';

export const COLOR_PARTS = 'scope: "user", entity_type: "profile", entity_id: "user_ada", attribute: "favorite_color"';
const COLOR = '/sem/user/profile/user_ada/favorite_color';

/** What lists lead to that were filled. */
export interface Filled {
  /** They pin snapshots that are halted by now. */
  readonly jobs: readonly string[];
  readonly log: string;
}

/** Several of whatever an admin can make several of by requests. */
export async function filled(app: JobApp, ada: Caller): Promise<Filled> {
  const sent = async (...asked: Parameters<Caller['send']>): Promise<void> => {
    const { status, body } = await ada.send(...asked);
    if (status >= 300) throw new Error(`${asked[1]}: ${status} ${body.developer_message}`);
  };
  const shades = ['blue', 'green', 'red', 'grey'];
  for (const value of shades) await sent('PUT', COLOR, { value });
  const jobs = [];
  for (let i = 0; i < 4; i++) jobs.push((await (await app.caller(`person_${i}`)).ask(`${i} + ${i}`)).body);
  const { log_id: log } = jobs[0]!;
  for (const shade of shades) {
    await sent('POST', `/reflective-logs/${log}/amendments`, { effect: 'note', changes: { note: shade } });
    await sent('POST', '/consents', { pii_type: 'phone', scope: 'job', job_seed: shade, consent_text: 'this once' });
    const payload = { action: 'maintenance', what: shade };
    const asked = { kind: 'maintenance', payload, justification: 'it is due' };
    await sent('POST', '/actionrequest/create', asked);
  }
  for (const { job_id } of jobs) await sent('POST', '/replay/request', { job_id, mode: 'audit' });
  for (const { job_id } of jobs) await sent('POST', '/events/failure', { event_type: 'SECURITY_INCIDENT', job_id });
  return { jobs: jobs.map(({ job_id }) => job_id), log };
}
