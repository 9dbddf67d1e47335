import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { MachineFacts } from './machine.js';
import { type Aim, isMet, type Line } from './row.js';

/** How one row ended; `speed` is that of the machine just before it, as a share of the reference machine's. */
export type Outcome =
  | { readonly row: string; readonly lines: readonly Line[]; readonly speed: number }
  | { readonly row: string; readonly failure: string };

const HEAD = ['row', 'figure', 'baseline', 'ratio', 'aim', 'met', 'speed', 'met at speed 1'] as const;
/** Columns of figures. */
const TO_THE_RIGHT = [1, 2, 3, 6];

export function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap((outcome) =>
    'failure' in outcome
      ? [[outcome.row, 'failed', '', '', '', 'no', '', 'no']]
      : outcome.lines.map((line) => cells(line, outcome.speed)),
  );
  const widths = HEAD.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const written = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => (TO_THE_RIGHT.includes(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join(' | ')} |`;
  return [written(HEAD), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(written)].join(
    '\n',
  );
}

/** What the table has no column for: what the baseline is, and what else was seen. */
export function notes(outcomes: readonly Outcome[]): string {
  return outcomes
    .flatMap((outcome) => {
      if ('failure' in outcome) return [`${outcome.row}: ${outcome.failure}`];
      return outcome.lines.map(({ name, baselineName, details }) => {
        const seen = Object.entries(details).map(([what, value]) => `${what} ${shown(value)}`);
        return `${name}: ${[...(baselineName === '' ? [] : [`baseline ${baselineName}`]), ...seen].join('; ')}`;
      });
    })
    .join('\n');
}

export function machineLine(facts: MachineFacts): string {
  const { processor, cores, memoryGiB, system, node, sqlite, load } = facts;
  return `${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}, SQLite ${sqlite}, load ${load} at the start`;
}

/** @returns the file's name, relative to the working directory */
export function writeResults(facts: MachineFacts, rounds: number, outcomes: readonly Outcome[], now: Date): string {
  const folder = 'bench-results';
  mkdirSync(folder, { recursive: true });
  const name = join(folder, `${now.toISOString().replace(/:/g, '-').slice(0, 19)}.json`);
  writeFileSync(name, `${JSON.stringify({ at: now.toISOString(), machine: facts, rounds, outcomes }, null, 2)}\n`);
  return name;
}

function cells({ name, unit, figure, baseline, ratio, aims }: Line, speed: number): string[] {
  return [
    name,
    `${shown(figure)} ${unit}`,
    baseline === null ? '-' : shown(baseline),
    ratio === null ? '-' : ratio.toFixed(2),
    aims.map(({ what, sense, wanted }) => `${what} ${sense} ${wanted.toLocaleString('en')}`).join(', '),
    verdict(aims, 1),
    speed.toFixed(2),
    aims.every(({ scaling }) => scaling === 'none') ? '-' : verdict(aims, 1 / speed),
  ];
}

/** Whether all aims are met by a machine `faster` times as fast, and where there are several, which are not. */
function verdict(aims: readonly Aim[], faster: number): string {
  const missed = aims.filter((aim) => !isMet(aim, faster));
  if (missed.length === 0) return 'yes';
  return aims.length > 1 ? `no (${missed.map(({ what }) => what).join(', ')})` : 'no';
}

function shown(value: number | string): string {
  if (typeof value === 'string') return value;
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 100) / 100);
}
