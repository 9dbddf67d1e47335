import { kidOf } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';

import type { JobApp } from './job-app.js';

/** A key of somebody who has one, destroyed without a request, and a field as it would stand under it. */
export async function eraseKeys(app: JobApp, subject: string): Promise<{ readonly field: JsonObject }> {
  const { ciphers, subjectKeys } = app.parts.platform;
  await ciphers.load(subject);
  const [record] = await subjectKeys.listFor(subject);
  const kid = kidOf(record!);
  await subjectKeys.destroy(kid);
  ciphers.forget(subject);
  return {
    field: { $enc: { ct: Buffer.alloc(32).toString('base64'), kid, nonce: Buffer.alloc(12).toString('base64') } },
  };
}
