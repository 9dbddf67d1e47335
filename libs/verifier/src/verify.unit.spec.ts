import { gzipSync } from 'node:zlib';

import { type Bundle, type BundleRecord, MAX_DOCUMENT_BYTES } from './bundle.js';
import { canonical, type Json } from './canonical.js';
import { checkpointText } from './checkpoint.js';
import type { Report } from './report.js';
import type { Pins } from './signatures.js';
import { parseVkey } from './signed-note.js';
import { ACCEPTED_AT, CHECKPOINTED_AT, fileOf, MADE_AT, NoteSigner, ORIGIN, SampleLog } from './testing/sample-log.js';
import { verifyBundle } from './verify.js';

const log = new SampleLog();
const BEFORE = log.job('before');
const ID = log.job('s1', 3);
const AFTER = log.job('after', 3);
const BUNDLE = log.bundle(ID);
const OTHER = log.bundle(AFTER);
const JOB_STREAM = `job-${ID}`;
const ofJob = ({ stream }: BundleRecord): boolean => stream === JOB_STREAM;
const typeOf = ({ text }: BundleRecord): string => (JSON.parse(text) as { type: string }).type;

/** POSIX seconds, so many after an instant. */
const cosignedAt = (instant: string, seconds: bigint): bigint => BigInt(Date.parse(instant) / 1000) + seconds;

const verify = (bundle: unknown, pins?: Pins): Report => verifyBundle(fileOf(bundle), pins);

/** Nodes that no proof needs any more are left out, as somebody who forges with care would. */
function tidy(bundle: Bundle): Bundle {
  const used = [...new Set(bundle.records.flatMap(({ path }) => path))].sort((a, b) => a - b);
  const place = new Map(used.map((old, i) => [old, i]));
  const records = bundle.records.map((record) => ({ ...record, path: record.path.map((i) => place.get(i) ?? i) }));
  return { ...bundle, records, nodes: used.flatMap((i) => bundle.nodes[i] ?? []) };
}

/** Changed by the one who holds the log's key, and signed again. */
function forged(change: Partial<Bundle>): Report {
  return verify(log.sealed(tidy({ ...BUNDLE, ...change })));
}

const withRecords = (change: (records: BundleRecord[]) => BundleRecord[]): Report =>
  forged({ records: change([...BUNDLE.records]) });

const edited = (i: number, change: Partial<BundleRecord>): Report =>
  withRecords((records) => records.map((record, j) => (i === j ? { ...record, ...change } : record)));

