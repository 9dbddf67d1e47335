import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ProjectionHost } from '#lib/projections';
import { LogGuardError, type LogRestored, restoreFolder } from '#lib/proof';
import { DataFolder, openDatabase } from '#lib/sqlite';

import { JobApp } from '../../../test/support/job-app.js';
import { openApp } from './main.open.js';
import { readConfig } from './platform.config.js';

const EVENTS = ['events.db', 'events.db-wal', 'events.db-shm'];

/** Takes the last events away, as no part of MACE does. */
function cut(path: string, events: number): void {
  const db = openDatabase(path);
  db.exec(`DROP TRIGGER events_are_never_deleted; DROP TRIGGER streams_are_never_deleted;
    DELETE FROM events WHERE position > (SELECT max(position) FROM events) - ${events};
    DELETE FROM streams WHERE id NOT IN (SELECT stream FROM events);
    CREATE TRIGGER streams_are_never_deleted BEFORE DELETE ON streams
    BEGIN SELECT RAISE(ABORT, 'a stream is never deleted'); END;
    CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END`);
  db.close();
}

describe('a start on files that do not belong together', () => {
  let app: JobApp;
  let backup: string;
  beforeEach(async () => {
    app = await JobApp.open();
    backup = mkdtempSync(join(tmpdir(), 'mace-backup-'));
  });
  afterEach(async () => {
    await app.dispose();
    rmSync(backup, { recursive: true, force: true });
  });

  const restore = (): void => {
    for (const name of EVENTS) rmSync(join(app.folder, name), { force: true });
    cpSync(backup, app.folder, { recursive: true });
  };
  const head = async (): Promise<number> => Number(await app.parts.platform.eventStore.head());
  /** The list is eventual: it is asked for what the log holds now. */
  const jobs = async (): Promise<readonly unknown[]> => {
    const { eventStore } = app.parts.platform;
    await app.parts.app.nest.get(ProjectionHost).waitFor(await eventStore.head(), ['jobs'], 20_000);
    return (await (await app.caller('user_tuff')).get<{ items: readonly unknown[] }>('/jobs')).body.items;
  };

  /** What is in the folder becomes a new log, on record; the read models stay as they were left. */
  const accept = async (): Promise<void> => {
    const folder = DataFolder.take(app.folder);
    const keyFile = join(app.folder, 'keys', 'ring.json');
    await restoreFolder({ folder, from: app.folder, ring: app.parts.platform.ring, keyFile, now: Date.now });
    const aside = readdirSync(app.folder).find((name) => name.startsWith('replaced-'))!;
    cpSync(join(app.folder, aside, 'read.db'), join(app.folder, 'read.db'));
    folder.release();
  };
  /** Looks at a start that is refused, and puts everything back. */
  const refused = (change: () => void): Promise<void> =>
    app.whileClosed(async () => {
      cpSync(app.folder, backup, { recursive: true });
      change();
      const config = readConfig({ MACE_DATA_DIR: app.folder, MACE_LOG_LEVEL: 'silent' });
      await expect(openApp(config)).rejects.toThrow(LogGuardError);
      restore();
    });

  it('rebuilds the read models where an older log was restored on record, and goes on', async () => {
    await app.whileClosed(() => cpSync(join(app.folder, 'events.db'), join(backup, 'events.db')));
    const older = await head();
    const asker = await app.caller('user_tuff');
    await asker.ask('2 + 2');
    expect(await jobs()).toHaveLength(1);
    const { size, origin } = app.parts.platform.proof.latest()!;
    await app.whileClosed(async () => {
      restore();
      await accept();
    });
    expect(await head()).toBeGreaterThanOrEqual(older);
    expect(await jobs()).toEqual([]);
    const again = await app.caller('user_tuff');
    await again.ask('3 + 3');
    expect(await jobs()).toHaveLength(1);
    const [restored, ...others] = await app.stream('system-log');
    expect(others).toEqual([]);
    expect(restored!.type).toBe('LOG_RESTORED');
    expect(restored!.metadata.actor).toEqual({ id: 'local', role: 'admin' });
    const { previous_size, origin: named } = restored!.data as unknown as LogRestored;
    expect(previous_size).toBeGreaterThanOrEqual(size);
    expect(restored!.data).toMatchObject({ previous_origin: origin, erased_keys: 0 });
    expect(app.parts.platform.proof.origin).toBe(named);
    expect(named).not.toBe(origin);
  });

  it('is refused where the log is missing', () =>
    refused(() => EVENTS.forEach((name) => rmSync(join(app.folder, name), { force: true }))));

  it('is refused where the last events are gone', async () => {
    await (await app.caller('user_tuff')).ask('2 + 2');
    await refused(() => cut(join(app.folder, 'events.db'), 40));
    expect(await jobs()).toHaveLength(1);
  });

  it('trusts no read model where a log without its last events was taken on record', async () => {
    await (await app.caller('user_tuff')).ask('2 + 2');
    await app.whileClosed(async () => {
      cut(join(app.folder, 'events.db'), 40);
      await accept();
    });
    expect((await (await app.caller('user_tuff')).ask('3 + 3')).status).toBe(200);
    expect(await jobs()).not.toEqual([]);
  });
});

describe('a start that fails', () => {
  it('ends everything it began, and the process with its code', async () => {
    const app = await JobApp.open();
    try {
      await app.close();
      const db = openDatabase(join(app.folder, 'events.db'));
      db.exec(`DROP TRIGGER events_are_never_changed;
        UPDATE events SET text = replace(text, '"signature":"', '"signature":"0') WHERE type = 'POLICY_CHANGED'`);
      db.close();
      const child = spawn(process.execPath, [join('dist', 'apps', 'cli', 'src', 'main.js'), 'serve'], {
        env: { PATH: process.env['PATH'], MACE_DATA_DIR: app.folder, MACE_PORT: '0' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const [code] = (await once(child, 'exit')) as [number | null];
      expect(said).toContain('what a start reads in events.db is not what was signed: stream policy-');
      expect(code).toBe(1);
    } finally {
      rmSync(app.folder, { recursive: true, force: true });
    }
  });
});
