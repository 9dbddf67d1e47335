import type { DomainEvent, EventDefinition } from '#lib/kernel';

/** In `access-{principal}`: `count` requests were refused since the one before. */
export type AccessDenied = DomainEvent<
  'ACCESS_DENIED',
  { readonly permission: string; readonly reason: string; readonly count: number }
>;

export const accessDenied: EventDefinition = {
  type: 'ACCESS_DENIED',
  version: 1,
  plain: ['permission', 'reason', 'count'],
};