describe('a bundle as it was made', () => {
  it('is verified, by its own keys', () => {
    const report = verify(BUNDLE);
    expect(report).toMatchObject({ verdict: 'verified', job_id: ID, replay: 'MATCH', difference: null, reason: null });
    expect(report.log).toMatchObject({ origin: ORIGIN, size: log.events.length, pinned: false });
    expect(report.log?.signed_by).toEqual([log.key.vkey]);
    expect(report.log?.cosigned_by).toEqual([{ vkey: log.witness.vkey, time: '2026-03-01T12:00:01.000Z' }]);
    expect(report.checked).toEqual([
      { check: 'checkpoint', count: 2 },
      { check: 'events', count: BUNDLE.records.length },
      { check: 'job', count: 14 },
      { check: 'snapshots', count: 3 },
      { check: 'references', count: 7 },
      { check: 'erasure', count: 0 },
      { check: 'beside', count: 2 },
      { check: 'event keys', count: 1 },
      { check: 'proof nodes', count: BUNDLE.nodes.length },
      { check: 'replay', count: 1 },
      { check: 'manifest', count: 7 },
    ]);
  });

  it('is verified as the document itself too, and every job of the log has one', () => {
    expect(verifyBundle(Buffer.from(canonical(BUNDLE as unknown as Json))).verdict).toBe('verified');
    for (const id of [BEFORE, AFTER]) expect(verify(log.bundle(id)).verdict).toBe('verified');
  });

  it('is verified under a pinned key of the log, of the witness, and a pinned origin', () => {
    const pins = { keys: [log.key.vkey, log.witness.vkey].map(parseVkey), origin: ORIGIN };
    expect(verify(BUNDLE, pins)).toMatchObject({ verdict: 'verified', log: { pinned: true, witness_pinned: true } });
  });

  it('under the key of its witness alone is proven, and nobody who is known answers for the rest of it', () => {
    const pins = { keys: [parseVkey(log.witness.vkey)], origin: ORIGIN };
    expect(verify(BUNDLE, pins)).toMatchObject({ verdict: 'verified', log: { pinned: false, witness_pinned: true } });
  });

  it.each([
    ['MATCH_WITH_ERASED_INPUTS', null, 'verified'],
    [null, 'MISSING_PERSISTED_AGENT_OUTPUT', 'verified'],
    ['MISMATCH', 'REPLAY_DIVERGENCE', 'diverges'],
    [null, 'FORCE_HALT_REPLAY', 'verified'],
    [null, 'INTEGRITY_FAILURE', 'diverges'],
    ['MATCH', 'FORCE_HALT_REPLAY', 'diverges'],
    [null, 'REPLAY_DIVERGENCE', 'diverges'],
    [null, null, 'diverges'],
    ['MATCH', 'RESULT_MISMATCH', 'diverges'],
    ['banana', null, 'diverges'],
  ])('whose replay ended %s %s %s', (verdict, error_code, expected) => {
    const report = forged({ replay: { verdict, error_code, steps: [] } });
    expect(report).toMatchObject({ verdict: expected, replay: verdict ?? error_code });
  });
});

