import { createColors } from 'picocolors';

import { EXIT } from './exit-codes.js';

/** Where a command's words go: what it answers to stdout, everything else to stderr. */
export interface Io {
  /** One line of data. */
  out(line: string): void;
  /** One line for the person at the terminal. */
  say(line: string): void;
  readonly colors: ReturnType<typeof createColors>;
  /** Whether progress may be drawn on stderr. */
  readonly interactive: boolean;
  /** Aborted once nobody reads what is answered any more. */
  readonly unread: AbortSignal;
}

export function terminal(): Io {
  const unread = new AbortController();
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough (`| head`) is no failure, and changes nothing of what the command comes to.
    if (error.code === 'EPIPE') return unread.abort();
    process.stderr.write(`mace: the answer could not be written: ${error.message}\n`);
    process.exit(EXIT.failure);
  });
  const plain = (process.env['NO_COLOR'] ?? '') !== '' || process.env['TERM'] === 'dumb';
  return {
    out: (line) => process.stdout.write(`${line}\n`),
    say: (line) => process.stderr.write(`${line}\n`),
    colors: createColors(!plain && process.stdout.isTTY === true),
    interactive: process.stderr.isTTY === true && process.env['CI'] === undefined,
    unread: unread.signal,
  };
}

/** A table whose columns are as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
