import type { Context } from '../context.js';
import type { ExitCode } from '../exit-codes.js';
import { rehearsed } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { send } from './shown.js';

interface Elevated {
  readonly access_token: string;
  readonly expires_in: number;
}

/** `mace auth step-up`: the elevated token and nothing else, as the token's holder. */
export async function stepUp(context: Context, otp: string): Promise<ExitCode> {
  const call = (code: string) => ({ method: 'POST', path: '/auth/step-up', body: { otp: code } }) as const;
  if (rehearsed(context, call('(the code)'))) return EXIT.ok;
  const answer = await context.answer<Elevated>(call(otp));
  context.io.out(context.json ? JSON.stringify(answer, null, 2) : answer.access_token);
  return EXIT.ok;
}

/** `mace auth enrol`: another secret for one's own codes; it is shown this once. */
export function enrol(context: Context): Promise<ExitCode> {
  return send(context, { method: 'POST', path: '/auth/otp/enrol' });
}