describe('an event of the job', () => {
  const places = BUNDLE.records.flatMap((record, i) => (ofJob(record) ? [[typeOf(record), i] as const] : []));
  const nextOfJob = (i: number): BundleRecord | undefined => BUNDLE.records.slice(i + 1).find(ofJob);

  it.each(places)('%s at %i dropped is told at the one after it, and the last by the missing seal', (_, i) => {
    const report = withRecords((records) => records.filter((_record, j) => j !== i));
    const next = nextOfJob(i);
    const check = next ? 'no event is missing' : 'seal';
    expect(report).toMatchObject({ verdict: 'diverges', difference: { check } });
    if (next) expect(report.difference?.at).toContain(`${JOB_STREAM} revision ${next.revision}`);
  });

  it.each(places)('%s at %i is not there twice, nor in the place of its neighbour', (_, i) => {
    const twice = withRecords((records) => [...records.slice(0, i + 1), ...records.slice(i)]);
    expect(twice).toMatchObject({ verdict: 'diverges', difference: { check: 'order of the log' } });
    const swapped = withRecords((records) => {
      [records[i], records[i - 1]] = [records[i - 1]!, records[i]!];
      return records;
    });
    expect(swapped.verdict).toBe('diverges');
    expect(['order of the log', 'no event is missing']).toContain(swapped.difference?.check);
  });

  it.each(places)('%s at %i in another stream, or at another revision or leaf', (_, i) => {
    const { revision, leaf_index, path } = BUNDLE.records[i]!;
    const moved = edited(i, { stream: `job-${AFTER}`, revision: 0 });
    expect(moved).toMatchObject({ verdict: 'diverges', difference: { check: 'stream' } });
    expect(edited(i, { revision: revision + 1 }).difference?.check).toBe('no event is missing');
    expect(edited(i, { leaf_index: leaf_index + 0.5 }).verdict).toBe('cannot tell');
    expect(edited(i, { path: path.slice(1) }).difference?.check).toBe('inclusion');
    expect(edited(i, { path: [...path, 0] }).difference?.check).toBe('inclusion');
    expect(edited(i, { path: path.map(() => 1e9) }).difference?.check).toBe('inclusion');
  });

  it.each(places)('%s at %i replaced by a validly signed one of another job', (type, i) => {
    const own = BUNDLE.records[i]!;
    const other = OTHER.records.find((record) => record.stream === `job-${AFTER}` && record.revision === own.revision)!;
    expect(typeOf(other)).toBe(type);
    const nodes = [...BUNDLE.nodes, ...OTHER.nodes.filter((node) => !BUNDLE.nodes.includes(node))];
    const there = { ...other, path: other.path.map((at) => nodes.indexOf(OTHER.nodes[at]!)) };
    const inOrder = (a: BundleRecord, b: BundleRecord): number => a.leaf_index - b.leaf_index;
    const replaced = BUNDLE.records.map((record, j) => (i === j ? there : record)).sort(inOrder);
    expect(forged({ nodes, records: replaced }).difference?.check).toBe('no event is missing');
    const renamed = { ...there, stream: JOB_STREAM, leaf_index: own.leaf_index };
    const records = BUNDLE.records.map((record, j) => (i === j ? renamed : record));
    expect(forged({ nodes, records }).difference?.check).toBe('stream');
  });

  it.each(places)('%s at %i with one character changed anywhere', (_, i) => {
    const { text } = BUNDLE.records[i]!;
    for (let at = 3; at < text.length; at += 97) {
      const changed = text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1);
      // The manifest, which is looked at last, would tell it too.
      const records = BUNDLE.records.map((record, j) => (i === j ? { ...record, text: changed } : record));
      const report = verify({ ...BUNDLE, records });
      expect([at, report.verdict]).toEqual([at, 'diverges']);
      expect(report.difference?.at).toContain(`revision ${BUNDLE.records[i]!.revision}`);
    }
  });

  it.each([
    ['data', (event: Draft) => void (event.data['more'] = 1), 'inclusion'],
    ['signature', (event: Draft) => void (event.metadata['signature'] = '00'.repeat(32)), 'inclusion'],
    ['chain', (event: Draft) => void (event.metadata['prev_hash'] = '11'.repeat(32)), 'hash chain'],
    ['event id', (event: Draft) => void (event.metadata['event_id'] = '11'.repeat(32)), 'event id'],
    ['type', (event: Draft) => void (event.type = 'NOTHING'), 'event id'],
  ])('with another %s, written canonically', (_, change, check) => {
    for (const [, i] of places) {
      const draft = JSON.parse(BUNDLE.records[i]!.text) as Draft;
      change(draft);
      const report = edited(i, { text: canonical(draft as unknown as Json) });
      expect(report).toMatchObject({ verdict: 'diverges', difference: { check } });
    }
  });

  it.each([
    ['deeply nested', `{"data":${'['.repeat(500)}${']'.repeat(500)}}`],
    ['no JSON', '{'],
    ['a list', '[]'],
    ['empty', ''],
    ['spaced', ` ${BUNDLE.records[0]!.text}`],
    ['of one member', '{"data":{}}'],
    ['longer than any', `"${'x'.repeat(1024 * 1024)}"`],
    ['of other kinds of members', '{"data":1,"metadata":2,"stream":3,"type":4}'],
  ])('whose text is %s', (_, text) => {
    expect(edited(0, { text })).toMatchObject({ verdict: 'diverges' });
  });
});

interface Draft {
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
  type: string;
}

