import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { KeyRing } from '#lib/kernel';
import { LogKeys, MAX_MARKS, parseAnswer, parseReport, questionText, reportText } from '#lib/proof';
import { EMPTY_ROOT, leafHash, nodeHash, parseCheckpoint, parseNote, parseVkey, verifyNote } from '#lib/verifier';

import { ORIGIN, signingKey } from '../../../libs/proof/src/testing/proof-support.js';
import { originHash, Witness } from './witness.js';
import { WitnessKey } from './witness-key.js';
import { WitnessStore } from './witness-store.js';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');
const [A, B, C, X] = ['a', 'b', 'c', 'x'].map((entry) => leafHash(entry)) as [Buffer, Buffer, Buffer, Buffer];
/** Trees of one, two and three leaves, and one that begins like the second and goes on otherwise. */
const ROOTS = { 1: A, 2: nodeHash(A, B), 3: nodeHash(nodeHash(A, B), C), fork: nodeHash(nodeHash(A, B), X) };

let folder: string;
let store: WitnessStore;
let witness: Witness;
let key: WitnessKey;
const keys = new LogKeys(new KeyRing([signingKey()]), ORIGIN, () => NOW);
const strangers = new LogKeys(new KeyRing([signingKey()]), ORIGIN, () => NOW);

