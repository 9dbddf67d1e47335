import { signToken } from '#lib/access';
import {
  canonical,
  type Json,
  leafHash,
  parseCheckpoint,
  parseNote,
  parseVkey,
  sha256Hex,
  type VerifierKey,
  verifyConsistency,
  verifyInclusion,
  verifyNote,
} from '#lib/verifier';

import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { tamper } from '../../../../test/support/tampering.js';
import { leafOf } from '../../../../libs/proof/src/leaf-of-event.js';

interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  readonly note: string;
}
interface Proof {
  readonly stream: string;
  readonly revision: number;
  readonly leaf_index: number;
  readonly leaf_hash: string;
  readonly entry: string;
  readonly checkpoint: Checkpoint;
  readonly inclusion: readonly string[];
}

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

let app: JobApp;
let auditor: Caller;
beforeAll(async () => {
  app = await JobApp.open();
  auditor = await app.caller('user_audra', ['auditor']);
});
afterAll(() => app.dispose());

async function text(path: string, headers: Record<string, string> = {}): Promise<{ type: string; text: string }> {
  const { payload, headers: answered } = await app.parts.app.fastify.inject({ url: path, headers });
  return { type: String(answered['content-type']), text: payload };
}

async function publishedKeys(): Promise<readonly VerifierKey[]> {
  const answer = await text('/.well-known/mace-log.vkey');
  expect(answer.type).toBe('text/plain; charset=utf-8');
  return answer.text.trimEnd().split('\n').map(parseVkey);
}

describe('the proof of an event', () => {
  it('is checked with the published key and the stored event alone, a moment after it was appended', async () => {
    const { body: job } = await (await app.caller('user_tuff')).ask('2 + 2');
    const { events } = await app.parts.platform.eventStore.readStream(`job-${job.job_id}`);
    const keys = await publishedKeys();
    for (const event of events) {
      const { status, body } = await auditor.get<Proof>(`/audit/proof/${event.id}`);
      expect(status).toBe(200);
      const { checkpoint, leaf_index, inclusion, stream, revision, leaf_hash } = body;
      expect({ stream, revision }).toEqual({ stream: event.stream, revision: event.revision });
      const leaf = leafOf(event);
      expect(leaf.toString('hex')).toBe(leaf_hash);
      const note = parseNote(checkpoint.note);
      expect(verifyNote(note, keys)).toHaveLength(1);
      const { size, root, origin } = parseCheckpoint(note.text)!;
      expect({ size, root: root.toString('hex'), origin }).toMatchObject({
        size: checkpoint.size,
        root: checkpoint.root,
      });
      expect(verifyInclusion(leaf_index, size, leaf, inclusion.map(bytes), root)).toBe(true);
      expect(leafHash(body.entry)).toEqual(leaf);
      const { data } = JSON.parse(event.text) as { readonly data: Json };
      expect(JSON.parse(body.entry)).toMatchObject({
        data_hash: sha256Hex(canonical(data)),
        metadata: { event_id: event.id },
        type: event.type,
      });
    }
  });

  it('is refused, with its place, for an event that is stored otherwise than it was signed for', async () => {
    const { body: job } = await (await app.caller('user_tuff')).ask('2 + 5');
    const stream = `job-${job.job_id}`;
    const [first] = (await app.parts.platform.eventStore.readStream(stream, { limit: 1 })).events;
    const path = `/audit/proof/${first!.id}`;
    expect((await auditor.get(path)).status).toBe(200);
    tamper(app.folder, stream, first!.type, '"data":{', '"data":{"a":1,');
    const { status, body } = await auditor.get(path);
    tamper(app.folder, stream, first!.type, '"data":{"a":1,', '"data":{');
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    expect(body.developer_message).toContain(`event 0 of ${stream} (position ${first!.position}) is stored otherwise`);
  });

  it('is not there for an event that is not', async () => {
    const { status, body } = await auditor.get(`/audit/proof/${'0'.repeat(64)}`);
    expect([status, body.error_code]).toEqual([404, 'NOT_FOUND']);
  });

  it('is nobody’s business but an auditor’s', async () => {
    const tuff = await app.caller('user_tuff');
    for (const path of ['/audit/checkpoint', '/audit/checkpoint/note', '/audit/consistency?from=0'])
      expect((await tuff.get(path)).status).toBe(403);
  });
});

describe('a checkpoint', () => {
  it('is given with its keys and the state of the log, and as the note alone', async () => {
    const { body } = await auditor.get<{
      readonly checkpoint: Checkpoint;
      readonly keys: readonly { readonly vkey: string }[];
      readonly state: unknown;
    }>('/audit/checkpoint');
    expect(body.state).toMatchObject({
      origin: body.checkpoint.origin,
      problem: null,
      witness: null,
      ready_for_bundles: true,
    });
    expect(body.keys.map(({ vkey }) => vkey)).toEqual((await publishedKeys()).map(({ vkey }) => vkey));
    const order = { userId: 'user_audra', roles: ['auditor'], ttlSeconds: 60, now: Date.now() } as const;
    const token = await signToken(app.parts.platform.ring, { ...order, issuer: 'mace', audience: 'mace' });
    const note = await text('/audit/checkpoint/note', { authorization: `Bearer ${token}` });
    expect(note.type).toBe('text/plain; charset=utf-8');
    const latest = app.parts.platform.proof.latest()!;
    expect([body.checkpoint.note, latest.note]).toContain(note.text);
  });

  it('begins every later one', async () => {
    const first = (await auditor.get<{ checkpoint: Checkpoint }>('/audit/checkpoint')).body.checkpoint;
    await (await app.caller('user_tuff')).ask('3 + 4');
    await app.parts.platform.proof.covering(await app.parts.platform.eventStore.head(), 20_000);
    const { body } = await auditor.get<{
      readonly from: Checkpoint;
      readonly to: Checkpoint;
      readonly proof: readonly string[];
    }>(`/audit/consistency?from=${first.size}`);
    expect(body.from).toEqual({ size: first.size, root: first.root });
    expect(body.to.size).toBeGreaterThan(first.size);
    const proof = body.proof.map(bytes);
    expect(verifyConsistency(first.size, body.to.size, bytes(first.root), bytes(body.to.root), proof)).toBe(true);
  });

  it.each([
    ['from=2&to=1', 'query.from: at most query.to, which is 1'],
    ['from=0&to=99999999', 'query.to: at most '],
    ['', 'query.from'],
    ['from=-1', 'query.from'],
  ])('of sizes that cannot be meant (%s) is refused', async (query, why) => {
    const { status, body } = await auditor.get(`/audit/consistency?${query}`);
    expect([status, body.error_code]).toEqual([400, 'INVALID_INPUT']);
    expect(body.developer_message).toContain(why);
  });
});
