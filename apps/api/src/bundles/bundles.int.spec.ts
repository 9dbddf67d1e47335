import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { keyFileIn, rotateKey } from '#lib/access';
import { emptyHead, type StreamHead } from '#lib/event-store';
import { amendmentStream, jobStream } from '#lib/jobs';
import { MaceError } from '#lib/kernel';
import {
  BundleBuilder,
  type BundleBuilderOptions,
  type CheckpointRecord,
  LogKeys,
  ProofLog,
  RingBundleKeys,
} from '#lib/proof';
import {
  type Bundle,
  COSIGNATURE,
  manifestText,
  parseNote,
  parseVkey,
  partsOf,
  type Report,
  verifyBundle,
} from '#lib/verifier';

import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { NoteSigner } from '../../../../libs/verifier/src/testing/sample-log.js';
import { tamper } from '../../../../test/support/tampering.js';

let app: JobApp;
let tuff: Caller;
let auditor: Caller;
const tampered: string[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  [tuff, auditor] = await Promise.all([app.caller('TUFF'), app.caller('audrey', ['auditor'])]);
});
afterAll(() => app.dispose({ tampered }));

async function jobOf(query: string, job_seed: string): Promise<string> {
  const { body } = await tuff.ask(query, { job_seed });
  return body.job_id ?? (body.meta['job_id'] as string);
}

async function bundleOf(jobId: string): Promise<Bundle> {
  const { status, body } = await auditor.get<Bundle>(`/audit/bundle/${jobId}`);
  if (status !== 200) expect(body).toBe('a bundle');
  expect([status, body.about.job_id]).toEqual([200, jobId]);
  return body;
}

/** As `curl -o FILE` saves the answer. */
const checked = (bundle: Bundle, vkey?: string): Report =>
  verifyBundle(Buffer.from(JSON.stringify(bundle)), {
    keys: vkey === undefined ? [] : [parseVkey(vkey)],
    origin: null,
  });

function resigned(bundle: Bundle, records: Bundle['records']): Bundle {
  const body = { ...bundle, records };
  return { ...body, manifest: logKeys().signText(manifestText(bundle.about.job_id, partsOf(body))) };
}

const logKeys = (): LogKeys => {
  const { ring, proof } = app.parts.platform;
  return new LogKeys(ring, proof.origin, Date.now);
};

const streamsOf = ({ records }: Bundle): string[] => [...new Set(records.map(({ stream }) => stream))];

