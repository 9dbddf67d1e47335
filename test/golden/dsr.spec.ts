import type { DsrView } from '#lib/dsr';
import { canonicalize, sha256Hex } from '#lib/kernel';

import { eventually } from '../support/eventually.js';
import { type Caller, JobApp } from '../support/job-app.js';

/** Seed 000, "F-DSR-01 — Deletion request governance", and what spec/privacy.md settles of it. */

const KEY = 'user/profile/user_tuff/favorite_color';
const ELEVATED = ['otp'];

let clock = Date.now();
let app: JobApp;
let tuff: Caller;
let admin: Caller;
beforeAll(async () => {
  app = await JobApp.open({ now: () => clock });
  tuff = await app.caller('tuff');
  admin = await app.caller('ada', ['admin'], ELEVATED);
});
afterAll(() => app.dispose());

const typesOf = async (stream: string): Promise<string[]> => (await app.stream(stream)).map(({ type }) => type);

function until(id: string, isThere: (view: DsrView) => boolean): Promise<DsrView> {
  return eventually(async () => {
    const { body } = await admin.get<DsrView>(`/dsr/${id}`);
    return isThere(body) ? body : null;
  });
}

it('F-DSR-01: DSR_DELETE_REQUEST is appended, SEM is deleted only after approval, and the deletion manifest is logged', async () => {
  expect((await tuff.send('PUT', `/sem/${KEY}`, { value: 'blue' })).status).toBe(200);
  const [put] = (await app.texts()).filter((text) => text.includes('"type":"SEM_PUT"') && text.includes(KEY));

  const filed = await admin.send<{ dsr_id: string }>(
    'POST',
    '/dsr/request',
    { kind: 'delete', user_id: 'tuff', identity_proof: { document_ref: 'passport-1', reason: 'seen at the counter' } },
    { 'idempotency-key': 'f-dsr-01' },
  );
  // "cmd:" + the first 32 hex of sha256(principal, method, path, Idempotency-Key), as spec/kernel.md says.
  const seed = `cmd:${sha256Hex('user_ada\nPOST\n/dsr/request\nf-dsr-01').slice(0, 32)}`;
  const id = `dr-${sha256Hex(`${seed}:dsr`).slice(0, 32)}`;
  expect(filed).toMatchObject({ status: 200, body: { dsr_id: id } });
  const [request, queued] = await app.stream(`dsr-${id}`);
  expect([request!.metadata.event_id, queued!.metadata.event_id]).toEqual([
    sha256Hex(`${seed}:0:DSR_REQUEST`),
    sha256Hex(`${seed}:1:DSR_DELETE_REQUEST`),
  ]);
  expect(await typesOf(`dsr-${id}`)).toEqual(['DSR_REQUEST', 'DSR_DELETE_REQUEST']);

  expect(await typesOf(`sem-${KEY}`)).toEqual(['SEM_PUT']);
  expect((await tuff.get<{ value: string }>(`/sem/${KEY}`)).body.value).toBe('blue');

  expect((await admin.send('POST', `/dsr/${id}/approve`, {})).status).toBe(403);
  expect(await typesOf(`sem-${KEY}`)).toEqual(['SEM_PUT']);
  const second = await app.caller('clara', ['admin'], ELEVATED);
  expect((await second.send('POST', `/dsr/${id}/approve`, {})).status).toBe(200);
  await until(id, ({ keys_destroyed_at }) => keys_destroyed_at !== null);
  expect(await typesOf(`sem-${KEY}`)).toEqual(['SEM_PUT', 'sem_delete']);
  const deletion = (await app.stream(`sem-${KEY}`))[1]!;
  const putId = (JSON.parse(put!) as { metadata: { event_id: string } }).metadata.event_id;
  expect(deletion.data['deletion_manifest']).toEqual({
    dsr_id: id,
    writes: 1,
    writes_hash: sha256Hex(canonicalize([[putId, sha256Hex(put!)]])),
  });

  clock += 31_000;
  const { deletion_manifest: manifest, manifest_hash } = await until(id, ({ status }) => status === 'erased');
  const [, , , , , erased] = await app.stream(`dsr-${id}`);
  expect(await typesOf(`dsr-${id}`)).toEqual([
    'DSR_REQUEST',
    'DSR_DELETE_REQUEST',
    'DSR_APPROVED',
    'ERASURE_REQUESTED',
    'SUBJECT_KEYS_DESTROYED',
    'SUBJECT_ERASED',
  ]);
  expect(erased!.data).toMatchObject({ deletion_manifest: manifest, manifest_hash });
  expect(manifest_hash).toBe(sha256Hex(canonicalize(manifest)));
  expect(manifest!.sem_keys).toEqual([{ key: KEY, event_id: deletion.metadata.event_id }]);
});
