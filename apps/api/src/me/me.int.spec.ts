import type { OwnData, OwnList } from '#lib/dsr';

import { eventually } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';

let app: JobApp;
let tuff: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('tuff');
});
afterAll(() => app.dispose());

const own = async (by: Caller): Promise<OwnData> => (await by.get<OwnData>('/me')).body;
const put = (by: Caller, path: string, value: unknown) => by.send('PUT', `/sem/user/profile/${path}`, { value });

describe('what is kept of somebody', () => {
  it('is keys, consents, jobs, requests and second factor: theirs alone, without what was said', async () => {
    const eve = await app.caller('eve');
    await put(eve, 'user_eve/pet', 'a cat called Zinfandel');
    expect(await own(tuff)).toMatchObject({
      user_id: 'user_tuff',
      roles: ['user'],
      second_factor: { enrolled: false, enrolled_at: null },
      keys: { items: [], list: '/me/keys', more: false },
    });
    await put(tuff, 'user_tuff/favorite_color', 'ultramarine');
    await put(tuff, 'user_tuff/favorite_color', 'cobalt');
    await put(tuff, 'user_tuff/gone', 'nothing');
    const admin = await app.caller('ada', ['admin'], ['otp']);
    await admin.send('DELETE' as 'PUT', '/sem/user/profile/user_tuff/gone', undefined);
    await tuff.send('POST', '/consents', { pii_type: 'phone', scope: 'persistent', consent_text: 'Keep it.' });
    await tuff.ask('What is my favorite color?');
    const { secret } = await app.parts.platform.secondFactors.enrol('user_tuff', Date.now());
    const document = { document_ref: 'passport-12', reason: 'at the counter' };
    await admin.send('POST', '/dsr/request', { kind: 'export', user_id: 'tuff', identity_proof: document });

    const told = await eventually(async () => {
      const answer = await own(tuff);
      return answer.requests.items.length > 0 && answer.keys.items[0]?.revision === 1 ? answer : null;
    }, 'what was written');
    expect(told.keys.items).toEqual([
      { key: 'user/profile/user_tuff/favorite_color', revision: 1, position: expect.any(String), withheld: false },
    ]);
    expect(told.consents.items).toMatchObject([{ pii_type: 'phone', status: 'active' }]);
    expect(told.jobs.items).toMatchObject([{ user_id: 'user_tuff', status: 'completed' }]);
    expect(told.requests.items).toMatchObject([{ kind: 'export', status: 'ready', user_id: 'user_tuff' }]);
    expect(told.second_factor).toEqual({ enrolled: true, enrolled_at: expect.any(String) });
    expect(JSON.stringify(told)).not.toMatch(new RegExp(`ultramarine|cobalt|user_eve|counter|${secret}`));
    // An admin sees what is kept of the admin, and of nobody else.
    expect((await own(admin)).keys.items).toEqual([]);
    expect((await own(admin)).requests.items).toEqual([]);
    expect((await own(admin)).jobs.items).toEqual([]);
  });

  it('names a key that is kept and withheld, because the consent to it has ended', async () => {
    const zed = await app.caller('zed');
    const terms = { pii_type: 'email', scope: 'persistent', consent_text: 'Keep where I can be reached.' };
    const { consent_id } = (await zed.send<{ consent_id: string }>('POST', '/consents', terms)).body;
    expect((await put(zed, 'user_zed/contact', 'zed@pennyfarthing-cycles.org')).status).toBe(200);
    await zed.send('POST', `/consents/${consent_id}/revoke`, {});
    const { keys } = await eventually(async () => {
      const answer = await own(zed);
      return answer.keys.items.length > 0 ? answer : null;
    }, 'the key');
    expect(keys.items).toMatchObject([{ key: 'user/profile/user_zed/contact', withheld: true }]);
  });

  it('is never one body of everything: the first twenty of each, and pages for the rest', async () => {
    const many = await app.caller('many');
    for (let i = 0; i < 23; i++) await put(many, `user_many/thing_${String.fromCharCode(97 + i)}`, i);
    const listed = await eventually(async () => {
      const { body } = await many.get<Page>('/me/keys?limit=15');
      if (body.next_cursor === null) return null;
      const rest = (await many.get<Page>(`/me/keys?limit=15&cursor=${body.next_cursor}`)).body;
      return rest.items.length === 8 ? [...body.items, ...rest.items] : null;
    }, 'all of them in two pages');
    expect(new Set(listed.map(({ key }) => key)).size).toBe(23);
    const { keys } = await own(many);
    expect([keys.items.length, keys.more]).toEqual([20, true]);
    for (const list of ['jobs', 'requests', 'action-requests']) {
      expect((await many.get<Page>(`/me/${list}`)).body).toMatchObject({ items: [], next_cursor: null });
    }
  });
});

interface Page {
  readonly items: OwnList<{ readonly key: string }>['items'];
  readonly next_cursor: string | null;
}
