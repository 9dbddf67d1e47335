import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { EXIT, type ExitCode } from '../exit-codes.js';

/** The benchmark is a program of its own, so that nothing of the command line weighs on what it measures. */
const PROGRAM = fileURLToPath(new URL('../../../../test/bench/main.js', import.meta.url));

/** By its own code: 2 where it was not given as it is used. */
const CODES: Readonly<Record<number, ExitCode>> = { 0: EXIT.ok, 2: EXIT.usage };

/** `mace bench`: measures the rows named, all by default, each beside its baseline of the same run. */
export function bench(rows: readonly string[]): Promise<ExitCode> {
  const child = spawn(process.execPath, [PROGRAM, ...rows], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(CODES[code ?? 1] ?? EXIT.failure));
  });
}
