import { HISTORY_KINDS, type HistoryDiffPage } from '#lib/history';

import { STREAM_KINDS } from '../../../../test/support/every-stream.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { tamper } from '../../../../test/support/tampering.js';

const COLOR = 'user/profile/user_tuff/favorite_color';

let app: JobApp;
let tuff: Caller;
let auditor: Caller;
beforeAll(async () => {
  app = await JobApp.open();
  await callers();
});
afterAll(() => app.dispose());

const callers = async (): Promise<void> => {
  [tuff, auditor] = await Promise.all([app.caller('tuff'), app.caller('ada', ['auditor'])]);
};
const head = (): Promise<string> => app.parts.platform.eventStore.head();
const diff = async (query: string) => (await auditor.get<HistoryDiffPage>(`/history/diff?${query}`)).body;

describe('GET /history/diff', () => {
  it('tells memory, modules and jobs that changed between two positions, without what was said', async () => {
    await tuff.send('PUT', `/sem/${COLOR}`, { value: 'vermilion' });
    const from = await head();
    await tuff.send('PUT', `/sem/${COLOR}`, { value: 'ultramarine' });
    const asked = await tuff.ask('What is 2 + 3?', { job_seed: 'between' });
    const to = await head();
    const page = await diff(`from=${from}&to=${to}`);
    expect(page).toMatchObject({ from, to, next_cursor: null });
    const found = new Map(page.items.map((item) => [item.stream, item]));
    expect(found.get(`sem-${COLOR}`)).toMatchObject({
      kind: 'memory',
      change: 'changed',
      from_version: 1,
      to_version: 2,
    });
    expect(found.get(`job-${asked.body.job_id}`)).toMatchObject({ kind: 'job', change: 'created', from_version: 0 });
    expect(JSON.stringify(page)).not.toMatch(/vermilion|ultramarine/);
    expect((await diff(`from=${from}&to=${to}&kind=memory`)).items.map(({ kind }) => kind)).toEqual(['memory']);
  });

  it('tells a policy by the members of its body', async () => {
    const page = await diff('kind=policy');
    const router = page.items.find(({ stream }) => stream === 'policy-router');
    expect(router?.change).toBe('created');
    expect(router?.differences.map(({ pointer }) => pointer)).toContain('/body');
  });

  it('has a kind for every kind of stream, and refuses a word that is none', async () => {
    const named: Readonly<Record<string, string>> = { sem: 'memory', actionrequest: 'request' };
    expect([...HISTORY_KINDS].sort()).toEqual(STREAM_KINDS.map((kind) => named[kind] ?? kind).sort());
    const refused = await auditor.get<{ developer_message: string }>('/history/diff?kind=jobs');
    expect(refused).toMatchObject({ status: 400, body: { error_code: 'INVALID_INPUT' } });
    expect(refused.body.developer_message).toContain('memory');
  });

  it('is for auditors and admins', async () => {
    expect(await tuff.get('/history/diff?from=0')).toMatchObject({
      status: 403,
      body: { error_code: 'PERMISSION_DENIED' },
    });
  });

  it('refuses a range that nothing has reached, by name', async () => {
    const refused = await auditor.get<{ developer_message: string }>('/history/diff?from=0&to=99999999');
    expect(refused).toMatchObject({ status: 400, body: { error_code: 'INVALID_INPUT' } });
    expect(refused.body.developer_message).toMatch(/^to: nothing has reached position 99999999/);
  });

  it('names a stream that somebody changed in the file, and tells the others', async () => {
    const city = 'user/profile/user_tuff/city';
    const from = await head();
    await tuff.send('PUT', `/sem/${city}`, { value: 'Oslo' });
    await tuff.send('PUT', `/sem/${COLOR}`, { value: 'blue' });
    await app.whileClosed(() => tamper(app.folder, `sem-${city}`, 'SEM_PUT', '"role":"user"', '"role":"root"'));
    await callers();
    const items = (await diff(`from=${from}&kind=memory`)).items;
    expect(items.map(({ stream, change }) => [stream, change])).toEqual([
      [`sem-${city}`, 'unreadable'],
      [`sem-${COLOR}`, 'changed'],
    ]);
    expect(items[0]!.reason).toBe('revision 0: its signature does not verify');
  });
});
