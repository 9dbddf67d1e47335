import { randomBytes, randomUUID } from 'node:crypto';

import { isErased, type EventLog, type Fold } from '#lib/event-store';
import {
  type Actor,
  MaceError,
  RateLimitedError,
  sha256Hex,
  systemSeed,
  traceId,
  type DomainEvent,
  type Provenance,
} from '#lib/kernel';

import {
  evolve,
  INVITATION_MS,
  isEnrolled,
  isProven,
  judge,
  judgeInvitation,
  lockedFor,
  NOT_ENROLLED,
  type Enrolment,
  type LookedAt,
  type SecondFactor,
  type Verdict,
} from './domain/second-factor.js';
import type { OtpEnrolled } from './domain/second-factor.events.js';

/** TOTP (RFC 6238): SHA-1, 6 digits, 30 s, one step either way. */
const PERIOD_S = 30;
const CODE = /^[0-9]{6}$/;
const ISSUER = 'MACE';
/** 128 bits in hexadecimal, in groups that can be read out. */
const INVITATION = /^[0-9a-f]{8}(-[0-9a-f]{8}){3}$/;
/** Personal fields stay as stored, so that no cache of states holds a secret. */
const FACTOR_FOLD: Fold<SecondFactor> = { name: 'second-factor', initial: NOT_ENROLLED, evolve };

/** What a person puts into an authenticator; shown once. */
export interface OtpEnrolment {
  /** Base32. */
  readonly secret: string;
  /** `otpauth://totp/...` */
  readonly uri: string;
}

/** A code with which a person enrols a first time; shown once. */
export interface OtpInvitation {
  readonly user_id: string;
  readonly invitation: string;
  /** ISO 8601. */
  readonly expires_at: string;
}

/** Whether a person has a second factor. */
export interface EnrolmentView {
  readonly enrolled: boolean;
  /** ISO 8601; null where there is none. */
  readonly enrolled_at: string | null;
}

/** People's one-time codes (spec/privacy.md, "Two factors"); all that is recorded stands in `principal-{user_id}`. */
export class SecondFactors {
  constructor(private readonly log: EventLog) {}

  /**
   * Draws a secret for a person, in place of an earlier one.
   * @param userId normal form
   */
  async enrol(userId: string, now: number): Promise<OtpEnrolment> {
    const { enrolment, event } = await drawn(userId, now);
    await this.record(userId, () => [event]);
    return enrolment;
  }

  /**
   * Draws a code with which a person who has no second factor enrols one, within fifteen minutes and once. Only its hash is
   * recorded; an earlier one counts no more.
   * @param userId normal form
   * @throws MaceError CONFLICT where the person has a second factor
   */
  async invite(userId: string, by: Actor, now: number): Promise<OtpInvitation> {
    const { state, erasedId } = await this.look(userId);
    refuseEnrolled(state, erasedId);
    const invitation = randomBytes(16).toString('hex').match(/.{8}/g)!.join('-');
    const expires_at = new Date(now + INVITATION_MS).toISOString();
    const data = { user_id: userId, code_hash: sha256Hex(invitation), invited_by: by.id, expires_at };
    await this.record(
      userId,
      (current) => {
        refuseEnrolled(current, erasedId);
        return [{ type: 'OTP_INVITED', data }];
      },
      by,
    );
    return { user_id: userId, invitation, expires_at };
  }

  /**
   * A person's first secret, by the code that an admin gave them. A wrong code counts for the lock; what the refusal says is
   * the same for wrong, used, expired and never given.
   * @param userId normal form
   * @throws MaceError INVALID_INPUT for what is no such code, UNAUTHENTICATED; RateLimitedError while locked
   */
  async enrolByInvitation(userId: string, code: string, now: number): Promise<OtpEnrolment> {
    if (!INVITATION.test(code)) {
      throw new MaceError('INVALID_INPUT', 'invitation: four groups of eight hexadecimal digits, with - between them');
    }
    const { state, erasedId } = await this.look(userId);
    refuseLocked(state, now);
    const { enrolment, event } = await drawn(userId, now);
    let verdict = 'refused' as Verdict;
    const { state: after } = await this.record(userId, (current) => {
      const judged = judgeInvitation(current, { codeHash: sha256Hex(code), erasedId, enrolled: event }, now);
      verdict = judged.verdict;
      return judged.events;
    });
    if (verdict === 'locked') refuseLocked(after, now);
    if (verdict === 'accepted') return enrolment;
    throw new MaceError(
      'UNAUTHENTICATED',
      'invitation: the code that an admin gave you within the last 15 minutes, once; for another secret than the one that you have, an elevated token',
    );
  }

  /** @param userId normal form */
  async enrolmentOf(userId: string): Promise<EnrolmentView> {
    const { state, erasedId } = await this.look(userId);
    const enrolled = isEnrolled(state, erasedId);
    return { enrolled, enrolled_at: enrolled ? state.enrolment!.enrolledAt : null };
  }

