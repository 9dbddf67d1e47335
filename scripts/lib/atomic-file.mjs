import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

let count = 0;

/** Readers see the old content or the new, never a part; two writers leave the content of one of them. */
export function writeAtomically(path, content) {
  const temporary = `${path}.${process.pid}-${count++}.tmp`;
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