function open(): void {
  store = new WitnessStore(join(folder, 'witness.db'));
  key = WitnessKey.open(join(folder, 'witness.key'), 'w.test/1');
  witness = new Witness(store, key, () => NOW);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-witness-'));
  open();
  store.trust(keys.published()[0]!.vkey, ORIGIN);
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

function body(old: number, proof: readonly Buffer[], note: string): string {
  return [`old ${old}`, ...proof.map((hash) => hash.toString('base64')), '', note].join('\n');
}

const note = (size: number, root: Buffer, signer = keys): string => signer.sign(size, root);

describe('a witness', () => {
  it('cosigns what follows from what it cosigned before, at a time, and keeps it', () => {
    expect(witness.checkpoint(originHash(ORIGIN)).status).toBe(404);
    const steps = [
      [0, 1, []],
      [1, 3, [B, C]],
      [3, 3, []],
    ] as const;
    for (const [old, size, proof] of steps) {
      const made = note(size, ROOTS[size]);
      const { status, text } = witness.addCheckpoint(body(old, proof, made));
      expect({ status, size }).toEqual({ status: 200, size });
      const [signed] = verifyNote(parseNote(made + text), [parseVkey(key.vkey)]);
      expect(signed).toMatchObject({ time: NOW / 1000, key: { name: 'w.test/1' } });
    }
    store.close();
    open();
    const kept = parseNote(witness.checkpoint(originHash(ORIGIN)).text);
    expect(parseCheckpoint(kept.text)).toMatchObject({ origin: ORIGIN, size: 3 });
    expect(verifyNote(kept, [parseVkey(key.vkey), ...keys.verifiers])).toHaveLength(2);
  });

  it('never signs two histories: not after a restart, not of the same size, not of an older one', () => {
    expect(witness.addCheckpoint(body(0, [], note(3, ROOTS[3]))).status).toBe(200);
    const attempts: [string, number, string][] = [
      ['another root of the same size', 422, body(3, [], note(3, ROOTS.fork))],
      ['an older size', 400, body(3, [], note(2, ROOTS[2]))],
      ['an older size as if it were new', 409, body(0, [], note(2, ROOTS[2]))],
      ['another history as if it were new', 409, body(0, [], note(3, ROOTS.fork))],
      ['an old size that it has not seen', 409, body(2, [C], note(3, ROOTS[3]))],
    ];
    for (const again of [false, true]) {
      if (again) {
        store.close();
        open();
      }
      for (const [what, status, asked] of attempts) {
        const answer = witness.addCheckpoint(asked);
        expect([what, answer.status]).toEqual([what, status]);
        if (status === 409) expect(answer).toMatchObject({ type: 'text/x.tlog.size', text: '3\n' });
      }
      expect(store.seen(ORIGIN)).toMatchObject({ size: 3, root: ROOTS[3].toString('hex') });
    }
  });

  it.each<[string, number, () => string]>([
    [
      'a log that it does not know',
      404,
      () => body(0, [], new LogKeys(new KeyRing([signingKey()]), 'other.test', () => NOW).sign(1, A)),
    ],
    ['a checkpoint that a stranger signed', 403, () => body(0, [], note(1, A, strangers))],
    [
      'a checkpoint whose root was changed after it was signed',
      403,
      () => body(0, [], note(1, A).replace(A.toString('base64'), B.toString('base64'))),
    ],
    ['a proof where there is nothing to prove from', 422, () => body(0, [B], note(1, A))],
    ['an empty log with another root', 422, () => body(0, [], note(0, A))],
    ['an old size beyond the checkpoint', 400, () => body(2, [], note(1, A))],
    ['an old size with a leading zero', 400, () => body(0, [], note(1, A)).replace('old 0', 'old 00')],
    [
      'more proof than a tree can need',
      400,
      () =>
        body(
          1,
          Array.from({ length: 64 }, () => A),
          note(2, ROOTS[2]),
        ),
    ],
    ['a proof line of another length', 400, () => body(1, [A.subarray(1)], note(2, ROOTS[2]))],
    ['no note', 400, () => 'old 0\n\nhello'],
    ['nothing', 400, () => ''],
  ])('refuses %s', (_what, status, asked) => {
    expect(witness.addCheckpoint(asked()).status).toBe(status);
    expect(store.seen(ORIGIN)).toBeNull();
  });

  it('refuses a wrong proof, and takes the right one after that', () => {
    witness.addCheckpoint(body(0, [], note(2, ROOTS[2])));
    expect(witness.addCheckpoint(body(2, [X], note(3, ROOTS[3]))).status).toBe(422);
    expect(witness.addCheckpoint(body(2, [], note(3, ROOTS[3]))).status).toBe(422);
    expect(witness.addCheckpoint(body(2, [C], note(3, ROOTS[3]))).status).toBe(200);
  });

  it('cosigns an empty log', () => {
    expect(witness.addCheckpoint(body(0, [], note(0, EMPTY_ROOT))).status).toBe(200);
  });

  const NONCE = '0123456789abcdef'.repeat(2);
  const reported = (kids: readonly string[], by = keys): number =>
    witness.addErasedKeys(by.signText(reportText({ origin: ORIGIN, marks: kids.map((kid) => by.markOf(kid)) }))).status;
  const asked = (after = 0, by = keys) =>
    witness.erasedKeys(by.signText(questionText({ origin: ORIGIN, nonce: NONCE, after })));

  it('keeps which data keys were destroyed, each once, by the word of the log alone', () => {
    expect(reported(['k1', 'k2'])).toBe(200);
    expect(reported(['k2', 'k3'])).toBe(200);
    expect(reported(['k3', 'k1'])).toBe(200);
    expect(reported(['k4'], strangers)).toBe(403);
    expect(witness.addErasedKeys(keys.signText('something else\n')).status).toBe(400);
    const kids = keys.signText(reportText({ origin: ORIGIN, marks: ['user_tuff.1.9ba62cb8'] }));
    expect(witness.addErasedKeys(kids).status).toBe(400);
    store.close();
    open();
    const note = parseNote(asked().text);
    expect(verifyNote(note, [parseVkey(key.vkey)])).toHaveLength(1);
    const answer = parseAnswer(note.text)!;
    expect(answer).toMatchObject({ origin: ORIGIN, nonce: NONCE, after: 0, more: false });
    const reports = answer.reports.map((report) => parseNote(report));
    expect(reports.map((report) => verifyNote(report, keys.verifiers).length)).toEqual([1, 1]);
    const marks = new Set(reports.flatMap(({ text }) => parseReport(text)!.marks));
    expect(['k1', 'k2', 'k3', 'k4'].map((kid) => keys.isMarked(kid, marks))).toEqual([true, true, true, false]);
    expect(strangers.isMarked('k1', marks)).toBe(false);
  });

  it('tells the log alone what was destroyed, and says by its signature where nothing was', () => {
    expect(asked(0, strangers).status).toBe(403);
    expect(witness.erasedKeys(questionText({ origin: ORIGIN, nonce: NONCE, after: 0 })).status).toBe(400);
    const other = new LogKeys(new KeyRing([signingKey()]), 'other.test', () => NOW);
    expect(
      witness.erasedKeys(other.signText(questionText({ origin: 'other.test', nonce: NONCE, after: 0 }))).status,
    ).toBe(404);
    const nothing = parseNote(asked().text);
    expect(verifyNote(nothing, [parseVkey(key.vkey)])).toHaveLength(1);
    expect(parseAnswer(nothing.text)).toMatchObject({ reports: [], more: false });
  });

  it('answers in parts, none longer than a note may be', () => {
    const kids = Array.from({ length: 3 * MAX_MARKS }, (_, i) => `k${i}`);
    for (let at = 0; at < kids.length; at += MAX_MARKS) expect(reported(kids.slice(at, at + MAX_MARKS))).toBe(200);
    expect(reported([...kids.slice(0, MAX_MARKS), 'one more'])).toBe(400);
    const found: string[] = [];
    for (let more = true; more;) {
      const answer = parseAnswer(parseNote(asked(found.length).text).text)!;
      found.push(...answer.reports);
      ({ more } = answer);
    }
    expect(new Set(found.flatMap((report) => parseReport(parseNote(report).text)!.marks)).size).toBe(kids.length);
  });

  it('has one key, which others cannot read', () => {
    expect(statSync(join(folder, 'witness.key')).mode & 0o077).toBe(0);
    expect(WitnessKey.open(join(folder, 'witness.key')).vkey).toBe(key.vkey);
  });

  it('names a folder in the place of its key as that', () => {
    expect(() => WitnessKey.open(folder)).toThrow(`${folder} is a folder; restore the file from a backup`);
  });
});
