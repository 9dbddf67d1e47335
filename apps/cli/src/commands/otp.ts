import type { OtpEnrolment } from '#lib/access';

import type { Call } from '../client.js';
import { rehearsed, type Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { refuseInProduction } from './token.js';

/** `mace otp enrol`: draws a secret for a person's one-time codes, in place of an earlier one, and shows it this once. */
export function enrol(context: Context, user: string, qr = false): Promise<ExitCode> {
  refuseInProduction(context, 'one-time codes');
  return enrolled(context, { method: 'POST', path: '/local/otp/enrol', body: { user_id: user } }, qr);
}

/** Asks for a secret and shows it; beside the answer as a QR code, for an authenticator's camera. */
export async function enrolled(context: Context, call: Call, qr = false): Promise<ExitCode> {
  if (rehearsed(context, call)) return EXIT.ok;
  const { secret, uri } = await context.answer<OtpEnrolment>(call);
  if (context.json) context.io.out(JSON.stringify({ secret, uri }, null, 2));
  else context.io.out(`${uri}\n${secret}`);
  if (qr) context.io.say(await qrOf(uri));
  return EXIT.ok;
}

/** Two rows of modules in a line of text; light on dark. */
export async function qrOf(uri: string): Promise<string> {
  const { encodeQR } = await import('qr');
  return encodeQR(uri, 'ascii', { ecc: 'low' });
}
