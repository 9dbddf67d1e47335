import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's top folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export const inRoot = (...parts) => join(root, ...parts);

export const DIST = inRoot('dist');

export const slashed = (path) => path.split(sep).join('/');

/** Progress goes to stderr, so that stdout holds only what a command answers. */
export function progress(text) {
  process.stderr.write(`mace: ${text}\n`);
}