describe('what a job stands on and what refers to it', () => {
  const dropped = (is: (record: BundleRecord) => boolean): Report =>
    withRecords((records) => records.filter((record) => !is(record)));

  it.each(BUNDLE.records.filter(({ stream }) => stream.startsWith('snapshot-')).map(({ stream }) => stream))(
    '%s dropped, or another in its place',
    (stream) => {
      const report = dropped((record) => record.stream === stream);
      expect(report.difference).toMatchObject({ check: 'snapshots', at: stream, found: 'nothing' });
    },
  );

  it('a write that is named and not there, or there and not named', () => {
    expect(dropped(({ stream }) => stream.startsWith('sem-')).difference?.check).toBe('references');
    const foreign = OTHER.records.find(({ stream }) => stream.startsWith('sem-'))!;
    const nodes = [...new Set([...BUNDLE.nodes, ...OTHER.nodes])];
    const there = { ...foreign, path: foreign.path.map((at) => nodes.indexOf(OTHER.nodes[at]!)) };
    const records = [...BUNDLE.records, there].sort((a, b) => a.leaf_index - b.leaf_index);
    expect(forged({ nodes, records }).difference?.check).toBe('belonging');
  });

  it('a snapshot that the job did not pin, and a late answer to another job', () => {
    const strange = new SampleLog();
    strange.snapshot('router', { explore: 1 });
    const id = strange.job('s1');
    expect(verify(strange.bundle(id)).difference?.check).toBe('belonging');
    const late = new SampleLog();
    const own = late.job('s1');
    late.append('system-agents', 'AGENT_LATE_ANSWER', { job_id: 'job:x', of: own }, 'system:agents:x', 0);
    expect(verify(late.bundle(own)).difference?.check).toBe('belonging');
  });

  it('what was said later may be left out by whoever makes the bundle, who says how much: no seal counts it', () => {
    const said = ({ stream }: BundleRecord): boolean => stream.startsWith('amendment-');
    const records = BUNDLE.records.filter((record) => !said(record));
    const saying = (held: number, stored: number): Report =>
      forged({ records, about: { ...BUNDLE.about, said_later: { held, stored } } });
    expect(saying(0, 7)).toMatchObject({ verdict: 'verified', left_out: 7 });
    expect(verify(BUNDLE)).toMatchObject({ verdict: 'verified', left_out: 0 });
    for (const wrong of [
      saying(1, 1),
      dropped(said),
      forged({ about: { ...BUNDLE.about, said_later: { held: 1, stored: 0 } } }),
    ])
      expect(wrong.difference).toMatchObject({ check: 'belonging', at: 'about/said_later' });
  });

  it('another job named, and other versions', () => {
    const { about } = BUNDLE;
    expect(forged({ about: { ...about, job_id: AFTER } }).difference?.check).toBe('the job');
    for (const change of [{ detector: '4' }, { engine: 2 }, { system: 'mace-9' }, { policies: {} }]) {
      const versions = { ...about.versions, ...change };
      expect(forged({ about: { ...about, versions } }).difference?.check).toBe('versions');
    }
  });
});

