import { spawn } from 'node:child_process';

import { programFor } from '../../../../test/support/inside-server.js';
import type { Ended } from './mace.js';

/** How a process ended, and by which signal. */
export interface EndedProcess extends Omit<Ended, 'code'> {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The built command line as a process of its own, which can be killed; this one goes on meanwhile. */
export async function child(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<EndedProcess> {
  const started = spawn(process.execPath, [programFor(env), ...args], { env: { ...process.env, ...env } });
  let [out, err] = ['', ''];
  started.stdout.on('data', (part: Buffer) => (out += part.toString()));
  started.stderr.on('data', (part: Buffer) => (err += part.toString()));
  const code = await new Promise<number | null>((done) => started.once('close', done));
  return { code, signal: started.signalCode, out, err };
}
