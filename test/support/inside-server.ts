import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * What a served process is made to run before anything of its own, for what no request can bring about; in its main
 * thread alone, since each of its workers would load the same again.
 */
export function inside(...sources: readonly string[]): { readonly NODE_OPTIONS: string } {
  const blocks = sources.map((one) => `if (isMainThread) {\n${one}\n}`);
  const source = [`import { isMainThread } from 'node:worker_threads';`, ...blocks].join('\n');
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
}

/** The command line as the build bundles it. */
export const MACE = 'dist/mace/main.js';
const MODULES = 'dist/apps/cli/src/main.js';
const DIST = pathToFileURL(join(process.cwd(), 'dist/')).href;

/**
 * A line of such a source: the process's own classes or functions of these names.
 * @param names such as `EventLog`, with commas between several
 * @param path of a module of dist/, such as `libs/event-store/src/event-log.js`
 */
export function own(names: string, path: string): string {
  return `const { ${names} } = await import('${DIST}${path}');`;
}

/**
 * What a process with these settings is to run: the command line as people start it, or, where its own classes are
 * changed from within, the modules that it is bundled of.
 */
export function programFor({ NODE_OPTIONS = '' }: Readonly<Record<string, string>>): string {
  return join(process.cwd(), NODE_OPTIONS.includes(encodeURIComponent(DIST)) ? MODULES : MACE);
}

/** How far SIGUSR2 moves a clock on: past the time for which a process may keep an unwrapped key. */
const MOVE_MS = 31_000;

/** A clock that is so many moves ahead of the machine's, and one more after each SIGUSR2. */
export function movableClock(moves = 0): string {
  return `
    const told = Date.now;
    let ahead = ${moves * MOVE_MS};
    Date.now = () => told() + ahead;
    process.on('SIGUSR2', () => { ahead += ${MOVE_MS}; });
  `;
}