describe('keys and signatures', () => {
  const root = Buffer.from(verify(BUNDLE).log!.root, 'hex');
  const text = checkpointText(ORIGIN, log.events.length, root, BUNDLE.about.checkpointed_at);
  const stranger = new NoteSigner(ORIGIN);
  const keys = (not_before: string | null, not_after: string | null, vkey: string): Bundle['keys'] => ({
    ...BUNDLE.keys,
    signers: BUNDLE.keys.signers.map((one) => (one.vkey === vkey ? { vkey, not_before, not_after } : one)),
  });

  it('a checkpoint of another origin, of an earlier log, or of another root', () => {
    const old = new SampleLog();
    const id = old.job('s1', 3);
    const small = old.bundle(id);
    const signed = (body: string): Partial<Bundle> => ({ checkpoint: `${body}\n${log.key.line(body)}` });
    expect(forged(signed(text.replace(ORIGIN, 'other.example'))).difference?.check).toBe('checkpoint signature');
    expect(forged({ checkpoint: small.checkpoint }).difference?.check).toBe('checkpoint signature');
    expect(forged(signed(checkpointText(ORIGIN, 3, Buffer.alloc(32), null))).difference?.check).toBe('inclusion');
    expect(forged(signed(checkpointText(ORIGIN, log.events.length, Buffer.alloc(32), null))).difference?.check).toBe(
      'inclusion',
    );
    expect(forged(signed('no\ncheckpoint\n')).difference?.check).toBe('checkpoint');
    expect(forged({ checkpoint: 'nothing' }).difference?.check).toBe('checkpoint');
  });

  it('a bundle that tells another time than its checkpoint, where that has one', () => {
    const moved = { ...BUNDLE.about, checkpointed_at: '2026-01-01T00:00:00.000Z' };
    expect(forged({ about: moved }).difference).toMatchObject({
      check: 'time of the checkpoint',
      expected: BUNDLE.about.checkpointed_at,
      found: moved.checkpointed_at,
    });
    const timeless = checkpointText(ORIGIN, log.events.length, root, null);
    const of01 = { ...BUNDLE, checkpoint: `${timeless}\n${log.key.line(timeless)}` };
    expect(verify(log.sealed(of01)).verdict).toBe('verified');
  });

  it('a bundle of another log than the pinned one', () => {
    const other = { keys: [parseVkey(stranger.vkey)], origin: null };
    expect(verify(BUNDLE, other).difference?.check).toBe('checkpoint signature, pinned key');
    expect(verify(BUNDLE, { keys: [], origin: 'other.example' }).difference).toMatchObject({
      check: 'origin',
      expected: 'other.example',
      found: ORIGIN,
    });
  });

  it('a checkpoint that the pinned witness did not cosign', () => {
    const pins = { keys: [parseVkey(log.witness.vkey)], origin: null };
    const alone = log.sealed({ ...BUNDLE, checkpoint: `${text}\n${log.key.line(text)}` });
    expect(verify(alone).verdict).toBe('verified');
    expect(verify(alone, pins).difference?.check).toBe('checkpoint signature, pinned key');
  });

  it('more signers than any log has, before one of them is looked at', () => {
    const signers = Array.from({ length: 1001 }, (_, i) => ({
      vkey: `no key ${i}`,
      not_before: null,
      not_after: null,
    }));
    const found = forged({ keys: { ...BUNDLE.keys, signers } });
    expect(found).toMatchObject({
      verdict: 'cannot tell',
      checked: [],
      reason: '/keys/signers is not a list of at most 1000',
    });
  });

  it.each(['signers', 'events'] as const)('one key of %s twice, the second of which says otherwise', (list) => {
    const { keys: own } = BUNDLE;
    const doubled = { ...own, [list]: [...own[list], { ...own[list][0]!, not_after: '2020-01-01T00:00:00.000Z' }] };
    const found = verify(log.sealed({ ...BUNDLE, keys: doubled }));
    expect(found).toMatchObject({ verdict: 'diverges', difference: { expected: 'each once', found: 'twice' } });
  });

  it.each([
    ['that no calendar reaches', 2n ** 62n, '4611686018427388000'],
    ['of 1970', 0n, '1970-01-01T00:00:00.000Z'],
    ['before the checkpoint was made', cosignedAt(CHECKPOINTED_AT, -301n), '2026-03-01T11:54:59.000Z'],
    ['after the bundle was made', cosignedAt(MADE_AT, 301n), '2026-03-01T12:05:06.000Z'],
  ])('a cosignature of a time %s, named as the witness’s', (_, time, found) => {
    const note = `${text}\n${log.key.line(text)}${log.witness.line(text, time)}`;
    expect(verify(log.sealed({ ...BUNDLE, checkpoint: note }))).toMatchObject({
      verdict: 'diverges',
      difference: { check: 'checkpoint signature, time of the witness', at: log.witness.vkey, found },
    });
  });

  it.each([
    ['five minutes before the checkpoint, by the witness’s clock', cosignedAt(CHECKPOINTED_AT, -300n)],
    ['when the bundle was made', cosignedAt(MADE_AT, 0n)],
  ])('but not a cosignature %s', (_, time) => {
    const note = `${text}\n${log.key.line(text)}${log.witness.line(text, time)}`;
    expect(verify(log.sealed({ ...BUNDLE, checkpoint: note })).verdict).toBe('verified');
  });

  it('one who signs everything anew under a key of their own is told by the pin', () => {
    const body = { ...BUNDLE, checkpoint: `${text}\n${stranger.line(text)}`, keys: keys(null, null, log.key.vkey) };
    const signers = [{ vkey: stranger.vkey, not_before: null, not_after: null }];
    const manifest = log.sealed({ ...body, keys: { ...body.keys, signers } }).manifest.split('\n\n')[0]!;
    const theirs = {
      ...body,
      keys: { ...body.keys, signers },
      manifest: `${manifest}\n\n${stranger.line(`${manifest}\n`)}`,
    };
    expect(verify(theirs)).toMatchObject({ verdict: 'verified', log: { signed_by: [stranger.vkey], pinned: false } });
    const pins = { keys: [parseVkey(log.key.vkey)], origin: null };
    expect(verify(theirs, pins).difference?.check).toBe('checkpoint signature, pinned key');
  });

  it.each([
    ['the log’s, not yet valid', '2026-03-01T12:00:03.000Z', null, log.key.vkey],
    ['the log’s, no longer valid', null, '2026-03-01T11:59:57.000Z', log.key.vkey],
    ['the witness’s, not yet valid', '2026-03-01T12:00:04.000Z', null, log.witness.vkey],
    ['the witness’s, no longer valid', null, '2026-03-01T11:59:58.000Z', log.witness.vkey],
    ['the log’s, of no readable interval', 'soon', null, log.key.vkey],
  ])('a key out of its interval: %s', (_, from, to, vkey) => {
    expect(forged({ keys: keys(from, to, vkey) }).difference?.check).toBe('checkpoint signature, key interval');
  });

  it('a key may sign to the end of its interval', () => {
    expect(forged({ keys: keys(CHECKPOINTED_AT, MADE_AT, log.key.vkey) }).verdict).toBe('verified');
    expect(forged({ keys: keys(null, CHECKPOINTED_AT, log.key.vkey) }).difference?.check).toBe(
      'manifest signature, key interval',
    );
  });

  it.each([
    ['is not named', { kid: 'event-hmac.2' }, 'event keys'],
    ['is revoked', { state: 'revoked' }, 'event keys'],
    ['is younger than the job', { not_before: CHECKPOINTED_AT }, 'event key interval'],
    ['had ended before the job', { not_after: '2026-02-01T00:00:00.000Z' }, 'event key interval'],
  ])('an event key that %s', (_, change, check) => {
    const events = BUNDLE.keys.events.map((key) => ({ ...key, ...change }));
    expect(forged({ keys: { ...BUNDLE.keys, events } }).difference?.check).toBe(check);
    expect(ACCEPTED_AT < CHECKPOINTED_AT).toBe(true);
  });

  it.each(['about', 'keys', 'replay'] as const)('%s changed by somebody without the key', (part) => {
    const changes = {
      about: { about: { ...BUNDLE.about, made_at: CHECKPOINTED_AT } },
      keys: { keys: keys(null, null, log.key.vkey) },
      replay: {
        replay: { ...BUNDLE.replay, steps: [{ step: 'seal', verdict: 'ok', checked: 1, detail: 'all well' }] },
      },
    };
    const report = verify({ ...BUNDLE, ...changes[part] });
    expect(report.difference).toMatchObject({ check: 'manifest', at: part });
  });

  it('a manifest of another bundle, of a stranger, or with lines of its own', () => {
    expect(verify({ ...BUNDLE, manifest: OTHER.manifest }).difference?.check).toBe('manifest');
    const body = BUNDLE.manifest.slice(0, BUNDLE.manifest.indexOf('\n\n') + 1);
    expect(verify({ ...BUNDLE, manifest: `${body}\n${stranger.line(body)}` }).difference?.check).toBe(
      'manifest signature',
    );
    const longer = `${body}more\n`;
    expect(verify({ ...BUNDLE, manifest: `${longer}\n${log.key.line(longer)}` }).difference?.check).toBe('manifest');
  });
});

