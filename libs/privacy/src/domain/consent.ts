import {
  consentId,
  GrowingMap,
  MaceError,
  type DomainEvent,
  type EventMetadata,
  type Json,
  type JsonObject,
} from '#lib/kernel';

import {
  privacyEvent,
  type ConsentScope,
  type PiiConsent,
  type PiiConsentRevoke,
  type PiiConsentUse,
} from './consent.events.js';
import { PRIVACY_DEFAULTS } from './privacy-policy.js';

export const MIN_TTL_SECONDS = 1;
export const MAX_TTL_SECONDS = 31_536_000;

/** One consent as its events tell it; its text as stored. */
export interface Consent extends Omit<PiiConsent, 'consent_text'> {
  readonly consent_text: Json;
  readonly revoked_at: string | null;
  /** Seed of the one direct write that it is for, once that write came; null before, and where it is for no one write. */
  readonly used_by: string | null;
  /** Of its PII_CONSENT. */
  readonly event_id: string;
}

/** Every consent of one person by its id, oldest first. */
export type ConsentState = GrowingMap<string, Consent>;

export const noConsents: ConsentState = GrowingMap.empty();

/** Every consent of one person, oldest first. */
export function consentsOf(state: ConsentState): readonly Consent[] {
  return [...state.entries().values()];
}

/** What a person asks to have recorded; `job_seed` and the like as they named them. */
export interface ConsentRequest {
  readonly pii_type: string;
  readonly scope: ConsentScope;
  readonly consent_text: string;
  readonly ttl_seconds?: number | undefined;
  readonly job_seed?: string | undefined;
  readonly idempotency_key?: string | undefined;
}

