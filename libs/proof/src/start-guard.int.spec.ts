import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type EventStore, openSqliteEventStore, type ReadAllOptions, StoreUnavailableError } from '#lib/event-store';
import { KeyRing } from '#lib/kernel';
import { DataFolder, FileWorkerGoneError, openDatabase } from '#lib/sqlite';

import { LogKeys } from './log-keys.js';
import { openMerkleLog, type OpenMerkleLogOptions, type Witness } from './open-merkle-log.js';
import { OriginError } from './origin.js';
import { LogGuardError } from './start-guard.js';
import { ProofReader } from './store/proof-reader.js';
import { ProofStore } from './store/proof-store.js';
import { EVENT_KEY, everything, fill, rootOf, signingKey } from './testing/proof-support.js';

const EVENTS = 30;
const PATIENCE_MS = 20_000;
const ring = new KeyRing([signingKey(), EVENT_KEY]);

let root: string;
/** A log of 30 events, one of the first 20 of them, and another log, each closed. */
let whole: string;
let older: string;
let other: string;
let folder: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'mace-guard-'));
  [older, whole, other] = ['older', 'whole', 'other'].map((name) => join(root, name)) as [string, string, string];
  await inLog(older, async ({ events }) => fill(events, 20));
  cpSync(older, whole, { recursive: true });
  await inLog(whole, async ({ events }) => fill(events, EVENTS - 20, 20));
  await inLog(other, async ({ events }) => fill(events, EVENTS, 1000));
});
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'));
  cpSync(whole, folder, { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true }));

async function inLog<T>(
  path: string,
  work: (opened: {
    readonly events: Awaited<ReturnType<typeof openSqliteEventStore>>;
    readonly log: Awaited<ReturnType<typeof openMerkleLog>>;
  }) => Promise<T>,
  change: Partial<OpenMerkleLogOptions> = {},
): Promise<T> {
  const held = DataFolder.take(path);
  const events = await openSqliteEventStore({ folder: held });
  try {
    const keyFile = join(path, 'keys', 'ring.json');
    const quiet = { onFault: () => undefined, onRebuild: () => undefined };
    const log = await openMerkleLog({ events, folder: held, ring, keyFile, now: Date.now, ...quiet, ...change });
    try {
      return await work({ events, log });
    } finally {
      await log.close();
    }
  } finally {
    await events.close();
    held.release();
  }
}

/** Opens, and answers the size that the log has once everything is covered. */
async function start(
  change: Partial<OpenMerkleLogOptions> = {},
): Promise<{ size: number; root: string; origin: string }> {
  return inLog(folder, async ({ events, log }) => log.covering(await events.head(), PATIENCE_MS), change);
}

async function refusal(change: Partial<OpenMerkleLogOptions> = {}): Promise<string> {
  const opened = await start(change).catch((error: unknown) => error);
  if (opened instanceof LogGuardError || opened instanceof OriginError) return opened.message;
  throw opened instanceof Error ? opened : new Error(`it started: ${JSON.stringify(opened)}`);
}

function change(sql: string): void {
  const db = openDatabase(join(folder, 'events.db'));
  db.exec(`DROP TRIGGER events_are_never_changed; DROP TRIGGER events_are_never_deleted;
    DROP TRIGGER streams_are_never_deleted; DROP TRIGGER streams_are_never_changed; ${sql}`);
  db.close();
}

function put(from: string, ...names: readonly string[]): void {
  for (const name of names) {
    rmSync(join(folder, name), { force: true });
    cpSync(join(from, name), join(folder, name));
  }
}

const anchor = (of = folder): string => {
  const at = join(of, 'keys', 'checkpoints');
  return join(
    at,
    readdirSync(at).find((name) => name.endsWith('.checkpoint'))!,
  );
};

const MUTATIONS: readonly [string, () => void | Promise<void>][] = [
  ['its last event removed', () => change(`DELETE FROM events WHERE position = ${EVENTS}`)],
  ['its last five events removed', () => change(`DELETE FROM events WHERE position > ${EVENTS - 5}`)],
  ['its first event removed', () => change('DELETE FROM events WHERE position = 1')],
  ['an event in the middle removed', () => change('DELETE FROM events WHERE position = 11')],
  ['a whole stream removed', () => change('DELETE FROM events WHERE stream = 2; DELETE FROM streams WHERE id = 2')],
  ['an older copy in its place', () => put(older, 'events.db')],
  ['another log in its place', () => put(other, 'events.db')],
  ['no event left', () => rmSync(join(folder, 'events.db'))],
  [
    'an older copy in its place that went on otherwise',
    async () => {
      put(older, 'events.db');
      const held = DataFolder.take(folder);
      const events = await openSqliteEventStore({ folder: held });
      await fill(events, 25, 500);
      await events.close();
      held.release();
    },
  ],
];