describe('the file', () => {
  const text = canonical(BUNDLE);
  const file = fileOf(BUNDLE);
  const reasonOf = (bytes: Uint8Array): string | null => {
    const { verdict, reason } = verifyBundle(bytes);
    expect(verdict).toBe('cannot tell');
    return reason;
  };

  it('cut short at every fiftieth of it', () => {
    for (let part = 0; part < 50; part++) {
      const bytes = file.subarray(0, Math.floor((file.length * part) / 50));
      expect(reasonOf(bytes)).toMatch(part === 0 ? /empty/ : /unpacked/);
      expect(verifyBundle(Buffer.from(text).subarray(0, (text.length * part) / 50)).verdict).toBe('cannot tell');
    }
  });

  it('with one byte of its document changed, wherever it stands', () => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 613) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect([at, verifyBundle(changed).verdict]).not.toEqual([at, 'verified']);
    }
  });

  it('with one packed byte changed is never taken for another document', () => {
    for (let at = 0; at < file.length; at += 401) {
      const changed = Buffer.from(file);
      changed[at]! ^= 4;
      expect(verifyBundle(changed).verdict).not.toBe('diverges');
    }
  });

  const entry = { ...BUNDLE, '../../etc/passwd': 'x' };
  const named = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, 0x78, 0]);
  const twice = text.replace('"format":', `"format":"mace-bundle/1","format":`);
  it.each([
    ['empty', Buffer.alloc(0), /empty/],
    ['no gzip and no JSON', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]), /UTF-8/],
    ['another JSON', Buffer.from('{"a":1}'), /no mace-bundle\/1/],
    ['a list', Buffer.from('[]'), /no mace-bundle\/1/],
    ['JSON null', Buffer.from('null'), /no mace-bundle\/1/],
    ['of a later form', fileOf({ ...BUNDLE, format: 'mace-bundle/3' }), /but mace-bundle\/3: take a newer verifier/],
    ['with an entry more', fileOf(entry), /exactly the members .*etc.passwd/],
    [
      'with an entry less',
      fileOf(Object.fromEntries(Object.entries(BUNDLE).filter(([name]) => name !== 'replay'))),
      /is not/,
    ],
    ['with an entry twice', gzipSync(twice), /canonical/],
    ['with spaces', gzipSync(JSON.stringify(BUNDLE, null, 1)), /canonical/],
    ['with a byte order mark', Buffer.from(`\ufeff${text}`), /not JSON/],
    ['followed by something', Buffer.concat([file, Buffer.from('more')]), /follows|unpacked/],
    ['packed twice', Buffer.concat([file, file]), /follows/],
    ['followed by another empty part', Buffer.concat([file, gzipSync('')]), /follows/],
    ['packed in two parts', Buffer.concat([gzipSync(text.slice(0, 1000)), gzipSync(text.slice(1000))]), /follows/],
    ['packed with a name in its header', Buffer.concat([named, file.subarray(10)]), /more than the method/],
    ['deeply nested', gzipSync('['.repeat(1_000_000)), /not JSON/],
    [
      'deeply nested and whole',
      gzipSync(`{"format":"mace-bundle/1","x":${'['.repeat(9999)}${']'.repeat(9999)}}`),
      /look at x/,
    ],
    ['large and deeply nested', Buffer.from('['.repeat(1_100_000) + ']'.repeat(1_100_000)), /more than 16 deep/],
    ['large, nested in texts alone', Buffer.from(`["\\"${'['.repeat(1_100_000)}"]`), /no mace-bundle/],
    ['unpacking to explode', gzipSync(Buffer.alloc(33 * 1024 * 1024), { level: 1 }), /unpacked it is larger/],
    ['larger than any bundle', Buffer.alloc(MAX_DOCUMENT_BYTES + 1), /larger/],
    ['with too long a list', fileOf({ ...BUNDLE, nodes: Array(200_001).fill('') }), /at most/],
    ['with a lone surrogate', Buffer.from(text.replace('"MATCH"', '"\\ud800"')), /canonical form/],
    ['with a number for a text', fileOf({ ...BUNDLE, checkpoint: 1 }), /checkpoint is not a text/],
  ])('%s', (_, bytes, reason) => {
    expect(reasonOf(bytes)).toMatch(reason);
  });
});
