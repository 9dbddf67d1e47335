import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** A command of a page, and what the page says that it prints. */
export interface ConsoleStep {
  readonly command: string;
  readonly exitCode: number;
  /** Lines; … stands for anything, a line of its own for any lines. */
  readonly prints: readonly string[];
}

export interface RanStep extends ConsoleStep {
  readonly printed: string;
  readonly exited: number;
}

const BLOCK = /^```console\n([\s\S]*?)^```$/gm;
const EXIT = / # exit code (\d+)$/;
const MAX_OUTPUT = 16 * 1024 * 1024;
const run = promisify(execFile);
const END = '\u001e';

/** The commands of a page's `console` blocks, in order. */
export function stepsOf(page: string): readonly ConsoleStep[] {
  const steps: { command: string; exitCode: number; prints: string[] }[] = [];
  for (const [, block] of readFileSync(page, 'utf8').matchAll(BLOCK)) {
    for (const line of block!.trimEnd().split('\n')) {
      if (!line.startsWith('$ ')) steps.at(-1)!.prints.push(line);
      else
        steps.push({
          command: line.slice(2).replace(EXIT, ''),
          exitCode: Number(EXIT.exec(line)?.[1] ?? 0),
          prints: [],
        });
    }
  }
  return steps;
}

/**
 * Runs them in one shell, as a reader does.
 * @param prelude commands before the first, such as functions that stand for programs
 */
export async function runSteps(steps: readonly ConsoleStep[], prelude: readonly string[]): Promise<readonly RanStep[]> {
  const script = [...prelude, ...steps.flatMap(({ command }) => [command, `printf '\\n${END}%s${END}' "$?"`])].join(
    '\n',
  );
  const { stdout } = await run('bash', ['-c', `exec 2>&1\n${script}`], { maxBuffer: MAX_OUTPUT });
  const parts = stdout.split(END);
  return steps.map((step, i) => ({ ...step, printed: parts[2 * i]!.trim(), exited: Number(parts[2 * i + 1]) }));
}

/** Whether what was printed is what the page says. */
export function matches({ prints, printed }: Pick<RanStep, 'prints' | 'printed'>): boolean {
  const lines = prints.map((line) => (line === '…' ? '[\\s\\S]*?' : `${line.split('…').map(escaped).join('.*?')}\\n`));
  return new RegExp(`^${lines.join('')}$`).test(printed === '' ? '' : `${printed}\n`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
