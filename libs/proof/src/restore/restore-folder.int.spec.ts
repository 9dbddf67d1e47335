import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openSqliteEventStore, openSqliteSubjectKeys, START } from '#lib/event-store';
import { KeyRing, type RingKey, HmacKey } from '#lib/kernel';
import { DataFolder, openDatabase } from '#lib/sqlite';

import { anchorsIn } from '../anchor-file.js';
import { ErasedKeys } from '../erased-keys.js';
import { LogKeys } from '../log-keys.js';
import { openMerkleLog } from '../open-merkle-log.js';
import { idOf, signingKey } from '../testing/proof-support.js';
import { type RestoreOptions, restoreFolder } from './restore-folder.js';
import type { RestorePlan } from './restore-plan.js';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');
const KIDS = ['user_tuff.1.00000001', 'user_bob.1.00000002', 'user_eve.1.00000003'] as const;
const [TUFF, BOB, EVE] = KIDS;
const hmac: RingKey = { ...signingKey('e1'), purpose: 'event-hmac', secret: Buffer.alloc(32, 7) };
const ring = new KeyRing([signingKey(), hmac]);

let root: string;
let whole: string;
let folder: string;
let copy: string;
let other: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'mace-restore-'));
  whole = await made('whole', 'e1');
  other = await made('other', 'e2');
});
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'));
  copy = join(folder, '..', `${folder.split('/').at(-1)!}-copy`);
  for (const place of [folder, copy]) cpSync(whole, place, { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true }));

/** A log of three events, signed by the key of that id, with the data keys of three people. */
async function made(name: string, kid: string): Promise<string> {
  const path = join(root, name);
  const held = DataFolder.take(path);
  const events = await openSqliteEventStore({ folder: held });
  const keys = await openSqliteSubjectKeys({ folder: held });
  for (const key of KIDS) await keys.create(key.split('.')[0]!, { kid: key, wrapped: 'd3JhcHBlZA', wrappedBy: 'w1' });
  for (let n = 0; n < 3; n++) {
    await events.append('test-1', n === 0 ? 'none' : n, [noted(n, kid)]);
  }
  const quiet = { onFault: () => undefined, onRebuild: () => undefined };
  const own = kid === hmac.kid ? ring : new KeyRing([...ring.all(), { ...hmac, kid, state: 'verify-only' }]);
  const keyFile = keyFileOf(path);
  const log = await openMerkleLog({ events, folder: held, ring: own, keyFile, now: Date.now, ...quiet });
  await log.covering(await events.head(), 20_000);
  await log.close();
  await keys.close();
  await events.close();
  held.release();
  return path;
}

function noted(n: number, kid = 'e1') {
  const unsigned = `{"data":{},"metadata":{"event_id":"${idOf(n)}","kid":"${kid}"},"stream":"test-1","type":"NOTED"}`;
  const signature = new HmacKey(ring.subkey(hmac, 'test-1')).hex(unsigned);
  const text = unsigned.replace('"kid"', `"signature":"${signature}","kid"`);
  return { id: idOf(n), type: 'NOTED', text };
}

const keyFileOf = (path: string): string => join(path, 'keys', 'ring.json');
const originIn = (path: string): string => readFileSync(join(path, 'origin'), 'utf8').trim();

async function restore(from = copy, change: Partial<RestoreOptions> = {}): Promise<RestorePlan> {
  const held = DataFolder.take(folder);
  try {
    return await restoreFolder({ folder: held, from, ring, keyFile: keyFileOf(folder), now: () => NOW, ...change });
  } finally {
    held.release();
  }
}

/** Opens the log in the folder, and closes it again. */
async function started(): Promise<void> {
  const held = DataFolder.take(folder);
  const events = await openSqliteEventStore({ folder: held });
  const quiet = { onFault: () => undefined, onRebuild: () => undefined };
  try {
    const log = await openMerkleLog({
      events,
      folder: held,
      ring,
      keyFile: keyFileOf(folder),
      now: Date.now,
      ...quiet,
    });
    await log.close();
  } finally {
    await events.close();
    held.release();
  }
}

