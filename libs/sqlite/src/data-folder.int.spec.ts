import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { DataFolder, DataFolderInUseError } from './data-folder.js';
import { DataFileError } from './store-file.js';
import { asOrdinaryUser } from './testing/ordinary-user.js';

const HOLDING = fileURLToPath(new URL('./testing/holding.worker.js', import.meta.url));

let path: string;
beforeEach(() => (path = mkdtempSync(join(tmpdir(), 'mace-folder-'))));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(path, { recursive: true });
});

async function inAnotherProcess(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [HOLDING, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function refusal(): DataFolderInUseError {
  try {
    DataFolder.take(path).release();
  } catch (error) {
    if (error instanceof DataFolderInUseError) return error;
    throw error;
  }
  throw new Error('the folder was not in use');
}

describe('a data folder', () => {
  it('that is made is for its owner only, whatever the umask lets others do', () => {
    const umask = process.umask(0o022);
    try {
      DataFolder.take(join(path, 'made')).release();
    } finally {
      process.umask(umask);
    }
    expect(statSync(join(path, 'made')).mode & 0o777).toBe(0o700);
  });

  it('is made where it is missing, with the folders above it', () => {
    const folder = DataFolder.take(join(path, 'a', 'b'));
    expect(existsSync(folder.path)).toBe(true);
    folder.release();
  });

  it('held by another process is refused, and the refusal names the holder', async () => {
    const child = await inAnotherProcess();
    try {
      const { holder, message } = refusal();
      expect(holder).toMatchObject({ pid: child.pid });
      expect(Number.isNaN(Date.parse(holder!.since))).toBe(false);
      expect(message).toContain(path);
      expect(message).toContain(`process ${child.pid}`);
      expect(message).toContain('holding.worker.js');
    } finally {
      await killed(child);
    }
  });

  it('is free at once when its holder was killed, again and again', async () => {
    for (let i = 0; i < 3; i++) await killed(await inAnotherProcess());
    const folder = DataFolder.take(path);
    expect(folder.isHeld).toBe(true);
    folder.release();
  });

  it('is refused to a second taker in the same process, until released', () => {
    const first = DataFolder.take(path);
    expect(refusal().holder).toMatchObject({ pid: process.pid });
    // The refused attempt must not have loosened the lock (closing a descriptor drops POSIX locks).
    expect(refusal().holder).toMatchObject({ pid: process.pid });
    first.release();
    first.release();
    DataFolder.take(path).release();
  });

  it('refused to this process stays refused to others', async () => {
    const first = DataFolder.take(path);
    refusal();
    const child = spawn(process.execPath, [HOLDING, path], { stdio: ['ignore', 'ignore', 'pipe'] });
    const said: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
    const [code] = (await once(child, 'close')) as [number];
    first.release();
    expect(code).toBe(1);
    expect(Buffer.concat(said).toString()).toContain('DataFolderInUseError');
  });

  it('does not stand in the way of another folder', () => {
    const [a, b] = [DataFolder.take(join(path, 'a')), DataFolder.take(join(path, 'b'))];
    expect(a.isHeld && b.isHeld).toBe(true);
    a.release();
    b.release();
  });

  it('whose holder has not said its name yet is refused without one', async () => {
    const child = await inAnotherProcess();
    rmSync(join(path, 'holder.json'));
    expect(refusal()).toMatchObject({ holder: null, message: expect.stringContaining('has not left its name') });
    writeFileSync(join(path, 'holder.json'), '{"pid":');
    expect(refusal().holder).toBeNull();
    await killed(child);
  });

  it('that is a file is refused, naming it', () => {
    writeFileSync(join(path, 'file'), '');
    expect(() => DataFolder.take(join(path, 'file'))).toThrow(DataFileError);
    expect(() => DataFolder.take(join(path, 'file'))).toThrow(/file cannot be used as a data folder/);
  });

  it('that this user cannot write is refused, naming it and saying what to do', () => {
    chmodSync(path, 0o555);
    asOrdinaryUser(() => {
      expect(() => DataFolder.take(path)).toThrow(DataFileError);
      expect(() => DataFolder.take(path)).toThrow(new RegExp(`${path}.*writable`));
    });
    expect(readdirSync(path)).toEqual([]);
  });
});
