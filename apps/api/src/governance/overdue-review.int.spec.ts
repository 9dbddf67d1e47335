import type { RequestView } from '#lib/governance';

import { until } from '../../../../test/support/eventually.js';
import { JobApp } from '../../../../test/support/job-app.js';

const DAY_MS = 24 * 3_600_000;
const PAYLOAD = { action: 'sem_put', key: 'world/physics/ohm/law', value: 'U = RI' };

let app: JobApp;
beforeAll(async () => (app = await JobApp.open()));
afterAll(async () => {
  jest.restoreAllMocks();
  await app.dispose();
});

describe('the review of an emergency', () => {
  it('that nobody held while the process was down is overdue once it starts again, and only once', async () => {
    const root = await app.caller('root', ['superadmin'], ['otp']);
    const ada = await app.caller('ada', ['admin'], ['otp']);
    const order = { kind: 'sem_put', payload: PAYLOAD, justification: 'j', reason: 'the lights are off' };
    const { body: begun } = await root.send<RequestView>('POST', '/superadmin/override', order);
    const { request_id, proposal_digest } = begun;
    const { body } = await ada.send<RequestView>('POST', '/superadmin/override', { request_id, proposal_digest });
    expect(body).toMatchObject({ status: 'approved', emergency: { review: { outcome: null } } });

    const now = Date.now.bind(Date);
    await app.whileClosed(() => void jest.spyOn(Date, 'now').mockImplementation(() => now() + DAY_MS + 1000));
    const reviewed = () => app.stream(`actionrequest-${request_id}`);
    const closings = async () => (await reviewed()).filter(({ type }) => type === 'EMERGENCY_REVIEWED');
    await until(async () => (await closings()).length > 0);
    expect(await closings()).toMatchObject([
      {
        data: { outcome: 'overdue', tally: { approve: 0, reject: 0, abstain: 0 } },
        metadata: { actor: { id: 'system' } },
      },
    ]);
    await app.whileClosed(() => undefined);
    const eve = await app.caller('eve', ['council'], ['otp']);
    const late = { vote: 'approve', proposal_digest };
    expect((await eve.send('POST', `/actionrequest/${request_id}/vote`, late)).status).toBe(409);
    expect(await closings()).toHaveLength(1);
  });
});
