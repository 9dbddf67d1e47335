import type { Context } from '../context.js';
import type { ExitCode } from '../exit-codes.js';
import { given, send } from './shown.js';

export interface Handling {
  readonly persist?: boolean;
  readonly jobSeed?: string;
}

/** `mace pii detect`: what is found in a text, and what would be done with it. */
export function detect(context: Context, text: string, { persist, jobSeed }: Handling): Promise<ExitCode> {
  const body = given({ text, persist, job_seed: jobSeed });
  return send(context, { method: 'POST', path: '/pii/detect_and_handle', body });
}