const witnessOf = (kids: readonly string[]) => (keys: LogKeys) => ({
  lastNote: async () => null,
  erasedMarks: async () => new Set(kids.map((kid) => keys.markOf(kid))),
});
const erasedOf = (origin: string): readonly string[] => new ErasedKeys(join(folder, 'keys'), origin).all();
/** Everything but what a look at the folder leaves. */
const standing = (): readonly string[] =>
  readdirSync(folder).filter((name) => !/^(lock\.db|holder\.json|mace\.sock)/.test(name));

describe('a restore', () => {
  it('names the data keys that the copy brings back, by the list beside the keys and that of the witness', async () => {
    const before = originIn(folder);
    await new ErasedKeys(join(folder, 'keys'), before).add([TUFF, 'user_gone.1.00000009']);
    const plan = await restore(copy, { witness: witnessOf([EVE, 'user_never.1.00000008']) });
    expect(plan).toMatchObject({ previous_origin: before, returned_keys: [TUFF, EVE], erased_keys: 3, done: true });
    expect(erasedOf(plan.origin)).toEqual([TUFF, 'user_gone.1.00000009', EVE]);
    expect(erasedOf(plan.origin)).not.toContain(BOB);
    expect(existsSync(join(folder, 'restoring'))).toBe(false);
  });

  it.each([
    ['of a copy', () => copy],
    ['of the folder as it is', () => folder],
  ])('%s leaves no place of a walk over the log that it replaces', async (_what, from) => {
    for (const name of ['integrity.db', 'integrity.db-wal']) writeFileSync(join(folder, name), 'where a walk was');
    const { aside } = await restore(from());
    expect(standing().filter((name) => name.startsWith('integrity'))).toEqual([]);
    expect(readdirSync(join(folder, aside))).toEqual(expect.arrayContaining(['integrity.db', 'integrity.db-wal']));
  });

  it('of a copy that everybody may read is for the owner only', async () => {
    mkdirSync(join(copy, 'artifacts'), { recursive: true });
    chmodSync(join(copy, 'artifacts'), 0o755);
    for (const name of ['events.db', 'subject-keys.db']) chmodSync(join(copy, name), 0o644);
    await restore();
    const modes = ['artifacts', 'events.db', 'subject-keys.db'].map(
      (name) => statSync(join(folder, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  it('moves nothing where the witness does not give its list', async () => {
    const before = standing();
    const refused = { lastNote: async () => null, erasedMarks: () => Promise.reject(new Error('no list')) };
    await expect(restore(copy, { witness: () => refused })).rejects.toThrow('no list');
    expect(standing()).toEqual(before);
  });

  it('refuses the copy of another log, by its name or by the keys that signed it, and moves nothing', async () => {
    const before = standing();
    await expect(restore(other)).rejects.toThrow(/is a copy of mace.local.*and the log here is/);
    rmSync(join(other, 'origin'));
    await expect(restore(other)).rejects.toThrow('is signed by e2, which is not in the key ring here');
    const damaged = join(copy, 'events.db');
    writeFileSync(damaged, 'no database at all, of more than sixteen bytes'.repeat(20));
    await expect(restore()).rejects.toThrow('events.db is not an SQLite database');
    expect(standing()).toEqual(before);
  });

  it.each(['1', '3'])('refuses a copy whose event at position %s is not what was signed', async (position) => {
    const db = openDatabase(join(copy, 'events.db'));
    db.exec(`DROP TRIGGER events_are_never_changed;
      UPDATE events SET text = replace(text, '"data":{}', '"data":{"n":1}') WHERE position = ${position}`);
    db.close();
    const before = standing();
    await expect(restore()).rejects.toThrow(`its event at position ${position} is not what key e1 signed`);
    expect(standing()).toEqual(before);
  });

  it('given again with another copy, before a server has started on it, takes that copy, for the same log, under a name of which nothing is signed', async () => {
    const before = originIn(folder);
    const first = await restore();
    const second = `${copy}-2`;
    cpSync(whole, second, { recursive: true });
    const held = DataFolder.take(second);
    const events = await openSqliteEventStore({ folder: held });
    await events.append('test-1', 3, [noted(9)]);
    await events.close();
    held.release();
    await started();
    const again = await restore(second);
    const { origin, previous_note } = first;
    expect(again).toMatchObject({ previous_note, previous_origin: before, from: second });
    expect(again.origin).not.toBe(origin);
    expect(anchorsIn(join(folder, 'keys')).map((path) => readFileSync(path, 'utf8'))).toEqual([
      expect.stringContaining(again.origin),
    ]);
    await started();
    const restored = DataFolder.take(folder);
    const found = await openSqliteEventStore({ folder: restored });
    expect(await found.count!(START)).toBe(4);
    await found.close();
    restored.release();
  });

  it('broken off half way does not take what lies in the folder for a copy', async () => {
    const plan = await restore();
    writeFileSync(join(folder, 'restore.json'), JSON.stringify({ ...plan, done: false }));
    await expect(restore(folder)).rejects.toThrow(`a restore of ${copy} was broken off`);
    expect(await restore()).toMatchObject({ origin: plan.origin, done: true });
  });

  it.each([
    ['only the WAL of the log was moved', ['events.db-wal'], false],
    ['all was moved, and a part of the copy is in its place', ['events.db-wal', 'events.db', 'subject-keys.db'], true],
  ])('broken off when %s keeps what it replaces in one place', async (_what, moved, set_aside) => {
    const plan = await restore();
    const place = join(folder, plan.aside);
    const old = readFileSync(join(place, 'events.db'));
    // As it was before, and as far as it came then.
    for (const name of readdirSync(place)) cpSync(join(place, name), join(folder, name), { recursive: true });
    rmSync(place, { recursive: true });
    writeFileSync(join(folder, 'events.db-wal'), 'acknowledged, and in no other file');
    mkdirSync(place);
    for (const name of moved) renameSync(join(folder, name), join(place, name));
    if (set_aside) cpSync(join(copy, 'events.db'), join(folder, 'events.db'));
    writeFileSync(join(folder, 'restore.json'), JSON.stringify({ ...plan, done: false, set_aside }));
    expect(await restore()).toMatchObject({ aside: plan.aside, done: true });
    expect(readdirSync(folder).filter((name) => name.startsWith('replaced-'))).toEqual([plan.aside]);
    expect(readFileSync(join(place, 'events.db'))).toEqual(old);
    expect(readFileSync(join(place, 'events.db-wal'), 'utf8')).toBe('acknowledged, and in no other file');
    await started();
  });

  it('follows no plan that was not made with these keys', async () => {
    const plan = {
      done: false,
      set_aside: false,
      aside: 'replaced-x',
      from: copy,
      origin: 'x.test/z',
      previous_origin: 'x.test/y',
      previous_note: null,
    };
    writeFileSync(
      join(folder, 'restore.json'),
      JSON.stringify({ ...plan, erased_keys: 0, returned_keys: [], restored_at: '' }),
    );
    const before = originIn(folder);
    const made = await restore();
    expect(made.origin).not.toBe('x.test/z');
    expect(made.previous_origin).toBe(before);
  });

  it('takes the list of the log that the keys know, whatever the folder calls itself', async () => {
    const before = originIn(folder);
    await new ErasedKeys(join(folder, 'keys'), before).add([BOB]);
    writeFileSync(join(folder, 'origin'), 'x.test/z\n');
    expect(await restore()).toMatchObject({ previous_origin: before, returned_keys: [BOB] });
  });

  it('is refused where the list beside the keys cannot be read', async () => {
    const path = join(folder, 'keys', 'checkpoints');
    await new ErasedKeys(join(folder, 'keys'), originIn(folder)).add([BOB]);
    const list = readdirSync(path).find((name) => name.endsWith('.erased'))!;
    writeFileSync(join(path, list), '<html>');
    await expect(restore()).rejects.toThrow(`${list} is no list of the data keys that were destroyed`);
  });

  it.each([
    ['is no JSON', () => '{"done": tr'],
    ['holds no object', () => '[]'],
    ['has no origin', (plan: RestorePlan) => JSON.stringify({ ...plan, origin: undefined })],
    ['has another returned_keys', (plan: RestorePlan) => JSON.stringify({ ...plan, returned_keys: 'all' })],
  ])('whose plan %s is told by the file and the form it has, by a restore and by a start', async (what, garbled) => {
    const path = join(folder, 'restore.json');
    writeFileSync(path, garbled(await restore()));
    const told = new RegExp(
      `^${path}, which says how far a restore is, ${what}; it is a JSON object \\{done: true or false`,
    );
    await expect(restore()).rejects.toThrow(told);
    await expect(started()).rejects.toThrow(told);
  });

  it('is served neither by a plan that was not made with these keys, nor without its plan before it is on record', async () => {
    const plan = await restore();
    const path = join(folder, 'restore.json');
    writeFileSync(path, JSON.stringify({ ...plan, previous_origin: 'x.test/y' }));
    await expect(started()).rejects.toThrow(`${path} is of no restore that was made with these keys`);
    rmSync(path);
    await expect(started()).rejects.toThrow('by a restore that is not on record in it');
    expect(await restore()).toMatchObject({ previous_origin: plan.origin });
    await started();
  });

  it('gives the new name to the events of the copy alone', async () => {
    await restore();
    const db = openDatabase(join(folder, 'events.db'));
    db.exec('DROP TRIGGER events_are_never_deleted; DELETE FROM events WHERE position = 3');
    db.close();
    await expect(started()).rejects.toThrow('it has 2 events, and');
  });

  it('keeps what the witness said of keys that the copy does not hold, for a restore of one that does', async () => {
    const without = `${copy}-without`;
    cpSync(copy, without, { recursive: true });
    const db = openDatabase(join(without, 'subject-keys.db'));
    db.exec(`DROP TRIGGER key_records_are_never_deleted; DELETE FROM subject_keys WHERE kid = '${EVE}'`);
    db.close();
    const first = await restore(without, { witness: witnessOf([EVE]) });
    expect(first).toMatchObject({ returned_keys: [], erased_keys: 0 });
    const list = new ErasedKeys(join(folder, 'keys'), first.origin);
    expect(list.marks()).toEqual([new LogKeys(ring, first.origin, Date.now).markOf(EVE)]);
    rmSync(join(folder, 'restore.json'));
    const second = await restore(copy, { witness: witnessOf([]) });
    expect(second).toMatchObject({ previous_origin: first.origin, returned_keys: [EVE], erased_keys: 1 });
    expect(new ErasedKeys(join(folder, 'keys'), second.origin).marks()).toEqual([]);
  });

  it('keeps on the list which evidence was deleted and for which requests, and finds by a witness’s marks what the copy brings back', async () => {
    const [listed, marked, other] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];
    const request = { dsrId: `dr-${'1'.repeat(32)}`, userId: 'user_gone' };
    const list = new ErasedKeys(join(folder, 'keys'), originIn(folder));
    const data = { evidence_ref: listed, dsr_id: request.dsrId };
    await list.take([
      { type: 'FORENSIC_ERASED', data },
      { type: 'SUBJECT_KEYS_DESTROYED', data: { dsr_id: request.dsrId, user_id: request.userId, kids: [] } },
    ]);
    const withEvidence = `${copy}-with-evidence`;
    cpSync(copy, withEvidence, { recursive: true });
    for (const name of [marked, other]) {
      mkdirSync(join(withEvidence, 'artifacts', name.slice(0, 2)), { recursive: true });
      writeFileSync(join(withEvidence, 'artifacts', name.slice(0, 2), name.slice(2)), 'sealed');
    }
    const { origin } = await restore(withEvidence, { witness: witnessOf([marked, listed]) });
    const carried = new ErasedKeys(join(folder, 'keys'), origin);
    expect(carried.requests()).toEqual([request]);
    expect(new Set(carried.evidence())).toEqual(
      new Set([
        { ref: marked, dsrId: null },
        { ref: listed, dsrId: request.dsrId },
      ]),
    );
    expect([carried.all(), carried.marks()]).toEqual([[], []]);
  });

  it('leaves the old log under no name that is served again', async () => {
    const before = originIn(folder);
    await restore();
    writeFileSync(join(folder, 'origin'), `${before}\n`);
    await expect(started()).rejects.toThrow(`says that it is ${before}`);
  });
});
