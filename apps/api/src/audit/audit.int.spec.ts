import type { AuditEvent, AuditPage } from '#lib/audit';
import type { ErrorEnvelope } from '#lib/kernel';

import { sha256 } from '../../../../libs/event-store/src/testing/codec-support.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';

const KEY = 'user/profile/user_tuff/favorite_color';
const OTHER_KEY = 'user/profile/user_tuff/city';
const QUESTION = 'What is my favourite colour?';

type Page = AuditPage & ErrorEnvelope;
type One = AuditEvent & ErrorEnvelope;

let app: JobApp;
let tuff: Caller;
let eve: Caller;
let operator: Caller;
let auditor: Caller;
let admin: Caller;
let putId: string;
let jobId: string;

beforeAll(async () => {
  app = await JobApp.open();
  [tuff, eve, operator, auditor, admin] = await Promise.all([
    app.caller('tuff'),
    app.caller('eve'),
    app.caller('olga', ['operator']),
    app.caller('ann', ['auditor']),
    app.caller('ada', ['admin']),
  ]);
  putId = (await tuff.send<{ event_id: string }>('PUT', `/sem/${KEY}`, { value: 'blue' })).body.event_id;
  jobId = (await tuff.ask(QUESTION, { job_seed: 'audited' })).body.job_id;
});
afterAll(() => app.dispose());

function event(caller: Caller, id: string, query = '') {
  return caller.get<One>(`/audit/event/${id}${query}`);
}

function accepted(): string {
  return sha256('audited:0:JOB_ACCEPTED');
}

async function accesses(who: string): Promise<readonly unknown[]> {
  const events = await app.stream(`access-${who}`);
  return events.filter(({ type }) => type === 'admin_access_event').map(({ data }) => data['resource']);
}

