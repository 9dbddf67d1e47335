import type { DsrView } from '#lib/dsr';
import type { JsonObject } from '#lib/kernel';

import { type Caller, JobApp } from '../../../../test/support/job-app.js';

/** Admins and the council decide on what others ask for; an admin's look at it leaves a record, the council's vote does. */

const SAID = 'zanzibarblue';

let app: JobApp;
let admin: Caller;
let council: Caller;
let clerk: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  admin = await app.caller('ada', ['admin']);
  council = await app.caller('cleo', ['council'], ['otp']);
  clerk = await app.caller('clara', ['admin'], ['otp']);
  expect((await (await app.caller('tuff')).ask('2 + 2')).status).toBe(200);
});
afterAll(() => app.dispose());

async function looksOf(who: string): Promise<readonly JsonObject[]> {
  const events = await app.stream(`access-${who}`);
  return events.filter(({ type }) => type === 'admin_access_event').map(({ data }) => data);
}

/** Whether no look is shown that cannot be recorded. */
async function expectRefused(path: string): Promise<void> {
  const failing = jest.spyOn(app.parts.platform.events, 'execute').mockRejectedValue(new Error('no room'));
  try {
    const { status, body } = await admin.get(path);
    expect(status).toBeGreaterThanOrEqual(500);
    expect(JSON.stringify(body)).not.toContain(SAID);
  } finally {
    failing.mockRestore();
  }
}

it('an admin reads another’s action request and its events once each look is on record', async () => {
  const asked = await clerk.send<{ request_id: string }>('POST', '/actionrequest/create', {
    kind: 'sem_put',
    payload: { key: 'user/profile/user_tuff/favorite_band', value: SAID },
    justification: SAID,
  });
  const paths = [`/actionrequest/${asked.body.request_id}`, `/governance/events/${asked.body.request_id}`];
  for (const [i, path] of paths.entries()) {
    expect(JSON.stringify((await admin.get(path)).body)).toContain(SAID);
    const looks = await looksOf('user_ada');
    expect(looks).toHaveLength(i + 1);
    expect(looks.at(-1)).toMatchObject({ resource: `actionrequest/${asked.body.request_id}`, unredacted: true });
    await expectRefused(path);
  }
  expect(JSON.stringify((await clerk.get(paths[0]!)).body)).toContain(SAID);
  expect(JSON.stringify((await council.get(paths[0]!)).body)).toContain(SAID);
  expect([await looksOf('user_clara'), await looksOf('user_cleo')]).toEqual([[], []]);
});

it('an admin reads why another admin filed for a person once the look is on record', async () => {
  const identity_proof = { document_ref: 'counter-12', reason: SAID };
  const form = { kind: 'delete', user_id: 'tuff', identity_proof };
  const { body: filed } = await clerk.send<{ dsr_id: string }>('POST', '/dsr/request', form);
  const before = await looksOf('user_ada');
  const { body } = await admin.get<DsrView & Record<string, unknown>>(`/dsr/${filed.dsr_id}`);
  expect(body.reason).toBe(SAID);
  const looks = await looksOf('user_ada');
  expect(looks).toHaveLength(before.length + 1);
  expect(looks.at(-1)).toMatchObject({ resource: `dsr/${filed.dsr_id}`, unredacted: true });
  await expectRefused(`/dsr/${filed.dsr_id}`);
  for (const who of [clerk, council]) expect((await who.get<JsonObject>(`/dsr/${filed.dsr_id}`)).status).toBe(200);
  expect([await looksOf('user_clara'), await looksOf('user_cleo')]).toEqual([[], []]);
});
