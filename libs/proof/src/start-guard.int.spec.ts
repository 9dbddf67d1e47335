import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openSqliteEventStore } from '#lib/event-store';
import { KeyRing } from '#lib/kernel';
import { DataFolder, openDatabase } from '#lib/sqlite';

import { LogKeys } from './log-keys.js';
import { openMerkleLog, type OpenMerkleLogOptions, type Witness } from './open-merkle-log.js';
import { OriginError } from './origin.js';
import { LogGuardError } from './start-guard.js';
import { everything, fill, rootOf, signingKey } from './testing/proof-support.js';

const EVENTS = 30;
const PATIENCE_MS = 20_000;
const ring = new KeyRing([signingKey()]);

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

describe('a log that was changed while nobody served it, with', () => {
  it.each(MUTATIONS)('%s, is not served', async (_what, mutate) => {
    await mutate();
    expect(await refusal()).toMatch(
      /the log is (older than its last checkpoint: it has \d+ events|not the one).*mace restore/,
    );
  });

  it.each([...MUTATIONS.slice(3), ['one letter of one event changed', editOne] as const])(
    '%s, is not served although proof.db is gone too',
    async (_what, mutate) => {
      await mutate();
      rmSync(join(folder, 'proof.db'));
      expect(await refusal()).toMatch(
        /the log is (older than its last checkpoint: it has \d+ events|not the one).*mace restore/,
      );
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