/** In which events are missing between others, and what is told of it. */
const GAPS = new Map([
  ['its first event removed', '1 of 30 events are missing, the first at position 1'],
  ['an event in the middle removed', '1 of 30 events are missing, the first at position 11'],
  ['a whole stream removed', 'events are missing, the first at position 2'],
]);
const toldOf = (what: string): RegExp =>
  GAPS.has(what)
    ? new RegExp(
        `^the log has a gap: (\\d+ of \\d+ )?${GAPS.get(what)!}, and .* was signed over 30 events\\. .*mace restore`,
      )
    : /the log is (older than its last checkpoint: it has \d+ events|not the one).*mace restore/;

describe('a log that was changed while nobody served it, with', () => {
  it.each(MUTATIONS)('%s, is not served', async (what, mutate) => {
    await mutate();
    expect(await refusal()).toMatch(toldOf(what));
  });

  it.each([...MUTATIONS.slice(3), ['one letter of one event changed', editOne] as const])(
    '%s, is not served although proof.db is gone too',
    async (what, mutate) => {
      await mutate();
      rmSync(join(folder, 'proof.db'));
      expect(await refusal()).toMatch(toldOf(what));
    },
  );

  it.each(MUTATIONS.slice(5))(
    '%s, is not served although the last checkpoint beside the keys is gone too',
    async (_what, mutate) => {
      await mutate();
      rmSync(anchor());
      expect(await refusal()).toMatch(/the log is .*proof\.db/);
    },
  );

  it('everything put back as it was, keys too, is found by the witness alone', async () => {
    const note = readFileSync(anchor(), 'utf8');
    rmSync(folder, { recursive: true });
    cpSync(older, folder, { recursive: true });
    expect(await start()).toMatchObject({ size: 20 });
    const witness = (): Witness => ({
      url: 'http://witness.test',
      lastNote: async () => note,
      offer: () => undefined,
      state: () => ({ url: '', name: '', cosigned_size: null, problem: null }),
      close: async () => undefined,
    });
    expect(await refusal({ witness })).toContain(`it has 20 events, and http://witness.test was signed over ${EVENTS}`);
  });
});

describe('a log under another name', () => {
  const STRANGE = 'mace.local/0000000000000000';
  const rename = (): void => writeFileSync(join(folder, 'origin'), `${STRANGE}\n`);
  const loseName = (): void => ['origin', 'proof.db'].forEach((name) => rmSync(join(folder, name)));

  it('is not served, whole or rolled back, while the key folder knows it by its own', async () => {
    const { origin } = await start();
    rename();
    expect(await refusal()).toMatch(new RegExp(`says that it is ${STRANGE}.*${origin}.*mace restore`));
    put(older, 'events.db');
    expect(await refusal()).toContain(`says that it is ${STRANGE}`);
    rmSync(join(folder, 'proof.db'));
    expect(await refusal()).toContain(`says that it is ${STRANGE}`);
    rmSync(join(folder, 'events.db'));
    expect(await refusal()).toContain(`says that it is ${STRANGE}`);
  });

  it('is not served by that of the configuration either', async () => {
    put(older, 'events.db');
    loseName();
    expect(await refusal({ origin: 'x.test/z' })).toContain('says that it is x.test/z');
    rmSync(join(folder, 'events.db'));
    expect(await refusal({ origin: 'x.test/z' })).toContain('says that it is x.test/z');
  });

  it('is told by proof.db where the key folder knows no log', async () => {
    const { origin } = await start();
    rmSync(anchor());
    rename();
    expect(await refusal()).toMatch(`${join(folder, 'proof.db')} was signed as ${origin}`);
  });

  it('takes no checkpoint of another name from a proof.db, however well its tree fits', async () => {
    await start();
    const db = openDatabase(join(folder, 'proof.db'));
    db.exec("UPDATE checkpoints SET origin = 'x.test/z'");
    db.close();
    const told: string[] = [];
    expect(await start({ onRebuild: (reason) => void told.push(reason) })).toMatchObject({ size: EVENTS });
    expect(told).toEqual(['it was signed as another log']);
  });

  it('is served where neither knows it', async () => {
    loseName();
    rmSync(anchor());
    expect(await start({ origin: 'x.test/z' })).toMatchObject({ size: EVENTS, origin: 'x.test/z' });
  });

  it('is what it is from before its first event on, beside other logs of the same keys', async () => {
    const keyFile = join(root, 'shared', 'ring.json');
    const fresh = (): string => (folder = mkdtempSync(join(root, 'fresh-')));
    const first = await inLog(fresh(), async ({ log }) => log.origin, { keyFile });
    rmSync(join(folder, 'proof.db'));
    expect(await inLog(folder, async ({ log }) => log.origin, { keyFile })).toBe(first);
    expect(await inLog(fresh(), async ({ log }) => log.origin, { keyFile })).not.toBe(first);
  });

  it('says which file it cannot read where its name is to be found again', async () => {
    const path = anchor();
    writeFileSync(path, 'hello');
    rmSync(join(folder, 'origin'));
    expect(await refusal()).toMatch(new RegExp(`${path} .*MACE_ORIGIN`));
  });
});

