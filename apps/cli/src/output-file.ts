import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';

import { CommandError, EXIT } from './exit-codes.js';

export type Write = (content: string | Uint8Array) => Promise<void>;

/**
 * Runs `act` with a file to write its outcome into: that it can be written is known before `act` begins, and it is then
 * there whole or not at all. Nobody but its owner may read it. Without a file, what is written goes nowhere.
 * @throws CommandError where the file cannot be written; what `act` throws
 */
export async function writing<T>(file: string | undefined, act: (write: Write) => Promise<T>): Promise<T> {
  if (file === undefined) return act(() => Promise.resolve());
  const draft = `${file}.${process.pid}.tmp`;
  const handle = await told(file, () => begun(file, draft));
  try {
    return await act((content) => told(file, () => put(handle, content, draft, file)));
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
}

async function begun(file: string, draft: string): Promise<FileHandle> {
  const there = await stat(file).catch(() => null);
  if (there?.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  return open(draft, 'w', 0o600);
}

async function put(handle: FileHandle, content: string | Uint8Array, draft: string, file: string): Promise<void> {
  await handle.writeFile(content);
  await handle.sync();
  await rename(draft, file);
}

async function told<T>(file: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`--output: ${file} cannot be written (${code ?? 'unknown fault'})`, EXIT.failure);
  }
}
