import { type CommandContext, personOf, provenanceOf } from '#lib/access';
import { type EventLog, type Fold, isErased } from '#lib/event-store';
import {
  type Actor,
  CALLER_SEED_FORM,
  isCallerSeed,
  MaceError,
  systemSeed,
  traceId,
  type DomainEvent,
  type Json,
} from '#lib/kernel';

import {
  areInForce,
  type Consent,
  consentOf,
  consentsOf,
  type ConsentRequest,
  type ConsentState,
  type ConsentStatus,
  type ConsentUse,
  coveringConsent,
  decideGrant,
  decideRevoke,
  decideUse,
  evolveConsents,
  noConsents,
  statusOf,
} from './domain/consent.js';
import { consentStream, type PiiConsent } from './domain/consent.events.js';
import { CATEGORY_OF } from './domain/pii-types.js';
import { privacyPolicy } from './policy-in-force.js';

const CONSENT_FOLD: Fold<ConsentState> = { name: 'consents', initial: noConsents, evolve: evolveConsents };
const DOCUMENT_REF = /^[A-Za-z0-9._:-]{1,128}$/;
const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{1,128}$/;
const DEFAULT_PAGE = 50;
const ERASED_TEXT = '[erased]';

export interface ConsentGranted {
  readonly consent_id: string;
}

/** A consent that a person gave elsewhere, as an admin records it. */
export interface ConsentElsewhere {
  /** Normal form. */
  readonly user_id: string;
  readonly pii_type: string;
  /** Where it was given: 1 to 128 of `A-Za-z0-9._:-`. */
  readonly document_ref: string;
  /** What was agreed to and how it was made sure of, without personal data. */
  readonly reason: string;
}

/** A consent as its owner sees it. */
export interface ConsentView {
  readonly consent_id: string;
  readonly pii_type: string;
  readonly scope: string;
  readonly status: ConsentStatus | 'erased';
  readonly consent_text: string;
  readonly job_seed: string | null;
  readonly idempotency_key: string | null;
  readonly ttl_seconds: number | null;
  readonly granted_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** The admin who recorded it, and by which document; null where the person gave it here. */
  readonly recorded_by: string | null;
  readonly document_ref: string | null;
  readonly event_id: string;
}

/** A write that stands on consents. */
export interface ConsentTaker {
  readonly seed: string;
  readonly actor: Actor;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

export interface ConsentPage {
  readonly items: readonly ConsentView[];
  readonly next_cursor: string | null;
  /** The list is as of this position of the log. */
  readonly position: string;
}

/** People's consents, each person's in a stream of their own: what is decided by them is never older than a revocation. */
export class Consents {
  /**
   * @param isPersonal whether a text holds personal data of category high or medium
   * @param isGone whether a person, in normal form, was erased and has not come back since
   */
  constructor(
    private readonly log: EventLog,
    private readonly isPersonal: (text: string) => boolean,
    private readonly isGone: (userId: string) => Promise<boolean>,
  ) {}

  /** @throws MaceError INVALID_INPUT, PRIVACY_BLOCKED, CONFLICT */
  async grant(ctx: CommandContext, request: ConsentRequest): Promise<ConsentGranted> {
    this.refuseUnsound(request);
    const wanted = consentOf(withTime(request), personOf(ctx.principal), ctx.seed, ctx.now);
    await this.refuseErased(wanted);
    await this.append(ctx, wanted.user_id, (state) =>
      decideGrant(state, wanted, ctx.now, request.ttl_seconds !== undefined),
    );
    return { consent_id: wanted.consent_id };
  }

  /**
   * Records, by an admin, what a person agreed to elsewhere, for as long as the policy says; it is theirs to take back.
   * @throws MaceError PERMISSION_DENIED where the policy lets no admin record this type, INVALID_INPUT, PRIVACY_BLOCKED,
   * CONFLICT
   */
  async record(ctx: CommandContext, given: ConsentElsewhere): Promise<ConsentGranted> {
    const { user_id, pii_type, document_ref, reason } = given;
    this.refuseUnrecorded(given);
    // Who comes back does so themselves: a form that was signed before the deletion counts no more.
    if (await this.isGone(user_id))
      throw new MaceError('CONFLICT', `user_id: ${user_id} was erased and has not come back`);
    const request = withTime({ pii_type, scope: 'persistent', consent_text: reason });
    const consent = consentOf(request, user_id, ctx.seed, ctx.now);
    const wanted = { ...consent, recorded_by: ctx.principal.id, document_ref };
    await this.refuseErased(wanted);
    await this.append(ctx, user_id, (state) => decideGrant(state, wanted, ctx.now, false));
    return { consent_id: wanted.consent_id };
  }

