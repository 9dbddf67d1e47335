import type { Answered, QueryScreen } from '#lib/jobs';
import type { KeyRing } from '#lib/kernel';
import { ownerOf } from '#lib/memory';
import { type Consents, decisiveFindings, detect, DETECTOR_VERSION, type Finding, piiHash, redact } from '#lib/privacy';

import { BLOCKING } from './privacy-policy.js';

type ConsentsOf = Pick<Consents, 'covering' | 'areInForce'>;

/** The gate before routing: what of a query blocks, and what may be recorded in its place. */
export function queryScreen(ring: KeyRing, consents: ConsentsOf): QueryScreen {
  const key = ring.active('pii-hmac').secret;
  return {
    version: String(DETECTOR_VERSION),
    find: (text, jobSeed) =>
      blocking(text).map(({ type, category, start, end }) => ({
        pii_type: type,
        category,
        pii_hash: piiHash(key, text.slice(start, end), jobSeed),
      })),
    redact: (text) => redact(text, blocking(text)),
    areInForce: (userId, ids, now) => consents.areInForce(userId, ids, now),
    async consentsFor(texts, { user_id, job_seed: seed, now }) {
      const used = new Set<string>();
      for (const readings of texts.flatMap(decisiveIn)) {
        const id = await anyCovering(consents, user_id, readings, seed, now);
        if (id === null) return null;
        used.add(id);
      }
      return [...used].sort();
    },
  };
}

/** A text with what is personal in it redacted, whatever its person has consented to. */
export function withoutPersonalData(text: string): string {
  return redact(text, blocking(text));
}

/** Types of personal data in a text that block it. */
export function personalDataIn(text: string): readonly string[] {
  return [...new Set(blocking(text).map((finding) => finding.type))];
}

/**
 * Types of personal data in an answer that its asker has not consented to. What their own memory gave was stored under a
 * consent that stands, or it would not have been read: it is theirs to be told (spec/privacy.md, "What happens").
 */
export function unconsentedDataIn(consents: ConsentsOf, now: () => number) {
  return async (text: string, { user_id, job_seed, evidence }: Answered): Promise<readonly string[]> => {
    const own = evidence.filter(({ key }) => ownerOf(key) === user_id).map(({ value }) => JSON.stringify(value));
    const types = new Set<string>();
    for (const readings of decisiveIn(text)) {
      const { start, end, type } = readings[0]!;
      const quoted = JSON.stringify(text.slice(start, end)).slice(1, -1);
      if (own.some((value) => value.includes(quoted))) continue;
      if ((await anyCovering(consents, user_id, readings, job_seed, now())) === null) types.add(type);
    }
    return [...types];
  };
}

async function anyCovering(
  consents: ConsentsOf,
  userId: string,
  readings: readonly Finding[],
  seed: string,
  now: number,
): Promise<string | null> {
  for (const { type } of readings) {
    const id = await consents.covering(userId, { piiType: type, seed, now });
    if (id !== null) return id;
  }
  return null;
}

function decisiveIn(text: string): readonly (readonly Finding[])[] {
  return decisiveFindings(blocking(text).map((finding) => ({ ...finding, at: '' })));
}

function blocking(text: string): Finding[] {
  return detect(text).filter((finding) => BLOCKING.includes(finding.category));
}
