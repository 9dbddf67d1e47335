import { jobStream } from '#lib/jobs';
import type { JsonObject } from '#lib/kernel';

import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { resign, resignStored } from '../support/resigning.js';

/** Records that were signed again in a form that no job writes, looked at by everybody who reads a job. */

let app: JobApp;
let tuff: Caller;
let auditor: Caller;
const tampered: string[] = [];

beforeAll(async () => {
  // What was signed in another form is shown in it.
  app = await JobApp.open({}, {}, 'as they come');
  [tuff, auditor] = [await app.caller('TUFF'), await app.caller('ann', ['auditor'])];
});
afterAll(() => app.dispose({ tampered }));

const HIDDEN = { $enc: { kid: 'x.1.y', ct: 'eA', nonce: 'eA' } };

async function asked(): Promise<string> {
  const { body } = await tuff.ask('6*7');
  tampered.push(body.job_id);
  return body.job_id;
}

/** What everybody is answered who looks at a job, by the place where they look. */
async function looked(id: string): Promise<Readonly<Record<string, string>>> {
  const told: Record<string, string> = {};
  const shown = ({ status, body }: { status: number; body: AnyBody }): string =>
    status < 400 ? 'read' : `${status} ${body.error_code} ${body.developer_message}`;
  for (const path of [`/jobs/${id}`, `/jobs/${id}/explain`, `/jobs/${id}/events`])
    told[path.slice(`/jobs/${id}`.length)] = shown(await tuff.get<AnyBody>(path));
  told['stream'] = shown(await auditor.get<AnyBody>(`/audit/streams/${jobStream(id)}`));
  told['bundle'] = shown(await auditor.get<AnyBody>(`/audit/bundle/${id}`));
  told['replay'] = shown(await auditor.send<AnyBody>('POST', '/replay/request', { job_id: id, mode: 'audit' }));
  return told;
}

it.each<[string, string, JsonObject]>([
  ['an object for tags', 'QCP_CLASSIFIED', { intent_tags: {} }],
  ['a text for tags', 'QCP_CLASSIFIED', { intent_tags: 'x' }],
  ['what looks encrypted for tags', 'QCP_CLASSIFIED', { intent_tags: HIDDEN }],
  ['what looks encrypted for critics', 'COUNCIL_DECISION', { unavailable_critics: HIDDEN }],
])('a record with %s is an integrity failure to who is shown it, with its place', async (_, type, change) => {
  const id = await asked();
  const revision = (await app.stream(jobStream(id))).findIndex((event) => event.type === type);
  await resign(app, jobStream(id), type, change);
  const told = await looked(id);
  const [field] = Object.keys(change);
  const place = `409 INTEGRITY_FAILURE stream ${jobStream(id)}, revision ${revision}: /data/${field} of ${type} is of a form`;
  for (const by of ['', '/explain', '/events', 'bundle'])
    expect([by, told[by]]).toEqual([by, expect.stringContaining(place)]);
  expect(Object.values(told).filter((answer) => answer.startsWith('5'))).toEqual([]);
});

it.each([300, 20_000])('lists in lists, %i deep, are an integrity failure to everybody', async (depth) => {
  const id = await asked();
  const deep = '['.repeat(depth) + ']'.repeat(depth);
  await resignStored(
    app,
    jobStream(id),
    (envelope) => envelope,
    (text, type) => (type === 'ROUTER_DECISION' ? text.replace('"excluded":[]', `"excluded":${deep}`) : text),
  );
  for (const [by, answer] of Object.entries(await looked(id)))
    expect([by, answer]).toEqual([by, expect.stringContaining('409 INTEGRITY_FAILURE')]);
});

it('no record of another form in any plain field is a fault of the server to anybody', async () => {
  const faults: string[] = [];
  for (const { type, data } of await app.stream(jobStream(await asked()))) {
    for (const [field, value] of Object.entries(data)) {
      if (['user_id', 'personal', 'last_hash', 'count'].includes(field)) continue;
      const id = await asked();
      const isOther = typeof value !== 'object' || Array.isArray(value);
      await resign(app, jobStream(id), type, { [field]: isOther ? {} : 'x' });
      for (const path of [`/jobs/${id}/explain`, `/audit/bundle/${id}`]) {
        const { status } = await auditor.get(path);
        if (status >= 500) faults.push(`${type}.${field}: ${path} ${status}`);
      }
    }
  }
  expect(faults).toEqual([]);
}, 300_000);

it('a snapshot with a body of a form that none has is an integrity failure to whoever wants the bundle', async () => {
  const id = await asked();
  const { snapshots } = (await app.stream(jobStream(id)))[1]!.data as { readonly snapshots: Record<string, string> };
  const stream = `snapshot-${snapshots['router']}`;
  for (const body of [null, { chunks: 7 }]) {
    await resignStored(app, stream, (envelope) =>
      envelope.type === 'SNAPSHOT_CREATED' ? { ...envelope, data: { ...envelope.data, body } } : envelope,
    );
    expect([body, (await looked(id))['bundle']]).toEqual([body, expect.stringMatching(/^409 INTEGRITY_FAILURE /)]);
  }
});