  /** From the answer on nothing that was stored under it is read again. @throws MaceError NOT_FOUND */
  async revoke(ctx: CommandContext, consentId: string): Promise<ConsentView> {
    const person = personOf(ctx.principal);
    const state = await this.append(ctx, person, (state) => decideRevoke(state, consentId, ctx.now));
    return this.viewOf(state.get(consentId)!, ctx.now);
  }

  /** One's own, oldest first. @throws MaceError INVALID_INPUT for a cursor of no earlier page */
  async list(
    userId: string,
    page: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
    now: number,
  ): Promise<ConsentPage> {
    const position = await this.log.store.head();
    const state = consentsOf(await this.stateOf(userId));
    const from = page.cursor === undefined ? 0 : decodeCursor(page.cursor);
    const shown = state.slice(from, from + (page.limit ?? DEFAULT_PAGE));
    const next = from + shown.length;
    const items = await Promise.all(shown.map((consent) => this.viewOf(consent, now)));
    return { items, next_cursor: next < state.length ? encodeCursor(next) : null, position };
  }

  /** The id of the consent of this person that allows it; null where none does. */
  async covering(userId: string, use: ConsentUse): Promise<string | null> {
    for (let left = consentsOf(await this.stateOf(userId)); ;) {
      const found = coveringConsent(left, use);
      if (!found) return null;
      if (!(await this.wasErased(found))) return found.consent_id;
      left = left.filter((consent) => consent !== found);
    }
  }

  /**
   * Gives a person's consents to the write that stands on them, before anything is written: one that is for a single
   * direct write is no other's from then on. Again by the same write is no second use.
   * @returns false where one of them has ended, or went to another write, since it was found
   */
  async use(userId: string, ids: readonly string[], { seed, actor, now }: ConsentTaker): Promise<boolean> {
    for (const id of ids) if (!(await this.useOne(userId, id, { seed, actor, now }))) return false;
    return true;
  }

  private async useOne(userId: string, id: string, { seed, actor, now }: ConsentTaker): Promise<boolean> {
    const jobSeed = systemSeed('consent', id);
    let taken = false;
    await this.log.execute({
      stream: consentStream(userId),
      fold: CONSENT_FOLD,
      provenance: { jobSeed, sequenceIndex: 0, actor, traceId: traceId(seed) },
      decide: (state) => {
        const decided = decideUse(state, id, seed, now);
        taken = decided !== null;
        return decided ?? [];
      },
    });
    return taken;
  }

  /** Whether each of these consents of a person stands: granted, not revoked, its time not over. */
  async areInForce(userId: string, ids: readonly string[], now: number): Promise<boolean> {
    if (ids.length === 0) return true;
    const state = await this.stateOf(userId);
    if (!areInForce(state, ids, now)) return false;
    for (const id of ids) if (await this.wasErased(state.get(id)!)) return false;
    return true;
  }

  /** What a person agreed to before their erasure binds nobody when they return. */
  private async wasErased(consent: Consent): Promise<boolean> {
    return isErased(await this.textOf(consent));
  }

  /** @throws MaceError CONFLICT where the id is that of a consent from before the person's erasure */
  private async refuseErased({ consent_id, user_id }: PiiConsent): Promise<void> {
    const known = (await this.stateOf(user_id)).get(consent_id);
    if (!known || !(await this.wasErased(known))) return;
    throw new MaceError('CONFLICT', `consent ${consent_id} was erased; another text or job_seed makes a new one`);
  }

  private textOf({ event_id, consent_text }: Consent): Promise<Json> {
    return this.log.codec.revealField(event_id, '/consent_text', consent_text);
  }

