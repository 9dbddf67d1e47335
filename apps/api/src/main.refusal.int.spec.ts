import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { IntegrityError } from '#lib/event-store';

import { JobApp } from '../../../test/support/job-app.js';
import { openApp } from './main.open.js';
import { refusalOf } from './main.refusal.js';
import { readConfig } from './platform.config.js';

describe('a start on a folder in which a small file cannot be read', () => {
  let app: JobApp;
  beforeAll(async () => {
    app = await JobApp.open();
    await app.close();
  });
  afterAll(() => rmSync(app.folder, { recursive: true, force: true }));

  const folderAt = (path: string): void => void mkdirSync(path);
  const checkpoint = (): string => {
    const folder = join('keys', 'checkpoints');
    return join(
      folder,
      readdirSync(join(app.folder, folder)).find((name) => name.endsWith('.checkpoint'))!,
    );
  };

  it.each<[string, () => string, (path: string) => void, RegExp]>([
    ['the name of the log is a folder', () => 'origin', folderAt, /is a folder, and a file should stand there/],
    ['the last checkpoint is a folder', checkpoint, folderAt, /is a folder, and a file should stand there/],
    [
      'the last checkpoint is a link to nothing',
      checkpoint,
      (path) => symlinkSync('/nowhere/at-all', path),
      /is not there, or a link that leads nowhere/,
    ],
    ['a restore that was begun is a folder', () => 'restore.json', folderAt, /is a folder, and a file should stand/],
    [
      'the folder of checkpoints is a file',
      () => join('keys', 'checkpoints'),
      (path) => writeFileSync(path, ''),
      /has a file in its way where a folder should be/,
    ],
    [
      'the restore that was begun is half a text',
      () => 'restore.json',
      (path) => writeFileSync(path, '{'),
      /which says how far a restore is, is no JSON/,
    ],
    [
      'the restore that was begun is another text',
      () => 'restore.json',
      (path) => writeFileSync(path, 'null'),
      /which says how far a restore is, holds no object/,
    ],
    ['the events are a folder', () => 'events.db', folderAt, /cannot be opened/],
  ])('names it where %s, says what to do, and shows no stack', async (_, nameOf, spoil, expected) => {
    const path = join(app.folder, nameOf());
    const aside = `${app.folder}-aside`;
    const isThere = readdirSync(join(path, '..')).some((name) => path.endsWith(`/${name}`));
    if (isThere) renameSync(path, aside);
    try {
      spoil(path);
      const config = readConfig({ MACE_DATA_DIR: app.folder, MACE_LOG_LEVEL: 'silent' });
      const { message, exitCode } = await openApp(config).then(
        () => ({ message: 'it started', exitCode: 0 }),
        (error: unknown) => refusalOf(error),
      );
      expect({ exitCode, message }).toEqual({ exitCode: 1, message: expect.stringMatching(expected) });
      expect(message).toContain(path);
      expect(message).not.toMatch(/\n|could not start/);
    } finally {
      rmSync(path, { recursive: true });
      if (isThere) renameSync(aside, path);
    }
  });
});

it('tells no sign that controls a terminal of a stream that is not what was signed', () => {
  const { message, exitCode } = refusalOf(new IntegrityError('sem-x\u001b[2J\u202e\n', 3, 'hash'));
  expect(message).toContain('what was signed: stream sem-x\ufffd[2J\ufffd\ufffd, revision 3: hash. ');
  expect(exitCode).toBe(1);
});

it('names a folder in the place of the failures that wait for the log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mace-refusal-'));
  const spool = join(folder, 'failure-spool.jsonl');
  try {
    mkdirSync(spool);
    const config = readConfig({ MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent' });
    const refused = await openApp(config).catch((error: unknown) => refusalOf(error));
    expect(refused).toEqual({
      exitCode: 1,
      message: expect.stringContaining(`${spool} is a folder, and a file should stand there`) as unknown,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('names a folder in the place of a file that a start takes away, as its socket', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mace-refusal-'));
  try {
    rmSync(folder, { force: true });
  } catch (error) {
    const { message, exitCode } = refusalOf(error);
    expect([message, exitCode]).toEqual([
      expect.stringContaining(`${folder} is a folder, and a file should stand there`),
      1,
    ]);
  }
  expect.assertions(1);
  rmSync(folder, { recursive: true });
});
