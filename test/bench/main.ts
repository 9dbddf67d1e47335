import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { machineFacts } from './harness/machine.js';
import { type RowMessage, start, stop } from './harness/process.js';
import { machineLine, notes, type Outcome, table, writeResults } from './harness/report.js';
import { ROWS } from './rows/index.js';

const USAGE = `npm run bench [-- NAME ...] [--rounds N] [--scale S] [--profile]
  NAME       any of: ${[...ROWS.keys()].join(', ')}; all by default
  --rounds   rounds that count, default 5; each row runs one more to warm up
  --scale    share of the usual amount of work, for a quick look, default 1
  --profile  writes CPU profiles to bench-results/profiles; the figures then say less`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
    profile: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const unknown = positionals.filter((name) => !ROWS.has(name));
const rounds = Number(values.rounds);
const scale = Number(values.scale);
if (values.help || unknown.length > 0 || !(rounds >= 1 && rounds <= 99) || !(scale > 0 && scale <= 10)) {
  console.error(unknown.length > 0 ? `there is no row ${unknown.join(', ')}\n${USAGE}` : USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  await measure(positionals.length > 0 ? positionals : [...ROWS.keys()]);
}

async function measure(names: readonly string[]): Promise<void> {
  const began = new Date();
  const facts = machineFacts();
  console.log(machineLine(facts));
  const outcomes: Outcome[] = [];
  for (const name of names) outcomes.push(await runRow(name));
  progress('');
  console.log(`\n${table(outcomes)}\n\n${notes(outcomes)}\n`);
  console.log(`written to ${writeResults(facts, rounds, outcomes, began)}`);
  if (outcomes.some((outcome) => 'failure' in outcome)) process.exitCode = 1;
}

/**
 * In a process of its own, with the flags of `npm start`, so that no row inherits another's heap; its folder goes
 * whatever happened in it.
 */
async function runRow(name: string): Promise<Outcome> {
  mkdirSync('.cache', { recursive: true });
  const folder = mkdtempSync(join('.cache', `bench-${name}-`));
  const nodeFlags = ['--max-semi-space-size=32'];
  if (values.profile) nodeFlags.push('--cpu-prof', `--cpu-prof-dir=${join('bench-results', 'profiles', name)}`);
  const child = start(new URL('./harness/row-process.js', import.meta.url), {
    args: [name, folder, String(rounds), String(scale)],
    nodeFlags,
  });
  const interrupted = (): void => void stop(child);
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await new Promise<Outcome>((resolve) => {
      let outcome: Outcome = { row: name, failure: 'its process ended early' };
      child.on('message', (message: RowMessage) => {
        if (message.kind === 'progress') progress(`${name}: ${message.text}`);
        else if (message.kind === 'done') outcome = { row: name, lines: message.lines, speed: message.speed };
        else outcome = { row: name, failure: message.reason };
      });
      child.once('exit', () => resolve(outcome));
    });
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One line that replaces itself; only where a person watches. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text.slice(0, 100)}`);
}
