import { randomUUID } from 'node:crypto';

import { isErased, type EventLog, type Fold } from '#lib/event-store';
import { MaceError, RateLimitedError, systemSeed, traceId, type DomainEvent, type Provenance } from '#lib/kernel';

import {
  evolve,
  judge,
  lockedFor,
  NOT_ENROLLED,
  type Enrolment,
  type LookedAt,
  type SecondFactor,
  type Verdict,
} from './domain/second-factor.js';

/** TOTP (RFC 6238): SHA-1, 6 digits, 30 s, one step either way. */
const PERIOD_S = 30;
const CODE = /^[0-9]{6}$/;
const ISSUER = 'MACE';
/** Personal fields stay as stored, so that no cache of states holds a secret. */
const FACTOR_FOLD: Fold<SecondFactor> = { name: 'second-factor', initial: NOT_ENROLLED, evolve };

/** What a person puts into an authenticator; shown once. */
export interface OtpEnrolment {
  /** Base32. */
  readonly secret: string;
  /** `otpauth://totp/...` */
  readonly uri: string;
}

/** People's one-time codes (spec/privacy.md, "Two factors"); all that is recorded stands in `principal-{user_id}`. */
export class SecondFactors {
  constructor(private readonly log: EventLog) {}

  /**
   * Draws a secret for a person, in place of an earlier one.
   * @param userId normal form
   */
  async enrol(userId: string, now: number): Promise<OtpEnrolment> {
    const { generateSecret, generateURI } = await import('otplib');
    const secret = generateSecret();
    const enrolledAt = new Date(now).toISOString();
    await this.record(userId, () => [
      { type: 'OTP_ENROLLED', data: { user_id: userId, secret, enrolled_at: enrolledAt } },
    ]);
    return { secret, uri: generateURI({ issuer: ISSUER, label: userId, secret }) };
  }

  /**
   * Takes a person's one-time code, once: who comes second with it is refused, in whichever process. A wrong one counts
   * for the lock. What the refusal says is the same for wrong, used and not enrolled.
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
      if (isErased(secret)) throw refused();
      throw new Error(`the one-time secret of event ${eventId} is no text`);
    }
    const { verify } = await import('otplib');
    const result = await verify({ secret, token: code, epoch: Math.floor(now / 1000), epochTolerance: PERIOD_S });
    return result.valid && 'timeStep' in result ? result.timeStep : null;
  }

  /** A seed of its own for each: a repeated Idempotency-Key must not make two attempts one. */
  private record(userId: string, decide: (state: SecondFactor) => readonly DomainEvent[]) {
    const seed = systemSeed('second-factor', randomUUID());
    const provenance: Provenance = {
      jobSeed: seed,
      sequenceIndex: 0,
      actor: { id: userId, role: 'system' },
      traceId: traceId(seed),
    };
    return this.log.execute({ stream: streamOf(userId), fold: FACTOR_FOLD, provenance, decide });
  }
}

function streamOf(userId: string): string {
  return `principal-${userId}`;
}

function refuseLocked(state: SecondFactor, now: number): void {
  const ms = lockedFor(state, now);
  if (ms > 0) throw new RateLimitedError('otp: too many wrong codes; none is looked at for a while', ms);
}

function refused(): MaceError {
  return new MaceError(
    'UNAUTHENTICATED',
    'otp: the code that your authenticator shows now, each taken once; `mace otp enrol` sets one up',
  );
}
