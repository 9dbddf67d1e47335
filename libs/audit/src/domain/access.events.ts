import type { DomainEvent, EventDefinition } from '#lib/kernel';

/** Somebody looked at what is not theirs, recorded before it was shown (spec/privacy.md, "Who may do what"). */
export type AdminAccess = DomainEvent<
  'admin_access_event',
  {
    /** What was looked at, such as `job/job:…` or `brainstate/…`. */
    readonly resource: string;
    readonly action: string;
    /** Whether what was said was shown too. */
    readonly unredacted: boolean;
    /** ISO 8601. */
    readonly created_at: string;
  }
>;

/** In `access-{principal}`, and in the trail of what was looked at where that has one of its own. */
export const adminAccess: EventDefinition = {
  type: 'admin_access_event',
  version: 1,
  plain: ['resource', 'action', 'unredacted', 'created_at'],
};
