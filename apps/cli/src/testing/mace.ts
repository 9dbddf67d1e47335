import { createColors } from 'picocolors';

import { run } from '../run.js';

/** How a command ended, and the lines that it printed: answers, and what is said beside them. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process, as `mace` does in one of its own. */
export async function mace(...args: readonly string[]): Promise<Ended> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(args, {
    out: (line) => void out.push(line),
    say: (line) => void err.push(line),
    colors: createColors(false),
    interactive: false,
    unread: new AbortController().signal,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** What a command answers as JSON; it must not fail. */
export async function answerOf<T = Record<string, unknown>>(...args: readonly string[]): Promise<T> {
  const { code, out, err } = await mace('--json', ...args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as T;
}
