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
  // What is said beside the answer is no part of what the command comes to, and nobody is left who could be told.
  process.stderr.on('error', () => undefined);
  const isPlain = (process.env['NO_COLOR'] ?? '') !== '' || process.env['TERM'] === 'dumb';
  return {
    out: (line) => process.stdout.write(`${line}\n`),
    say: (line) => process.stderr.write(`${line}\n`),
    colors: createColors(!isPlain && process.stdout.isTTY === true),
    interactive: process.stderr.isTTY === true && process.env['CI'] === undefined,
    unread: unread.signal,
  };
}

/**
 * A text for a person's terminal, in which nothing moves, hides or colours what is told: a name in the log may hold
 * anything where it is not what was signed. Colours are put around it, not into it.
 */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
}

/** As `plain`, but for its lines, its tabs, and the joiners without which some scripts and emoji are others. */
export function plainText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]/gu, '\ufffd');
}

/** A table of plain texts, whose columns are as wide as their widest cell. */
export function table(cells: readonly (readonly string[])[]): string[] {
  const rows = cells.map((row) => row.map(plain));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
