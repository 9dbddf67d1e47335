import type { OtpEnrolment } from '#lib/access';

import { rehearsed, type Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { refuseInProduction } from './token.js';

/** `mace otp enrol`: draws a secret for a person's one-time codes, in place of an earlier one, and shows it this once. */
export async function enrol(context: Context, user: string): Promise<ExitCode> {
  refuseInProduction(context, 'one-time codes');
  const call = { method: 'POST', path: '/local/otp/enrol', body: { user_id: user } } as const;
  if (rehearsed(context, call)) return EXIT.ok;
  const { secret, uri } = await context.answer<OtpEnrolment>(call);
  if (context.json) context.io.out(JSON.stringify({ secret, uri }, null, 2));
  else context.io.out(`${uri}\n${secret}`);
  return EXIT.ok;
}
