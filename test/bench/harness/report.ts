import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { MachineFacts } from './machine.js';
import type { Line } from './row.js';

/** How one row ended. */
export type Outcome =
  { readonly row: string; readonly lines: readonly Line[] } | { readonly row: string; readonly failure: string };

const HEAD = ['row', 'figure', 'baseline', 'ratio', 'aim', 'met'] as const;

export function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap((outcome) =>
    'failure' in outcome ? [[outcome.row, 'failed', '', '', '', 'no']] : outcome.lines.map(cells),
  );
  const widths = HEAD.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const written = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => (i > 0 && i < 4 ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join(' | ')} |`;
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

function cells({ name, unit, figure, baseline, ratio, aims }: Line): string[] {
  return [
    name,
    `${shown(figure)} ${unit}`,
    baseline === null ? '-' : shown(baseline),
    ratio === null ? '-' : ratio.toFixed(2),
    aims.map(({ text }) => text).join(', '),
    aims.every(({ met }) => met) ? 'yes' : `no${aims.length > 1 ? ` (${missed(aims)})` : ''}`,
  ];
}

function missed(aims: Line['aims']): string {
  return aims
    .filter(({ met }) => !met)
    .map(({ text }) => text.split(' ')[0]!)
    .join(', ');
}

function shown(value: number | string): string {
  if (typeof value === 'string') return value;
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 100) / 100);
}
