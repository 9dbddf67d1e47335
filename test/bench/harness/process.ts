import { fork, type ChildProcess } from 'node:child_process';

import type { Line } from './row.js';

/** What a row's process says to the one that started it. */
export type RowMessage =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'done'; readonly lines: readonly Line[]; readonly speed: number }
  | { readonly kind: 'failed'; readonly reason: string };

export interface ForkOptions {
  readonly args?: readonly string[];
  /** Flags of Node for the child. */
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A built file of ours as a process of its own; its own output goes to stderr. */
export function start(entry: URL, { args = [], nodeFlags = [], env = {} }: ForkOptions = {}): ChildProcess {
  return fork(entry, args, {
    execArgv: [...nodeFlags],
    env: { ...process.env, ...env },
    stdio: ['ignore', 2, 2, 'ipc'],
  });
}

/** The first message of a kind. @throws Error where the process ends or fails before it */
export function message<T extends { readonly kind: string }>(child: ChildProcess, kind: T['kind']): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (said: unknown): void => {
      const { kind: found, reason } = said as { kind: string; reason?: string };
      if (found !== kind && found !== 'failed') return;
      child.off('message', onMessage).off('exit', onExit);
      if (found === kind) resolve(said as T);
      else reject(new Error(reason));
    };
    const onExit = (code: number | null, signal: string | null): void => {
      reject(new Error(`a process of the bench ended early (${signal ?? `code ${code}`})`));
    };
    child.on('message', onMessage).once('exit', onExit);
  });
}

/** Asks a process to end and waits until it has. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
