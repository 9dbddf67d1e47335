import { EventLog } from '#lib/event-store';
import { HISTORY_KINDS, type HistoryDiffPage } from '#lib/history';

import { STREAM_KINDS } from '../../../../test/support/every-stream.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { tamper } from '../../../../test/support/tampering.js';

const COLOR = 'user/profile/user_tuff/favorite_color';

interface Told {
  readonly __typename?: string;
  readonly error_code?: string;
}

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

  it('waits its turn among the principal’s reads of histories, as a past module and each of twenty aliases does', async () => {
    const log = app.parts.app.nest.get(EventLog);
    const ida = await app.caller('ida', ['user', 'auditor']);
    await ida.send('PUT', '/sem/user/profile/user_ida/color', { value: 'blue' });
    const position = await head();
    const parts = 'scope: "user", entity_type: "profile", entity_id: "user_ida", attribute: "color"';
    const alias = (i: number): string =>
      `a${i}: sem(${parts}, as_of: "${position}") { __typename ... on Failure { error_code } }`;
    const document = `{ ${Array.from({ length: 20 }, (_, i) => alias(i)).join(' ')} }`;
    const told = async (who: Caller): Promise<readonly string[]> => {
      const { body } = await who.send<{ data: Record<string, Told> }>('POST', '/graphql', { query: document });
      const answers = [
        await who.get<Told>(`/history/diff?from=${position}`),
        await who.get<Told>(`/modules/agent:math_v1?as_of=${position}`),
      ];
      const aliases = Object.values(body.data).map(({ __typename, error_code }) => error_code ?? __typename!);
      return [...answers.map(({ status, body: { error_code } }) => `${status} ${error_code}`), ...aliases];
    };
    const run = jest.spyOn(log.histories, 'run');
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const others = Array.from({ length: 2 + 256 }, () => log.histories.run('user_ida', () => held));
    const all = (http: string, field: string): readonly string[] => [http, http, ...Array<string>(20).fill(field)];
    expect(await told(ida)).toEqual(all('429 RATE_LIMITED', 'RATE_LIMITED'));
    expect((await auditor.get(`/history/diff?from=${position}`)).status).toBe(200);
    end();
    await Promise.all(others);
    run.mockClear();
    expect(await told(ida)).toEqual(all('200 undefined', 'SemValue'));
    expect(run.mock.calls.map(([who]) => who)).toEqual(Array(22).fill('user_ida'));
    run.mockRestore();
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
