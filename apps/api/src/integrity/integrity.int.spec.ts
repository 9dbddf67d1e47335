import type { VerificationView } from '#lib/integrity';

import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { tamper } from '../../../../test/support/tampering.js';

let app: JobApp;
let ann: Caller;
const tampered: string[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  await callers();
});

afterAll(() => app.dispose({ tampered }));

describe('a log that is what was signed', () => {
  it('is found sound, with what was looked at, by one thread and by two alike', async () => {
    const tuff = await app.caller('tuff');
    await tuff.ask('6*7');
    await tuff.ask('Remember that my favorite color is red');
    const one = await verified({});
  });
});

async function callers(): Promise<void> {
  ann = await app.caller('ann', ['auditor']);
}

async function verified(body: Record<string, unknown>): Promise<VerificationView> {
  const { status, body: begun } = await ann.send<VerificationView>('POST', '/integrity/verify', body);
  expect(status).toBe(202);
  for (let view = begun; ;) {
    if (view.state !== 'running') return view;
    await new Promise((resolve) => setTimeout(resolve, 25));
    view = (await ann.get<VerificationView>(`/integrity/verifications/${begun.verification_id}`)).body;
  }
}
