import type { DomainEvent, EventDefinition } from '#lib/kernel';

/** In `principal-{user_id}`: a user id was seen for the first time and now belongs to one spelling. */
export type PrincipalRegistered = DomainEvent<
  'PRINCIPAL_REGISTERED',
  {
    /** Normal form. */
    readonly user_id: string;
    /** Keyed hash of the raw id, with the kid of its key. */
    readonly fingerprint: { readonly kid: string; readonly hmac: string };
  }
>;

export const principalRegistered: EventDefinition = {
  type: 'PRINCIPAL_REGISTERED',
  version: 1,
  plain: ['user_id', 'fingerprint'],
};
