import type { DomainEvent, EventDefinition } from '#lib/kernel';

/** All in `principal-{user_id}` (spec/privacy.md, "Two factors"). */

/** From here on one-time codes are made of this secret; an earlier one counts no more. */
export type OtpEnrolled = DomainEvent<
  'OTP_ENROLLED',
  { readonly user_id: string; readonly secret: string; readonly enrolled_at: string }
>;

/** An admin lets the person enrol a first time, once, with the code whose sha256 this is; an earlier one counts no more. */
export type OtpInvited = DomainEvent<
  'OTP_INVITED',
  {
    readonly user_id: string;
    readonly code_hash: string;
    readonly invited_by: string;
    readonly expires_at: string;
  }
>;

/** A code was taken; no code of this time step or an earlier one is taken again. */
export type OtpAccepted = DomainEvent<'OTP_ACCEPTED', { readonly step: number }>;

/** A wrong code; `wrong_codes` of them since the last right one, or since the last lock. */
export type OtpRefused = DomainEvent<'OTP_REFUSED', { readonly wrong_codes: number }>;

/** A right code came a second time; told once for each. */
export type OtpReused = DomainEvent<'OTP_REUSED', { readonly step: number }>;

/** No code is looked at until then. */
export type OtpLocked = DomainEvent<'OTP_LOCKED', { readonly until: string }>;

export type SecondFactorEvent = OtpEnrolled | OtpInvited | OtpAccepted | OtpRefused | OtpReused | OtpLocked;

export const secondFactorEvents: readonly EventDefinition[] = [
  {
    type: 'OTP_ENROLLED',
    version: 1,
    plain: ['user_id', 'enrolled_at'],
    personal: ['secret'],
    subject: ({ user_id: userId }) => userId as string,
  },
  { type: 'OTP_INVITED', version: 1, plain: ['user_id', 'code_hash', 'invited_by', 'expires_at'] },
  { type: 'OTP_ACCEPTED', version: 1, plain: ['step'] },
  { type: 'OTP_REFUSED', version: 1, plain: ['wrong_codes'] },
  { type: 'OTP_REUSED', version: 1, plain: ['step'] },
  { type: 'OTP_LOCKED', version: 1, plain: ['until'] },
];
