import type { Context } from '../context.js';
import type { ExitCode } from '../exit-codes.js';
import { rehearsed } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { enrolled } from './otp.js';
import { given, send } from './shown.js';

interface Elevated {
  readonly access_token: string;
  readonly expires_in: number;
}

/** `mace auth session`: who the token says its holder is. */
export function session(context: Context): Promise<ExitCode> {
  return send(context, { method: 'GET', path: '/auth/session' });
}

/** `mace auth step-up`: the elevated token and nothing else, as the token's holder. */
export async function stepUp(context: Context, otp: string): Promise<ExitCode> {
  const call = (code: string) => ({ method: 'POST', path: '/auth/step-up', body: { otp: code } }) as const;
  if (rehearsed(context, call('(the code)'))) return EXIT.ok;
  const answer = await context.answer<Elevated>(call(otp));
  context.io.out(context.json ? JSON.stringify(answer, null, 2) : answer.access_token);
  return EXIT.ok;
}

export interface Enrolling {
  readonly invitation?: string;
  readonly qr?: boolean;
}

/** `mace auth enrol`: a secret for one's own codes, by an elevated token or an invitation; it is shown this once. */
export function enrol(context: Context, { invitation, qr }: Enrolling): Promise<ExitCode> {
  const call = { method: 'POST', path: '/auth/otp/enrol', body: given({ invitation }) } as const;
  return enrolled(context, call, qr);
}

/** `mace otp invite`: a code with which a person enrols for the first time. */
export function invite(context: Context, user: string): Promise<ExitCode> {
  return send(context, { method: 'POST', path: '/auth/otp/invite', body: { user_id: user } });
}