  private async stateOf(userId: string): Promise<ConsentState> {
    return (await this.log.fold(consentStream(userId), CONSENT_FOLD)).state;
  }

  private async append(
    ctx: CommandContext,
    userId: string,
    decide: (state: ConsentState) => readonly DomainEvent[],
  ): Promise<ConsentState> {
    const { state } = await this.log.execute({
      stream: consentStream(userId),
      fold: CONSENT_FOLD,
      provenance: provenanceOf(ctx),
      decide,
    });
    return state;
  }

  private refuseUnsound({ pii_type, consent_text, job_seed, idempotency_key }: ConsentRequest): void {
    if (!Object.hasOwn(CATEGORY_OF, pii_type)) {
      throw new MaceError('INVALID_INPUT', `pii_type: one of ${Object.keys(CATEGORY_OF).join(', ')}`);
    }
    if (job_seed !== undefined && !isCallerSeed(job_seed)) {
      throw new MaceError('INVALID_INPUT', `job_seed: ${CALLER_SEED_FORM}`);
    }
    if (idempotency_key !== undefined && !IDEMPOTENCY_KEY.test(idempotency_key)) {
      throw new MaceError('INVALID_INPUT', `idempotency_key: ${IDEMPOTENCY_KEY.source}`);
    }
    // The id is a hash of the text: of a value in it anybody could confirm a guess, after its erasure too.
    for (const [name, text] of Object.entries({ consent_text, job_seed, idempotency_key })) {
      if (text !== undefined && this.isPersonal(text)) {
        throw new MaceError('PRIVACY_BLOCKED', `${name} holds personal data; name the type and not the value`);
      }
    }
  }

  private refuseUnrecorded({ pii_type, document_ref, reason }: ConsentElsewhere): void {
    const { consents_given_elsewhere: types } = privacyPolicy();
    if (!types.some((type) => type === pii_type)) {
      const allowed = types.length === 0 ? 'none is' : `allowed: ${types.join(', ')}`;
      throw new MaceError(
        'PERMISSION_DENIED',
        `a consent to ${pii_type} that was given elsewhere is not recorded here; by the privacy policy (consents_given_elsewhere) ${allowed}`,
      );
    }
    if (!DOCUMENT_REF.test(document_ref)) {
      throw new MaceError('INVALID_INPUT', `document_ref: ${DOCUMENT_REF.source}`);
    }
    for (const [name, text] of Object.entries({ document_ref, reason })) {
      if (this.isPersonal(text)) throw new MaceError('PRIVACY_BLOCKED', `${name}: without personal data`);
    }
  }

  private async viewOf(consent: Consent, now: number): Promise<ConsentView> {
    const { consent_id, pii_type, scope, job_seed, idempotency_key, ttl_seconds, expires_at } = consent;
    const text = await this.textOf(consent);
    return {
      consent_id,
      pii_type,
      scope,
      status: isErased(text) ? 'erased' : statusOf(consent, now),
      consent_text: isErased(text) ? ERASED_TEXT : (text as string),
      job_seed: job_seed ?? null,
      idempotency_key: idempotency_key ?? null,
      ttl_seconds: ttl_seconds ?? null,
      granted_at: consent.granted_at,
      expires_at: expires_at ?? null,
      revoked_at: consent.revoked_at,
      recorded_by: consent.recorded_by ?? null,
      document_ref: consent.document_ref ?? null,
      event_id: consent.event_id,
    };
  }
}

/** A persistent one that names no time holds as long as the policy in force says. */
function withTime(request: ConsentRequest): ConsentRequest {
  if (request.scope !== 'persistent') return request;
  return { ...request, ttl_seconds: request.ttl_seconds ?? privacyPolicy().consent_ttl_s };
}

function encodeCursor(index: number): string {
  return Buffer.from(`c.${index}`).toString('base64url');
}

function decodeCursor(cursor: string): number {
  const index = /^c\.(0|[1-9][0-9]{0,9})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  if (index === undefined)
    throw new MaceError('INVALID_INPUT', 'cursor: the next_cursor of an earlier page of this list');
  return Number(index);
}