describe('a damaged proof.db', () => {
  const path = (): string => join(folder, 'proof.db');
  const pages = (edit: (page: Buffer, number: number) => void) => (file: Buffer) => {
    for (let at = 0; at < file.length; at += 4096) edit(file.subarray(at, at + 4096), at / 4096);
    return file;
  };
  const garble = pages((page) => page.fill(0xa5, 2000, 2064));

  it.each<[string, (file: Buffer) => Buffer]>([
    ['of other bytes', (file) => Buffer.alloc(file.length, 'no database')],
    ['cut off in the middle', (file) => file.subarray(0, file.length / 2 + 100)],
    ['with bytes changed in each page', garble],
    ['with the end of each page but the first zeroed', pages((page, number) => number && page.fill(0, 2048))],
    ['with the head of each page but the first changed', pages((page, number) => number && page.fill(0xff, 0, 64))],
  ])('%s is kept aside and made again, with a word to whoever opens it', async (_what, damage) => {
    const damaged = Buffer.from(damage(readFileSync(path())));
    writeFileSync(path(), damaged);
    const told: string[] = [];
    const onRebuild = (reason: string): void => void told.push(reason);
    expect(await start({ onRebuild })).toMatchObject({ size: EVENTS });
    expect(told).toEqual([expect.stringContaining('proof.db.damaged')]);
    expect(readFileSync(`${path()}.damaged`).length).toBe(damaged.length);
  });

  it.each([
    ['of the last leaf', EVENTS - 1],
    ['of a leaf that completes a large subtree', 15],
  ])('with the nodes %s zeroed, is made again rather than held against the log', async (_what, leaf) => {
    const db = openDatabase(path());
    db.exec(`UPDATE leaves SET nodes = zeroblob(length(nodes)) WHERE leaf = ${leaf}`);
    db.close();
    const told: string[] = [];
    expect(await start({ onRebuild: (reason) => void told.push(reason) })).toMatchObject({ size: EVENTS });
    expect(told).toEqual([expect.stringContaining('proof.db.damaged')]);
  });

  it.each([
    ['covers more than was signed: nothing was signed any more', 'size = size + 1000, position = position + 1000'],
    ['covers less than was signed', 'size = size - 3, position = position - 3'],
    ['ends at another event', 'position = position + 1000'],
    ['has another root', `root = '${'ab'.repeat(32)}'`],
  ])('is made again where it says that its newest checkpoint %s', async (_, change) => {
    const db = openDatabase(path());
    db.exec(`UPDATE checkpoints SET ${change} WHERE number = (SELECT max(number) FROM checkpoints)`);
    db.close();
    const told: string[] = [];
    const grown = await inLog(
      folder,
      async ({ events, log }) => {
        await fill(events, 5, 100);
        return log.covering(await events.head(), PATIENCE_MS);
      },
      { onRebuild: (reason) => void told.push(reason) },
    );
    expect(grown.size).toBe(EVENTS + 5);
    expect(told).toEqual([expect.stringContaining('it is not what was signed')]);
  });

  it('is none where it is the events that cannot be read: they are what is told, and nothing is made again', async () => {
    const away = {
      head: async () => String(EVENTS),
      count: async (after: string) => EVENTS - Number(after),
      readAll: async ({ limit }: ReadAllOptions) => {
        if (limit !== 2) throw new StoreUnavailableError('a page of events.db is damaged');
        return { events: [{}, {}] };
      },
    } as unknown as EventStore;
    const told: string[] = [];
    const failed = start({ events: away, onRebuild: (reason) => void told.push(reason) });
    await expect(failed).rejects.toThrow('a page of events.db is damaged');
    expect([told, existsSync(`${path()}.damaged`)]).toEqual([[], false]);
  });

  it.each<[string, () => Error]>([
    ['too many files are open', () => Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })],
    ['the disk gives no answer', () => Object.assign(new Error('disk I/O error'), { errcode: 266 })],
    ['another program locks it', () => Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR' })],
    ['the memory is used up', () => Object.assign(new Error('out of memory'), { errcode: 7 })],
    ['the thread that writes it cannot be started', () => new FileWorkerGoneError('it ended with code 1')],
  ])('is none where %s: it stays as it is, and the next start takes it', async (_, fault) => {
    const told: string[] = [];
    for (const broken of [jest.spyOn(ProofStore, 'open'), jest.spyOn(ProofReader.prototype, 'size')]) {
      broken.mockImplementationOnce(() => {
        throw fault();
      });
      await expect(start({ onRebuild: (reason) => void told.push(reason) })).rejects.toThrow();
      broken.mockRestore();
    }
    expect([told, existsSync(`${path()}.damaged`)]).toEqual([[], false]);
    expect(await start({ onRebuild: (reason) => void told.push(reason) })).toMatchObject({ size: EVENTS });
    expect(told).toEqual([]);
  });

  it('is made again where its index does not find an event that is looked at', async () => {
    const db = openDatabase(path());
    db.exec('DELETE FROM leaves_by_event');
    db.close();
    const told: string[] = [];
    expect(await start({ onRebuild: (reason) => void told.push(reason) })).toMatchObject({ size: EVENTS });
    expect(told).toHaveLength(1);
  });

  it.each([
    ['is missing', 'substr(nodes, 1, 32)'],
    ['is another', 'CAST(substr(nodes, 1, 32) || zeroblob(length(nodes) - 32) AS BLOB)'],
  ])('is made again where what the next leaf is added to %s', async (_, nodes) => {
    // Of 30 leaves the right edge is kept with leaves 15, 23, 27 and 29; the last checkpoint is taken away, which covers them.
    for (const leaf of [23, 29]) {
      const db = openDatabase(join(folder, 'proof.db'));
      db.exec(`UPDATE leaves SET nodes = ${nodes} WHERE leaf = ${leaf}; DELETE FROM checkpoints`);
      db.close();
      rmSync(anchor());
      const told: string[] = [];
      const size = await inLog(
        folder,
        async ({ events, log }) => {
          await fill(events, 5, 100);
          return (await log.covering(await events.head(), PATIENCE_MS)).size;
        },
        { onRebuild: (reason) => void told.push(reason) },
      );
      expect([leaf, size, told]).toEqual([leaf, EVENTS + 5, [expect.stringContaining('proof.db.damaged')]]);
      rmSync(folder, { recursive: true });
      cpSync(whole, folder, { recursive: true });
    }
  });

  it('lets no older log in', async () => {
    writeFileSync(path(), garble(readFileSync(path())));
    put(older, 'events.db');
    expect(await refusal()).toMatch(/the log is older than its last checkpoint/);
  });

  it('is left alone where it is of a newer release', async () => {
    const db = openDatabase(path());
    db.exec('PRAGMA user_version = 99');
    db.close();
    await expect(start()).rejects.toThrow('has format version 99');
    expect(existsSync(path())).toBe(true);
  });
});

