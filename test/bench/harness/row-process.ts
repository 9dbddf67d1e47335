import { ROWS } from '../rows/index.js';
import type { RowMessage } from './process.js';
import { speedOfThisMachine } from './reference.js';

/** Measures one row: `row-process.js NAME FOLDER ROUNDS SCALE`, with its result as a message. */
const [name = '', folder = '', rounds = '5', scale = '1'] = process.argv.slice(2);
const send = (message: RowMessage): void => void process.send?.(message);

try {
  const load = ROWS.get(name);
  if (!load) throw new Error(`there is no row ${name}`);
  const row = await load();
  const speed = speedOfThisMachine();
  const lines = await row.run({
    folder,
    rounds: Number(rounds),
    scale: Number(scale),
    say: (text) => send({ kind: 'progress', text }),
  });
  send({ kind: 'done', lines, speed });
} catch (error) {
  send({ kind: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}
// Nothing else keeps the process: what a row opened it has closed.
process.disconnect?.();