describe('GET /audit/event/{event_id}', () => {
  it('shows who caused it the event, without what was said, also right after it was written', async () => {
    const { status, body } = await event(tuff, putId);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      event_id: putId,
      stream: `sem-${KEY}`,
      revision: 0,
      type: 'SEM_PUT',
      signed_by: 'user_tuff',
      redacted: true,
      data: { key: KEY, value: '[redacted]', value_hash: '[redacted]', applied: true },
    });
    expect(JSON.stringify(body)).not.toContain('blue');
  });

  it('shows the owner of a job its events, also those that others caused', async () => {
    const { status, body } = await event(tuff, accepted());
    expect([status, body.job_seed, body.data['personal']]).toEqual([200, 'audited', '[redacted]']);
  });

  it('tells another user, and an operator, the same of what is not theirs as of what is not there', async () => {
    const answers = [
      await event(eve, putId),
      await event(operator, putId),
      await event(eve, accepted()),
      await event(eve, 'f'.repeat(64)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(answers.map(({ body }) => body.developer_message.replace(/[0-9a-f]{64}/, 'ID'))).toEqual(
      Array<string>(4).fill('no event ID of yours'),
    );
  });

  it('hides a pii_hash from whoever is neither auditor nor admin', async () => {
    const { body } = await tuff.ask('My SSN is 536-22-8145');
    const events = await app.stream(`job-${body.meta['job_id'] as string}`);
    const id = events.find(({ type }) => type === 'PII_FLAGGED')!.metadata.event_id;
    const seen = async (caller: Caller) => Object.keys((await event(caller, id)).body.data);
    expect(await seen(tuff)).toContain('pii_type');
    expect(await seen(tuff)).not.toContain('pii_hash');
    expect(await seen(auditor)).toContain('pii_hash');
  });

  it('shows an auditor and an admin what was said only after an admin_access_event', async () => {
    for (const [caller, who] of [
      [auditor, 'user_ann'],
      [admin, 'user_ada'],
    ] as const) {
      expect((await event(caller, putId)).body).toMatchObject({ redacted: true, data: { value: '[redacted]' } });
      expect(await accesses(who)).toEqual([]);
      const { body } = await event(caller, putId, '?unredacted=true');
      expect(body).toMatchObject({ redacted: false, data: { value: 'blue' } });
      expect(await accesses(who)).toEqual([`event/${putId}`]);
    }
  });

  it('refuses everybody else who asks for what was said, the owner too', async () => {
    const { status, body } = await event(tuff, putId, '?unredacted=true');
    expect([status, body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
  });
});

describe('an unredacted look that cannot be recorded', () => {
  it.each([`/audit/event/`, '/audit/events', `/audit/streams/${encodeURIComponent(`sem-${KEY}`)}`])(
    'is refused, and nothing of it is shown: %s',
    async (path) => {
      const { events } = app.parts.platform;
      const failing = jest.spyOn(events, 'execute').mockRejectedValue(new Error('no room for blue'));
      try {
        const at = path === '/audit/event/' ? path + putId : path;
        const { status, body } = await auditor.get<Page>(`${at}?unredacted=true`);
        expect(status).toBeGreaterThanOrEqual(500);
        expect(JSON.stringify(body)).not.toContain('blue');
      } finally {
        failing.mockRestore();
      }
    },
  );
});

describe('GET /audit/events', () => {
  it('gives every event in the order of the log, a page at a time', async () => {
    const before = (await app.texts()).length;
    const all: AuditEvent[] = [];
    let cursor = '';
    do {
      const { body } = await auditor.get<Page>(`/audit/events?limit=7${cursor}`);
      all.push(...body.items);
      cursor = body.next_cursor === null ? '' : `&cursor=${encodeURIComponent(body.next_cursor)}`;
    } while (cursor !== '');
    const stored = (await app.texts()).slice(0, all.length);
    expect(all.length).toBeGreaterThanOrEqual(before);
    expect(all.map(({ hash }) => hash)).toEqual(stored.map((text) => sha256(text)));
  });

  it('holds what was written a moment ago', async () => {
    const { body } = await tuff.send<{ event_id: string }>('PUT', `/sem/${OTHER_KEY}`, { value: 'Oslo' });
    const { items } = (await auditor.get<Page>(`/audit/events?stream=${encodeURIComponent(`sem-${OTHER_KEY}`)}`)).body;
    expect(items.map(({ event_id }) => event_id)).toEqual([body.event_id]);
    expect((await event(auditor, body.event_id)).status).toBe(200);
  });

  it('pages a stream by type too, to its end', async () => {
    const stream = encodeURIComponent(`sem-${OTHER_KEY}`);
    for (const value of ['Bergen', 'Bodo']) await tuff.send('PUT', `/sem/${OTHER_KEY}`, { value });
    const revisions: number[] = [];
    let cursor = '';
    do {
      const { body } = await auditor.get<Page>(`/audit/events?stream=${stream}&type=SEM_PUT&limit=2${cursor}`);
      revisions.push(...body.items.map(({ revision }) => revision));
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    expect(revisions).toEqual([0, 1, 2]);
    expect((await auditor.get(`/audit/events?stream=${stream}&cursor=x`)).status).toBe(400);
  });

  it('filters by stream, type and position', async () => {
    const of = async (query: string) => (await auditor.get<Page>(`/audit/events?${query}`)).body.items;
    const [put] = await of(`stream=${encodeURIComponent(`sem-${KEY}`)}`);
    expect(put).toMatchObject({ event_id: putId });
    const seals = await of(`type=JOB_SEALED`);
    expect(seals.every(({ type }) => type === 'JOB_SEALED')).toBe(true);
    expect(seals.length).toBeGreaterThan(1);
    const later = await of(`type=JOB_SEALED&from=${seals[1]!.position}`);
    expect(later.map(({ event_id }) => event_id)).toEqual(seals.slice(1).map(({ event_id }) => event_id));
  });

  it('finds what an event caused, and names the form of an id that is none', async () => {
    const { body } = await auditor.get<Page>(`/audit/events?causation_id=${accepted()}&from=1`);
    expect(body.items.map(({ type, causation_id }) => [type, causation_id])).toEqual([
      ['SNAPSHOTS_PINNED', accepted()],
    ]);
    const refused = await auditor.get<Page>('/audit/events?causation_id=abc');
    expect([refused.status, refused.body.developer_message]).toEqual([
      400,
      expect.stringMatching(/^query\.causation_id:/),
    ]);
  });

  it('refuses a type that no event has, and names the one that was meant', async () => {
    const { status, body } = await auditor.get<{ developer_message?: string }>('/audit/events?type=job_sealed');
    expect([status, body.developer_message]).toEqual([400, 'query.type: a type of event, such as JOB_SEALED']);
  });

  it('adds stored texts where asked, from which anyone can compute the hashes', async () => {
    const { body } = await auditor.get<Page>(`/audit/events?form=stored&type=SEM_PUT&limit=200`);
    for (const { canonical, hash } of body.items) expect(sha256(canonical!)).toBe(hash);
    expect(JSON.stringify(body)).not.toContain('"blue"');
  });

  it('is for auditors and admins', async () => {
    for (const path of ['/audit/events', `/audit/streams/job-${encodeURIComponent(jobId)}`]) {
      expect((await operator.get(path)).status).toBe(403);
      expect((await tuff.get(path)).status).toBe(403);
    }
  });
});

describe('GET /audit/streams/{stream}', () => {
  it('gives a stream as it stands, with the chain of its hashes', async () => {
    const { body } = await auditor.get<Page>(`/audit/streams/${encodeURIComponent(`job-${jobId}`)}?limit=200`);
    expect(body.items.map(({ type }) => type)).toEqual((await app.stream(`job-${jobId}`)).map(({ type }) => type));
    for (const [i, { prev_hash }] of body.items.entries()) {
      expect(prev_hash).toBe(i === 0 ? '0'.repeat(64) : body.items[i - 1]!.hash);
    }
    expect(JSON.stringify(body)).not.toContain(QUESTION);
  });

  it('goes on where a page ended, verified from the event before', async () => {
    const path = `/audit/streams/${encodeURIComponent(`job-${jobId}`)}`;
    const first = (await auditor.get<Page>(`${path}?limit=5`)).body;
    const rest = (await auditor.get<Page>(`${path}?limit=200&cursor=${first.next_cursor!}`)).body;
    expect(rest.items[0]).toMatchObject({ revision: 5, prev_hash: first.items.at(-1)!.hash });
    expect(rest.next_cursor).toBeNull();
  });

  it('begins at a revision, verified from the event before, and goes on from there', async () => {
    const path = `/audit/streams/${encodeURIComponent(`job-${jobId}`)}`;
    const all = (await auditor.get<Page>(`${path}?limit=200`)).body.items;
    const { items, next_cursor: next } = (await auditor.get<Page>(`${path}?limit=1&from_revision=3`)).body;
    expect(items).toEqual([all[3]]);
    expect((await auditor.get<Page>(`${path}?limit=1&from_revision=3&cursor=${next!}`)).body.items).toEqual([all[4]]);
    expect((await auditor.get<Page>(`${path}?from_revision=${all.length}`)).body.items).toEqual([]);
  });

  it('is 404 for a stream that holds nothing', async () => {
    expect((await auditor.get('/audit/streams/job-none')).status).toBe(404);
  });

  it('with what was said is one recorded look for a page', async () => {
    const stream = `sem-${KEY}`;
    const { body } = await auditor.get<Page>(`/audit/streams/${encodeURIComponent(stream)}?unredacted=true`);
    expect(body.items.map(({ data }) => data['value'])).toEqual(['blue']);
    expect(await accesses('user_ann')).toContain(`stream/${stream}`);
  });
});
