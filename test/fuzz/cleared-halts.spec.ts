import { until } from '../support/eventually.js';
import { JobApp } from '../support/job-app.js';
import { clearHalts, releaseLogs } from './cleared-halts.js';

it('clears what an incident halted, so that every job replays, and nothing where nothing is halted', async () => {
  const app = await JobApp.open();
  try {
    const tuff = await app.caller('tuff');
    const { body: job } = await tuff.send<{ job_id: string }>('POST', '/jobs', { query_text: 'What is 2 + 2?' });
    expect(await clearHalts(app)).toBe(0);
    const admin = await app.caller('ada', ['admin'], ['otp']);
    const report = { event_type: 'SECURITY_INCIDENT', job_id: job.job_id };
    const reported = await admin.send('POST', '/events/failure', report);
    expect([reported.status, reported.body]).toEqual([200, reported.body]);
    const refused = await tuff.send('POST', '/jobs', { query_text: 'What is 3 + 3?' });
    expect(refused.body).toMatchObject({ error_code: 'INTEGRITY_FAILURE' });
    expect(await clearHalts(app)).toBe(6);
    const again = await tuff.send('POST', '/jobs', { query_text: 'What is 4 + 4?' });
    expect(again).toMatchObject({ status: 200, body: { final_answer: '4 + 4 = 8.' } });
  } finally {
    await app.dispose();
  }
});

it('has the logs verified again that a report quarantined, so that their jobs replay', async () => {
  const app = await JobApp.open();
  try {
    const tuff = await app.caller('tuff');
    const { body: job } = await tuff.send<{ job_id: string }>('POST', '/jobs', { query_text: 'What is 2 + 2?' });
    expect(await releaseLogs(app, await app.texts())).toBe(0);
    const admin = await app.caller('ada', ['admin'], ['otp']);
    const report = { event_type: 'INTEGRITY_FAILURE', job_id: job.job_id };
    expect((await admin.send('POST', '/events/failure', report)).status).toBe(200);
    const quarantined = async () => (await app.jobTexts()).some((text) => text.includes('"type":"INTEGRITY_FAILURE"'));
    await until(quarantined, 'the quarantine');
    await clearHalts(app);
    expect(await releaseLogs(app, await app.texts())).toBe(1);
  } finally {
    await app.dispose();
  }
});