  /**
   * Takes a person's one-time code, once: who comes second with it is refused, in whichever process. A wrong one counts
   * for the lock. What the refusal says is the same for wrong, used and not enrolled; whose secret is being erased is told so.
   * @param userId normal form
   * @throws MaceError INVALID_INPUT for what is no six digits, UNAUTHENTICATED; RateLimitedError while locked
   */
  async verifyOneTimeCode(userId: string, code: string, now: number): Promise<void> {
    if (!CODE.test(code)) throw new MaceError('INVALID_INPUT', 'otp: six digits');
    const { state } = await this.log.fold(streamOf(userId), FACTOR_FOLD);
    refuseLocked(state, now);
    if (state.enrolment === null) throw refused();
    const step = await this.stepOf(state.enrolment, code, now);
    const verdict = await this.take(userId, { enrolmentId: state.enrolment.eventId, step }, now);
    if (verdict !== 'accepted') throw refused();
  }

  /** The state, and the id of its enrolment where the secret was erased. */
  private async look(userId: string): Promise<{ state: SecondFactor; erasedId: string | null }> {
    const { state } = await this.log.fold(streamOf(userId), FACTOR_FOLD);
    if (state.enrolment === null) return { state, erasedId: null };
    const { eventId, secret } = state.enrolment;
    const plain = await this.log.codec.revealField(eventId, '/secret', secret);
    return { state, erasedId: isErased(plain) ? eventId : null };
  }

  /** @throws RateLimitedError where others' wrong codes have locked it meanwhile */
  private async take(userId: string, looked: LookedAt, now: number): Promise<Verdict> {
    let verdict = 'refused' as Verdict;
    const { state } = await this.record(userId, (current) => {
      const judged = judge(current, looked, now);
      verdict = judged.verdict;
      return judged.events;
    });
    if (verdict === 'locked') refuseLocked(state, now);
    return verdict;
  }

  /** The time step whose code this is; null where it is none of those that count now. */
  private async stepOf({ eventId, secret: stored }: Enrolment, code: string, now: number): Promise<number | null> {
    const secret = await this.log.codec.revealField(eventId, '/secret', stored);
    if (typeof secret !== 'string') {
      if (isErased(secret)) throw erased();
      throw new Error(`the one-time secret of event ${eventId} is no text`);
    }
    const { verify } = await import('otplib');
    const result = await verify({ secret, token: code, epoch: Math.floor(now / 1000), epochTolerance: PERIOD_S });
    return result.valid && 'timeStep' in result ? result.timeStep : null;
  }

  /** A seed of its own for each: a repeated Idempotency-Key must not make two attempts one. */
  private record(userId: string, decide: (state: SecondFactor) => readonly DomainEvent[], by?: Actor) {
    const seed = systemSeed('second-factor', randomUUID());
    const provenance: Provenance = {
      jobSeed: seed,
      sequenceIndex: 0,
      actor: by ?? { id: userId, role: 'system' },
      traceId: traceId(seed),
    };
    return this.log.execute({ stream: streamOf(userId), fold: FACTOR_FOLD, provenance, decide });
  }
}

/** A secret, as it is shown and as it is recorded. */
async function drawn(userId: string, now: number): Promise<{ enrolment: OtpEnrolment; event: OtpEnrolled }> {
  const { generateSecret, generateURI } = await import('otplib');
  const secret = generateSecret();
  const data = { user_id: userId, secret, enrolled_at: new Date(now).toISOString() };
  const uri = generateURI({ issuer: ISSUER, label: userId, secret });
  return { enrolment: { secret, uri }, event: { type: 'OTP_ENROLLED', data } };
}

function refuseEnrolled(state: SecondFactor, erasedId: string | null): void {
  if (!isProven(state, erasedId)) return;
  throw new MaceError(
    'CONFLICT',
    'this person uses a second factor; for another, their own elevated token (POST /auth/otp/enrol), or `mace otp enrol` on the data folder',
  );
}

function streamOf(userId: string): string {
  return `principal-${userId}`;
}

function refuseLocked(state: SecondFactor, now: number): void {
  const ms = lockedFor(state, now);
  if (ms > 0) throw new RateLimitedError('otp: too many wrong codes; none is looked at for a while', ms);
}

/** Also while the erasure is under way: a refusal that named the code would send the person to their authenticator in vain. */
function erased(): MaceError {
  return new MaceError(
    'UNAUTHENTICATED',
    'otp: your second factor is being erased, or was, with all that is kept of you; enrol another once that is done',
  );
}

function refused(): MaceError {
  return new MaceError(
    'UNAUTHENTICATED',
    'otp: the code that your authenticator shows now, each taken once; who has none yet enrols by an admin’s invitation (`mace auth enrol --invitation CODE`)',
  );
}
