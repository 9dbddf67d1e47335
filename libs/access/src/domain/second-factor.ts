import { equalInConstantTime, type Json } from '#lib/kernel';

import type { OtpEnrolled, SecondFactorEvent } from './second-factor.events.js';

/** Which one-time code is taken, once, and when no more are looked at. Pure; times in ms since the Unix epoch. */

export const MAX_WRONG_CODES = 5;
export const LOCK_MS = 15 * 60_000;
export const INVITATION_MS = 15 * 60_000;

/** Where the secret is: as stored, so that a destroyed data key reaches it. */
export interface Enrolment {
  readonly eventId: string;
  readonly secret: Json;
  /** ISO 8601. */
  readonly enrolledAt: string;
}

/** What lets a person enrol a first time. */
export interface Invitation {
  readonly codeHash: string;
  readonly expiresAt: number;
}

export interface SecondFactor {
  readonly enrolment: Enrolment | null;
  /** One that nobody has used yet. */
  readonly invitation: Invitation | null;
  /** The last time step of which a code was taken. */
  readonly usedStep: number;
  /** The last time step whose code came a second time. */
  readonly reusedStep: number;
  readonly wrongCodes: number;
  readonly lockedUntil: number;
}

export const NOT_ENROLLED: SecondFactor = {
  enrolment: null,
  invitation: null,
  usedStep: -1,
  reusedStep: -1,
  wrongCodes: 0,
  lockedUntil: -Infinity,
};

interface Recorded {
  readonly type: string;
  readonly data: unknown;
  readonly metadata: { readonly event_id: string };
}

export function evolve(state: SecondFactor, recorded: Recorded): SecondFactor {
  const event = recorded as unknown as SecondFactorEvent;
  switch (event.type) {
    case 'OTP_ENROLLED':
      // A lock outlives a new enrolment: whoever was guessing is not let off by it.
      return {
        ...NOT_ENROLLED,
        lockedUntil: state.lockedUntil,
        enrolment: {
          eventId: recorded.metadata.event_id,
          secret: event.data.secret,
          enrolledAt: event.data.enrolled_at,
        },
      };
    case 'OTP_INVITED': {
      const { code_hash, expires_at } = event.data;
      return { ...state, invitation: { codeHash: code_hash, expiresAt: Date.parse(expires_at) } };
    }
    case 'OTP_ACCEPTED':
      return { ...state, usedStep: event.data.step, wrongCodes: 0 };
    case 'OTP_REFUSED':
      return { ...state, wrongCodes: event.data.wrong_codes };
    case 'OTP_REUSED':
      return { ...state, reusedStep: event.data.step };
    case 'OTP_LOCKED':
      return { ...state, lockedUntil: Date.parse(event.data.until), wrongCodes: 0 };
    default:
      return state;
  }
}

/** Milliseconds for which no code is looked at; 0 where one is. */
export function lockedFor(state: SecondFactor, now: number): number {
  return Math.max(0, state.lockedUntil - now);
}

/** A code that was looked at: which enrolment's secret, and the time step whose code it is, or null for none of them. */
export interface LookedAt {
  readonly enrolmentId: string;
  readonly step: number | null;
}

export type Verdict = 'accepted' | 'refused' | 'reused' | 'locked' | 'enrolled-anew';

/** The verdict on a code and what is recorded of it, on the state as it is now, whatever it was when one looked. */
export function judge(
  state: SecondFactor,
  { enrolmentId, step }: LookedAt,
  now: number,
): { readonly verdict: Verdict; readonly events: readonly SecondFactorEvent[] } {
  if (lockedFor(state, now) > 0) return { verdict: 'locked', events: [] };
  if (state.enrolment?.eventId !== enrolmentId) return { verdict: 'enrolled-anew', events: [] };
  if (step === null) return { verdict: 'refused', events: wrongCode(state, now) };
  if (step > state.usedStep) return { verdict: 'accepted', events: [{ type: 'OTP_ACCEPTED', data: { step } }] };
  const told = step <= state.reusedStep;
  return { verdict: 'reused', events: told ? [] : [{ type: 'OTP_REUSED', data: { step } }] };
}

/**
 * Takes an invitation code by its hash, once and in its time; a wrong one counts for the lock as a wrong one-time code
 * does. Whoever has used a second factor uses that for another.
 * @param erasedId of an enrolment whose secret was erased with the person: it is none
 */
export function judgeInvitation(
  state: SecondFactor,
  { codeHash, erasedId, enrolled }: { codeHash: string; erasedId: string | null; enrolled: OtpEnrolled },
  now: number,
): { readonly verdict: 'accepted' | 'refused' | 'locked'; readonly events: readonly SecondFactorEvent[] } {
  if (lockedFor(state, now) > 0) return { verdict: 'locked', events: [] };
  const { invitation } = state;
  const mayEnrol = !isProven(state, erasedId) && invitation !== null && now < invitation.expiresAt;
  if (mayEnrol && equalInConstantTime(invitation.codeHash, codeHash))
    return { verdict: 'accepted', events: [enrolled] };
  return { verdict: 'refused', events: wrongCode(state, now) };
}

export function isEnrolled({ enrolment }: SecondFactor, erasedId: string | null): boolean {
  return enrolment !== null && enrolment.eventId !== erasedId;
}

/**
 * Whether a code of the enrolment was ever taken. The secret is shown once: where its answer was lost, nobody has it, and an
 * invitation enrols anew.
 */
export function isProven(state: SecondFactor, erasedId: string | null): boolean {
  return isEnrolled(state, erasedId) && state.usedStep >= 0;
}

function wrongCode(state: SecondFactor, now: number): SecondFactorEvent[] {
  const wrong = state.wrongCodes + 1;
  const refused: SecondFactorEvent = { type: 'OTP_REFUSED', data: { wrong_codes: wrong } };
  if (wrong < MAX_WRONG_CODES) return [refused];
  return [refused, { type: 'OTP_LOCKED', data: { until: new Date(now + LOCK_MS).toISOString() } }];
}