function editOne(): void {
  change(`UPDATE events SET text = replace(text, '"n":7}', '"n":8}') WHERE position = 8`);
}

describe('a log that is as it was', () => {
  it('is served, also where proof.db is gone, is of another log, or lacks its last leaves', async () => {
    const served = await start();
    expect(served).toMatchObject({ size: EVENTS });
    for (const lose of [
      () => rmSync(join(folder, 'proof.db')),
      () => put(other, 'proof.db'),
      () => put(older, 'proof.db'),
    ]) {
      lose();
      expect(await start()).toMatchObject({ size: EVENTS, root: served.root, origin: served.origin });
    }
    expect(served.root).toBe(await inLog(folder, async ({ events }) => rootOf(await everything(events))));
  });

  it('is made anew without a word where nothing of it was ever signed', async () => {
    rmSync(anchor());
    rmSync(join(folder, 'proof.db'));
    expect(await start()).toMatchObject({ size: EVENTS });
  });

  it('keeps its origin where the file that says it is gone, and takes no other', async () => {
    const { origin } = await start();
    rmSync(join(folder, 'origin'));
    expect(await start()).toMatchObject({ origin });
    expect(await refusal({ origin: 'example.com/other' })).toContain(`the log in ${folder} is ${origin}`);
    writeFileSync(join(folder, 'origin'), 'two words\n');
    expect(await refusal()).toContain('holds no origin');
  });
});