/** A write or a query that a consent would have to allow. */
export interface ConsentUse {
  readonly piiType: string;
  /** Seed of the job or of the command. */
  readonly seed: string;
  /** Whether the command carries this Idempotency-Key; absent where it is no direct write. */
  readonly carries?: ((idempotencyKey: string) => boolean) | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

export type ConsentStatus = 'active' | 'revoked' | 'expired';

export function evolveConsents(
  state: ConsentState,
  event: { readonly type: string; readonly data: JsonObject; readonly metadata: EventMetadata },
): ConsentState {
  if (event.type === 'PII_CONSENT') {
    const given = event.data as unknown as Omit<Consent, 'revoked_at' | 'used_by' | 'event_id'>;
    const { event_id } = event.metadata;
    return state.with(given.consent_id, { ...given, revoked_at: null, used_by: null, event_id });
  }
  if (event.type === 'PII_CONSENT_USE') {
    const { consent_id, write_seed } = event.data as unknown as PiiConsentUse;
    const known = state.get(consent_id);
    return known ? state.with(consent_id, { ...known, used_by: write_seed }) : state;
  }
  if (event.type !== 'PII_CONSENT_REVOKE') return state;
  const { consent_id, revoked_at } = event.data as unknown as PiiConsentRevoke;
  const known = state.get(consent_id);
  return known ? state.with(consent_id, { ...known, revoked_at }) : state;
}

/**
 * The consent that a request makes, with its id: sha256(user_id + job_seed + consent_text), the job_seed being the one
 * named or the command's own.
 * @throws MaceError INVALID_INPUT where scope and members do not go together
 */
export function consentOf(request: ConsentRequest, userId: string, commandSeed: string, now: number): PiiConsent {
  refuseUnfit(request);
  const {
    pii_type,
    scope,
    consent_text,
    job_seed,
    idempotency_key,
    ttl_seconds = PRIVACY_DEFAULTS.consent_ttl_s,
  } = request;
  const granted_at = new Date(now).toISOString();
  return {
    consent_id: consentId(userId, job_seed ?? commandSeed, consent_text),
    user_id: userId,
    pii_type,
    scope,
    consent_text,
    ...(job_seed === undefined ? {} : { job_seed }),
    ...(idempotency_key === undefined ? {} : { idempotency_key }),
    granted_at,
    ...(scope === 'job' ? {} : { ttl_seconds, expires_at: new Date(now + ttl_seconds * 1000).toISOString() }),
  };
}

/**
 * The same consent again is no second one.
 * @param isTimed false where the request names no time, so that the policy's, which may be another by now, is no term of it
 * @throws MaceError CONFLICT where its id stands for another one, or for one that has ended
 */
export function decideGrant(
  state: ConsentState,
  wanted: PiiConsent,
  now: number,
  isTimed = true,
): readonly DomainEvent[] {
  const known = state.get(wanted.consent_id);
  if (!known) return [privacyEvent('PII_CONSENT', wanted)];
  const status = statusOf(known, now);
  const differing = TERMS.filter((term) => (isTimed || term !== 'ttl_seconds') && known[term] !== wanted[term]);
  if (differing.length === 0 && status === 'active') return [];
  const why = differing.length > 0 ? `with another ${differing.join(', ')}` : `and is ${status}`;
  throw new MaceError(
    'CONFLICT',
    `consent ${known.consent_id} exists ${why}; another text or job_seed makes a new one`,
  );
}

/**
 * A consent that is revoked already stays as it is.
 * @throws MaceError NOT_FOUND
 */
export function decideRevoke(state: ConsentState, id: string, now: number): readonly DomainEvent[] {
  const known = state.get(id);
  if (!known) throw consentNotFound(id);
  if (known.revoked_at !== null) return [];
  const { consent_id, user_id, pii_type } = known;
  return [
    privacyEvent('PII_CONSENT_REVOKE', { consent_id, user_id, pii_type, revoked_at: new Date(now).toISOString() }),
  ];
}

/**
 * The consent under which something may be stored or asked: of those that allow it the one that lasts longest, since
 * what is stored ends with it.
 */
export function coveringConsent(consents: readonly Consent[], use: ConsentUse): Consent | undefined {
  let best: Consent | undefined;
  for (const consent of consents) {
    if (allows(consent, use) && (!best || endOf(consent) > endOf(best))) best = consent;
  }
  return best;
}

/**
 * Gives a consent to the write that stands on it. One that names an Idempotency-Key is for one direct write, though a key
 * may come again on other paths: the first takes it.
 * @param seed of the write
 * @returns null where it has ended, or is another write's by now
 */
export function decideUse(state: ConsentState, id: string, seed: string, now: number): readonly DomainEvent[] | null {
  const known = state.get(id);
  if (!known || statusOf(known, now) !== 'active') return null;
  const { consent_id, user_id, pii_type, used_by } = known;
  if (!isForOneWrite(known) || used_by === seed) return [];
  if (used_by !== null) return null;
  return [privacyEvent('PII_CONSENT_USE', { consent_id, user_id, pii_type, write_seed: seed })];
}

/** Whether every one of these consents stands; one that is unknown does not. */
export function areInForce(state: ConsentState, ids: readonly string[], now: number): boolean {
  return ids.every((id) => {
    const consent = state.get(id);
    return consent !== undefined && statusOf(consent, now) === 'active';
  });
}

/** A TTL ends at its very end: at `expires_at` the consent allows nothing any more. */
export function statusOf(consent: Pick<Consent, 'revoked_at' | 'expires_at'>, now: number): ConsentStatus {
  if (consent.revoked_at !== null) return 'revoked';
  return now < endOf(consent) ? 'active' : 'expired';
}

/** The same for what is another's and for what is not there. */
export function consentNotFound(id: string): MaceError {
  return new MaceError('NOT_FOUND', `no consent ${id.slice(0, 64)} of yours`);
}

const TERMS = ['pii_type', 'scope', 'ttl_seconds', 'job_seed', 'idempotency_key'] as const;

function allows(consent: Consent, { piiType, seed, carries, now }: ConsentUse): boolean {
  if (consent.pii_type !== piiType || statusOf(consent, now) !== 'active') return false;
  if (consent.scope === 'persistent') return true;
  if (consent.job_seed !== undefined) return consent.job_seed === seed;
  if (consent.used_by !== null && consent.used_by !== seed) return false;
  return consent.idempotency_key !== undefined && (carries?.(consent.idempotency_key) ?? false);
}

function isForOneWrite({ scope, idempotency_key }: Consent): boolean {
  return scope === 'job' && idempotency_key !== undefined;
}

function endOf({ expires_at }: Pick<Consent, 'expires_at'>): number {
  return expires_at === undefined ? Infinity : Date.parse(expires_at);
}

function refuseUnfit({ scope, ttl_seconds: ttl, job_seed, idempotency_key }: ConsentRequest): void {
  if (scope === 'job') {
    if (ttl !== undefined)
      refuse('ttl_seconds: only for scope persistent; a consent for one job ends with its revocation');
    if ((job_seed === undefined) === (idempotency_key === undefined)) {
      refuse('scope job takes either job_seed, of the job, or idempotency_key, of the direct write');
    }
    return;
  }
  if (idempotency_key !== undefined)
    refuse('idempotency_key: only for scope job; a persistent consent is for every write');
  if (ttl !== undefined && !(Number.isInteger(ttl) && ttl >= MIN_TTL_SECONDS && ttl <= MAX_TTL_SECONDS)) {
    refuse(`ttl_seconds: a whole number from ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS}`);
  }
}

function refuse(message: string): never {
  throw new MaceError('INVALID_INPUT', message);
}