describe('the bundle of a job', () => {
  it.each([
    ['computed', '6*7'],
    ['remembered, with what was written', 'Remember that my favorite color is ultramarine'],
    ['recalled', 'What is my favorite color?'],
    ['missed', 'What is my nickname?'],
    ['blocked', 'Remember that my passport number is C01X00T47'],
  ])('that was %s is verified by the answer alone, and replays', async (kind, query) => {
    const id = await jobOf(query, `bundled-${kind.split(',')[0]!}`);
    const bundle = await bundleOf(id);
    const report = checked(bundle, bundle.keys.signers[0]!.vkey);
    expect(report).toMatchObject({ verdict: 'verified', job_id: id, replay: 'MATCH', difference: null, reason: null });
    expect(report.log).toMatchObject({ origin: readFileSync(join(app.folder, 'origin'), 'utf8').trim(), pinned: true });
    const stored = await app.parts.platform.eventStore.readStream(jobStream(id));
    const own = bundle.records.filter(({ stream }) => stream === jobStream(id));
    expect(own.map(({ text }) => text)).toEqual(stored.events.map(({ text }) => text));
    expect(streamsOf(bundle).filter((name) => name.startsWith('snapshot-')).length).toBeGreaterThanOrEqual(6);
    const written = streamsOf(bundle).filter((name) => name.startsWith('sem-'));
    expect(written).toEqual(kind.startsWith('remembered') ? ['sem-user/profile/user_tuff/favorite_color'] : []);
  });

  it('holds nothing that a person said, not even to an auditor', async () => {
    const id = await jobOf('Remember that my favorite color is heliotrope', 'bundled-secret');
    expect(JSON.stringify(await bundleOf(id))).not.toContain('heliotrope');
  });

  it('holds what was said of its log later', async () => {
    const id = await jobOf('3*3', 'bundled-amended');
    const { log_id } = (await app.stream(jobStream(id))).at(-2)!.data as { log_id: string };
    const amendment = { effect: 'note', changes: { note: 'it is nine' } };
    expect((await tuff.send('POST', `/reflective-logs/${log_id}/amendments`, amendment)).status).toBe(200);
    const bundle = await bundleOf(id);
    expect(streamsOf(bundle)).toContain(`amendment-${log_id}`);
    expect(checked(bundle)).toMatchObject({ verdict: 'verified', replay: 'MATCH' });
  });

  it('is made however much its owner says of its log: it holds the beginning, and how much that is', async () => {
    const id = await jobOf('4*4', 'bundled-flooded');
    const { log_id } = (await app.stream(jobStream(id))).at(-2)!.data as { log_id: string };
    const about = { target_log_id: log_id, job_id: id, created_at: '2026-01-05T10:00:00.000Z', author: 'user_tuff' };
    const said = Array.from({ length: 50 }, (_, i) => ({
      type: 'AMENDMENT_ADDED',
      data: {
        ...about,
        amendment_id: `am-${i}`,
        author_role: 'owner',
        user_id: 'user_tuff',
        effect: 'note',
        changes: { note: 'no '.repeat(5_000) },
      },
    }));
    const { events } = app.parts.platform;
    let head: StreamHead = emptyHead(amendmentStream(log_id));
    for (let part = 0; part < 20; part++) {
      const provenance = {
        jobSeed: `cmd:flood-${part}`,
        sequenceIndex: 0,
        traceId: 'trace-flood',
        actor: { id: 'user_tuff', role: 'user' },
      } as const;
      ({ head } = await events.append(head, said, provenance));
    }
    const bundle = await bundleOf(id);
    const { held, stored } = bundle.about.said_later;
    expect(stored).toBe(1000);
    expect(held).toBeGreaterThan(100);
    expect(held).toBeLessThan(300);
    expect(checked(bundle)).toMatchObject({ verdict: 'verified', replay: 'MATCH', left_out: stored - held });
  });

  it('stays verified under the key that signed it, and a later one is signed by the key after a rotation', async () => {
    const id = await jobOf('7*7', 'bundled-rotated');
    const before = await bundleOf(id);
    await app.whileClosed(() => void rotateKey(keyFileIn(app.folder), 'checkpoint-signature', Date.now()));
    const after = await bundleOf(await jobOf('7*8', 'bundled-after'));
    expect(checked(before)).toMatchObject({ verdict: 'verified' });
    expect(after.keys.signers.length).toBe(before.keys.signers.length + 1);
    expect(checked(after, after.keys.signers[0]!.vkey)).toMatchObject({ verdict: 'verified' });
    // Over the same events again: the newest checkpoint is by the new key, and both keys are named.
    expect(checked(await bundleOf(id), after.keys.signers[0]!.vkey)).toMatchObject({ verdict: 'verified' });
  });

  it('tells every one of its events that is left out or changed, by whoever signs the rest again', async () => {
    const bundle = await bundleOf(await jobOf('Remember that my favorite color is teal', 'bundled-matrix'));
    for (const [i, { text, stream, revision }] of bundle.records.entries()) {
      const left = bundle.records.filter((_, j) => j !== i);
      expect([stream, revision, checked(resigned(bundle, left)).verdict]).toEqual([stream, revision, 'diverges']);
      const flipped = text.replace(/[0-9a-f](?=[^"]*","timestamp_seeded)/, (digit) => (digit === '0' ? '1' : '0'));
      const changed = bundle.records.map((record, j) => (i === j ? { ...record, text: flipped } : record));
      expect([stream, checked(resigned(bundle, changed)).difference?.at]).toEqual([
        stream,
        expect.stringContaining(`${stream} revision ${revision}`),
      ]);
    }
  });

  it('is for auditors and admins, of a job that is there', async () => {
    const id = await jobOf('8*8', 'bundled-asked');
    expect((await tuff.get(`/audit/bundle/${id}`)).status).toBe(403);
    const { status, body } = await auditor.get(`/audit/bundle/job:${'0'.repeat(32)}`);
    expect([status, body.error_code]).toEqual([404, 'NOT_FOUND']);
  });

  it('is not made of a record that was changed: the place is named', async () => {
    const id = await jobOf('9*9', 'bundled-broken');
    tampered.push(id);
    await app.parts.app.nest.get(ProofLog).covering(await app.parts.platform.eventStore.head(), 20_000);
    await app.whileClosed(() => tamper(app.folder, jobStream(id), 'COUNCIL_DECISION', 'approved', 'rejected'));
    const { status, body } = await auditor.get(`/audit/bundle/${id}`);
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
  });
});

describe('the maker of a bundle', () => {
  const witness = new NoteSigner('witness.example/w1', COSIGNATURE);
  let id: string;
  let last: CheckpointRecord;
  beforeAll(async () => {
    id = await jobOf('5*5', 'bundled-made');
    last = await app.parts.platform.proof.covering(await app.parts.platform.eventStore.head(), 20_000);
  });

  /** The log of the app, with some of its answers changed. */
  function proofs(change: Partial<ProofLog> = {}): ProofLog {
    const log: ProofLog = app.parts.platform.proof;
    const own = ['latest', 'covering', 'proofOf', 'consistency', 'find'] as const;
    return { ...Object.fromEntries(own.map((name) => [name, log[name].bind(log)])), ...change } as ProofLog;
  }

  function builder(change: Partial<BundleBuilderOptions>): BundleBuilder {
    const { events: log, ring } = app.parts.platform;
    const witnesses = [parseVkey(witness.vkey)];
    return new BundleBuilder({
      log,
      proofs: proofs(),
      keys: new RingBundleKeys(ring, logKeys(), witnesses),
      witnesses: [],
      replay: () => Promise.resolve({ verdict: 'MATCH', error_code: null, steps: [] }),
      release: 'mace-test',
      now: Date.now,
      timeoutMs: 10_000,
      ...change,
    });
  }

  const refusal = (change: Partial<BundleBuilderOptions>): Promise<MaceError> =>
    builder(change)
      .build(id)
      .then(
        () => Promise.reject(new Error('a bundle was made')),
        (error: MaceError) => error,
      );

  it('waits for the witness, and says that none is to be had while it is away', async () => {
    const asked = { witnesses: [parseVkey(witness.vkey)] };
    const refused = await refusal({
      ...asked,
      timeoutMs: 0,
      proofs: proofs({ covering: () => Promise.resolve(last) }),
    });
    expect([refused.code, refused.status, refused.developerMessage]).toEqual([
      'DATA_UNAVAILABLE',
      503,
      'no bundle yet: witness witness.example/w1 has not cosigned the checkpoint',
    ]);
    // It answers while somebody waits.
    const { text } = parseNote(last.note);
    const cosigned = { ...last, note: last.note + witness.line(text, BigInt(Math.floor(Date.now() / 1000))) };
    const answering = proofs({ covering: () => Promise.resolve(last), latest: () => cosigned });
    const bundle = await builder({ ...asked, proofs: answering }).build(id);
    expect(checked(bundle, witness.vkey)).toMatchObject({
      verdict: 'verified',
      log: { cosigned_by: [{ vkey: witness.vkey }] },
    });
  });

  it('says that none is to be had while no checkpoint covers the job', async () => {
    const late = new MaceError('WAIT_TIMEOUT', 'a checkpoint has not reached position 9 yet');
    const refused = await refusal({ proofs: proofs({ covering: () => Promise.reject(late) }) });
    expect([refused.code, refused.developerMessage]).toEqual([
      'DATA_UNAVAILABLE',
      'no bundle yet: a checkpoint has not reached position 9 yet',
    ]);
  });

  it('gives nothing that would not be verified: an event that is not in the tree, or elsewhere in it', async () => {
    const log = app.parts.platform.proof;
    const gone = await refusal({ proofs: proofs({ proofOf: () => Promise.resolve(null) }) });
    expect([gone.code, gone.developerMessage]).toEqual(['INTEGRITY_FAILURE', expect.stringContaining('Merkle log')]);
    const elsewhere = proofs({
      proofOf: async (event, checkpoint) => {
        const proof = await log.proofOf(event, checkpoint);
        return proof && { ...proof, inclusion: proof.inclusion.slice(1) };
      },
    });
    const wrong = await refusal({ proofs: elsewhere });
    expect([wrong.code, wrong.developerMessage]).toEqual([
      'INTEGRITY_FAILURE',
      expect.stringContaining('inclusion, at'),
    ]);
  });

  it('holds of what was said later as many events, and as much, as it may', async () => {
    const job = await jobOf('5*6', 'bundled-said');
    const { log_id } = (await app.stream(jobStream(job))).at(-2)!.data as { log_id: string };
    for (const note of ['a', 'b', 'c']) {
      const said = { effect: 'note', changes: { note } };
      expect((await tuff.send('POST', `/reflective-logs/${log_id}/amendments`, said)).status).toBe(200);
    }
    const { events: stored } = await app.parts.platform.eventStore.readStream(amendmentStream(log_id));
    const length = stored[0]!.text.length + stored[1]!.text.length;
    for (const [later, held] of [
      [{ events: 1, length }, 1],
      [{ events: 3, length }, 2],
      [{ events: 3, length: length - 1 }, 1],
    ] as const) {
      const bundle = await builder({ later }).build(job);
      expect(bundle.about.said_later).toEqual({ held, stored: 3 });
      expect(checked(bundle)).toMatchObject({ verdict: 'verified', left_out: 3 - held });
    }
  });

  it('says of what is only too large that it is too large, and how large one may be', async () => {
    const refused = await refusal({ documentBytes: 1000 });
    expect([refused.code, refused.developerMessage]).toEqual([
      'INVALID_INPUT',
      expect.stringMatching(
        /^the bundle of job .* would have \d+ bytes, packed \d+; one has at most 1000, packed 16777216$/,
      ),
    ]);
  });

  it('gives one of a job that does not replay: whoever checks it is told', async () => {
    const found = { verdict: 'MISMATCH', error_code: 'REPLAY_DIVERGENCE', steps: [] };
    const bundle = await builder({ replay: () => Promise.resolve(found) }).build(id);
    expect(checked(bundle)).toMatchObject({ verdict: 'diverges', replay: 'MISMATCH', difference: { check: 'replay' } });
  });
});