describe('a last checkpoint', () => {
  it.each([
    ['with one letter changed', (note: string) => note.replace(/\n30\n/, '\n29\n'), 'cannot be trusted'],
    ['that nobody signed', (note: string) => note.replace(/— .*\n/, '— someone AAAAAAAA\n'), 'signed by no key'],
    ['that is nothing of the kind', () => 'hello', 'cannot be trusted'],
    ['cut off', (note: string) => note.slice(0, 40), 'cannot be trusted'],
    [
      'of another origin',
      () => new LogKeys(ring, 'example.com/other', Date.now).sign(1, Buffer.alloc(32)),
      'signed by no key|is of example.com/other',
    ],
  ])('%s stops the start', async (_what, edit, why) => {
    const path = anchor();
    writeFileSync(path, edit(readFileSync(path, 'utf8')));
    expect(await refusal()).toMatch(new RegExp(`the last checkpoint in ${path} .*(${why})`));
  });

  it('is not of the process’s making alone: what is put in its place later is checked again', async () => {
    await start();
    expect(existsSync(anchor())).toBe(true);
    cpSync(anchor(other), anchor());
    expect(await refusal()).toContain('the last checkpoint in');
  });
});

describe('a name of which nothing was signed but that it began', () => {
  const claimed = join('keys', 'checkpoints');
  /** A start of a new log that comes no further than its name. */
  async function begun(): Promise<{ readonly path: string }> {
    const path = mkdtempSync(join(root, 'begun-'));
    mkdirSync(join(path, 'proof.db'));
    await expect(inLog(path, async () => undefined)).rejects.toThrow();
    rmSync(join(path, 'proof.db'), { recursive: true });
    expect(readdirSync(join(path, claimed))).toHaveLength(1);
    return { path };
  }

  it('frees no events of another log, with its proof.db or without', async () => {
    const { path } = await begun();
    for (const names of [['events.db'], ['events.db', 'proof.db']]) {
      for (const name of names) cpSync(join(older, name), join(path, name));
      const { message } = (await inLog(path, async () => undefined).catch((error: unknown) => error)) as Error;
      expect(message).toContain('under its name nothing was signed but that it began');
    }
  });

  it('bears a log that ended after its first event, whose first checkpoint is kept before it has another', async () => {
    const { path } = await begun();
    const held = DataFolder.take(path);
    const events = await openSqliteEventStore({ folder: held });
    await fill(events, 1);
    await events.close();
    held.release();
    await inLog(path, async ({ log }) => {
      await log.begin();
      expect(readFileSync(anchor(path), 'utf8')).toContain('\n1\n');
    });
    await inLog(path, async ({ events }) => fill(events, 5, 1));
    expect(await inLog(path, async ({ events, log }) => log.covering(await events.head(), PATIENCE_MS))).toMatchObject({
      size: 6,
    });
  });

  it('is this one where another process begins it between a look at the key folder and one at the events', async () => {
    const path = mkdtempSync(join(root, 'two-'));
    const held = DataFolder.take(path);
    const events = await openSqliteEventStore({ folder: held });
    const witness = (): Witness => ({
      url: 'http://witness.test',
      // Asked after the key folder was, which knows by then that the log is claimed and nothing of it yet.
      lastNote: async () => {
        await fill(events, 3);
        return null;
      },
      offer: () => undefined,
      state: () => ({ url: '', name: '', cosigned_size: null, problem: null }),
      close: async () => undefined,
    });
    const quiet = { onFault: () => undefined, onRebuild: () => undefined };
    const keyFile = join(path, 'keys', 'ring.json');
    const log = await openMerkleLog({ events, folder: held, ring, keyFile, now: Date.now, ...quiet, witness });
    expect(await log.covering(await events.head(), PATIENCE_MS)).toMatchObject({ size: 3 });
    await log.close();
    await events.close();
    held.release();
  });

  it('is no log yet where its first checkpoint cannot be kept', async () => {
    const { path } = await begun();
    await expect(
      inLog(path, async ({ events, log }) => {
        rmSync(join(path, claimed), { recursive: true });
        writeFileSync(join(path, claimed), 'no folder');
        await fill(events, 1);
        await log.begin();
      }),
    ).rejects.toThrow('a new log could not be begun: its first checkpoint could not be kept');
  });
});
