import type { Caller, JobApp } from '../../../../../test/support/job-app.js';
import { filesBelow } from '../../../../../test/support/live-folder.js';

/** What the specs of consent share. */

export type Body = Readonly<Record<string, unknown>>;

export const PHONE = '+44 20 7946 0123';
export const SSN = '536-22-8145';

let drawn = 0;

/** A key of tuff's that no other test uses. */
export function keyOf(name: string): string {
  return `user/profile/user_tuff/${name}_${drawn++}`;
}

/** @returns the consent's id */
export async function grant(who: Caller, terms: Body): Promise<string> {
  const { status, body } = await who.send<Body>('POST', '/consents', {
    consent_text: `I agree (${drawn++}).`,
    ...terms,
  });
  expect({ status, body }).toEqual({
    status: 200,
    body: { consent_id: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
  });
  return body['consent_id'] as string;
}

export function put<T = Body>(who: Caller, key: string, value: string, idempotencyKey?: string) {
  return who.send<T>('PUT', `/sem/${key}`, { value }, idempotencyKey ? { 'idempotency-key': idempotencyKey } : {});
}

/** Not in any file of the data folder, and in none of these texts. */
export async function expectNowhere(app: JobApp, secret: string, ...texts: readonly string[]): Promise<void> {
  for (const text of [...(await app.texts()), ...texts]) expect(text).not.toContain(secret);
  for (const { bytes } of filesBelow(app.folder)) expect(bytes.includes(secret)).toBe(false);
}
