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

const LOADER = pathToFileURL(join(process.cwd(), 'dist/apps/cli/src/archive.js')).href;

/**
 * A line of such a source: the process's own classes or functions of these names.
 * @param names such as `EventLog`, with commas between several
 * @param path of a module of dist/, such as `libs/event-store/src/event-log.js`
 */
export function own(names: string, path: string): string {
  return `const { ${names} } = await (await import('${LOADER}')).load('${path}');`;
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
