import { statfs } from 'node:fs/promises';

/** Bytes that this user may still write where a folder lies. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
