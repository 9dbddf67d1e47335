import type { ErrorEnvelope, JsonObject } from '#lib/kernel';
import type { ReplayResult } from '#lib/replay';

import { CANARIES, showing } from '../../../../test/support/canaries.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';

const VALUES = Object.values(CANARIES);

let app: JobApp;
let operator: Caller;
let auditor: Caller;
let job_id: string;

beforeAll(async () => {
  app = await JobApp.open();
  [operator, auditor] = await Promise.all([app.caller('olga', ['operator']), app.caller('ann', ['auditor'])]);
  job_id = (await (await app.caller('tuff')).ask('6*7')).body.job_id;
});
afterAll(() => app.dispose());

const ask = (who: Caller, body: JsonObject, query = '') =>
  who.send<ReplayResult & ErrorEnvelope>('POST', `/replay/request${query}`, { job_id, ...body });
const mocks = (reply: string) => ({ mode: 'audit', mocks: [{ agent_id: 'creative_agent', reply }] });
const eventsOf = async (type: string): Promise<number> =>
  (await app.texts()).filter((text) => text.includes(`"type":"${type}"`)).length;
const looksOf = async (who: string) =>
  (await app.stream(`access-${who}`)).filter(({ type }) => type === 'admin_access_event').map(({ data }) => data);

describe('the words that somebody gives as an engine’s', () => {
  it.each(VALUES)('are refused where they hold personal data, and are in nothing that is stored: %s', async (value) => {
    const [requests, flags] = [await eventsOf('REPLAY_REQUEST'), await eventsOf('PII_FLAGGED')];
    const { status, body } = await ask(operator, mocks(`A poem of rain, for ${value}`));
    expect([status, body.error_code]).toEqual([403, 'PRIVACY_BLOCKED']);
    expect(showing(Buffer.from(`${JSON.stringify(body)}${(await app.texts()).join('\n')}`), [value])).toEqual([]);
    expect([await eventsOf('REPLAY_REQUEST'), await eventsOf('PII_FLAGGED')]).toEqual([requests, flags + 1]);
  });

  it('put the replay on record as a look at the job, since its verdict answers a guess', async () => {
    const before = (await looksOf('user_olga')).length;
    expect((await ask(operator, mocks('A poem of rain'))).status).toBe(200);
    expect((await looksOf('user_olga')).slice(before)).toEqual([
      expect.objectContaining({ resource: `job/${job_id}`, action: 'mock', unredacted: false }),
    ]);
    expect((await ask(auditor, mocks('A poem of rain'), '?unredacted=true')).status).toBe(200);
    expect(await looksOf('user_ann')).toEqual([
      expect.objectContaining({ resource: `job/${job_id}`, action: 'mock', unredacted: true }),
    ]);
  });

  it('do not run where that cannot be recorded', async () => {
    const requests = await eventsOf('REPLAY_REQUEST');
    const failing = jest.spyOn(app.parts.platform.events, 'execute').mockRejectedValue(new Error('no room'));
    try {
      expect((await ask(operator, mocks('A poem of rain'))).status).toBeGreaterThanOrEqual(500);
    } finally {
      failing.mockRestore();
    }
    expect(await eventsOf('REPLAY_REQUEST')).toBe(requests);
  });
});

describe('an operator who asks for what was said', () => {
  it('is refused before anything is replayed or shown', async () => {
    const { body: replayed } = await ask(operator, {});
    const before = (await app.stream(`replay-${replayed.replay_id}`)).length;
    const requests = await eventsOf('REPLAY_REQUEST');
    const answers = [
      await ask(operator, {}, '?unredacted=true'),
      await ask(operator, mocks('A poem'), '?unredacted=true'),
      await operator.get<ErrorEnvelope>(`/replay/${replayed.replay_id}?unredacted=true`),
    ];
    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual(
      answers.map(() => [403, 'PERMISSION_DENIED']),
    );
    expect(await eventsOf('REPLAY_REQUEST')).toBe(requests);
    expect(await app.stream(`replay-${replayed.replay_id}`)).toHaveLength(before);
  });
});
