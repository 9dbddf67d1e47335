import type {
  Access,
  ProjectionSettings,
  ServerSettings,
  SubscriptionSettings,
  UserSettings,
} from './server-settings.js';
import type { FoundProjection, FoundSubscription, ServerState } from './server-state.js';

/** What can be carried out on a server. */
export type Change =
  | { readonly kind: 'create-projection' | 'update-projection'; readonly projection: ProjectionSettings }
  | { readonly kind: 'enable-projection'; readonly name: string }
  | { readonly kind: 'create-subscription' | 'update-subscription'; readonly subscription: SubscriptionSettings }
  | { readonly kind: 'set-default-access'; readonly access: ServerSettings['default_access'] }
  | { readonly kind: 'set-stream-access'; readonly stream: string; readonly access: Access };

/** One difference between what is wanted and what is there. */
export interface Difference {
  /** What it is about, such as `projection mace-by-job`. */
  readonly subject: string;
  /** How it differs, in a few words. */
  readonly problem: string;
  /** What mends it; null where only a person can. */
  readonly change: Change | null;
  /** What that person does; null where a change mends it. */
  readonly by_hand: string | null;
}

/**
 * What lies between a server as it is and as it should be, in the order in which it is mended. What the server has
 * beside that is not looked at: it may be somebody's own.
 */
export function differences(wanted: ServerSettings, found: ServerState): Difference[] {
  const users = wanted.users.flatMap((user) => ofUser(user, found.users));
  const access = [
    ...ofDefaultAccess(wanted, found),
    ...Object.entries(wanted.stream_access).flatMap(([stream, access]) =>
      ofStreamAccess(stream, access, found.stream_access[stream] ?? null),
    ),
  ];
  return [
    ...users,
    // Access given to users who are not there would lock out whoever MACE now comes as.
    ...(users.length === 0 ? access : access.map(afterUsers)),
    ...wanted.projections.flatMap((one) => ofProjection(one, found.projections[one.name] ?? null)),
    ...wanted.subscriptions.flatMap((one) => ofSubscription(one, found.subscriptions[one.group] ?? null)),
  ];
}

function mended(subject: string, problem: string, change: Change): Difference {
  return { subject, problem, change, by_hand: null };
}

function afterUsers({ subject, problem }: Difference): Difference {
  return byHand(subject, problem, 'apply again once the users are as they should be');
}

function byHand(subject: string, problem: string, what: string): Difference {
  return { subject, problem, change: null, by_hand: what };
}

/** A user has a password, which no file holds: people make users. */
function ofUser({ login, groups }: UserSettings, users: ServerState['users']): Difference[] {
  if (users === null) return [];
  const subject = `user ${login}`;
  const user = users[login] ?? null;
  const named = groups.join(', ');
  if (user === null) return [byHand(subject, 'is missing', `create it with the groups ${named}`)];
  if (user.isDisabled) return [byHand(subject, 'is disabled', 'enable it, or take it out of the settings')];
  if (isSame(new Set(groups), new Set(user.groups))) return [];
  return [
    byHand(subject, `is in ${user.groups.join(', ') || 'no group'}`, `give it the groups ${named}, and no other`),
  ];
}

function ofDefaultAccess({ default_access: access }: ServerSettings, found: ServerState): Difference[] {
  if (isSame(access, found.default_access)) return [];
  const problem = found.default_access === null ? 'is the server’s own' : 'differs';
  return [mended('default access', problem, { kind: 'set-default-access', access })];
}

function ofStreamAccess(stream: string, access: Access, found: Access | null): Difference[] {
  if (isSame(access, found)) return [];
  const problem = found === null ? 'is the default' : 'differs';
  return [mended(`access to ${stream}`, problem, { kind: 'set-stream-access', stream, access })];
}

function ofProjection(projection: ProjectionSettings, found: FoundProjection | null): Difference[] {
  const { name } = projection;
  const subject = `projection ${name}`;
  if (found === null) return [mended(subject, 'is missing', { kind: 'create-projection', projection })];
  const isOther = found.query !== projection.query || found.emits !== projection.emits;
  const enabling: Change = { kind: 'enable-projection', name };
  return [
    ...(isOther ? [mended(subject, 'is another', { kind: 'update-projection', projection })] : []),
    ...(found.isEnabled ? [] : [mended(subject, 'is disabled', enabling)]),
    ...(found.isEnabled && found.fault !== null ? [mended(subject, `has stopped: ${found.fault}`, enabling)] : []),
  ];
}

function ofSubscription(subscription: SubscriptionSettings, found: FoundSubscription | null): Difference[] {
  const subject = `subscription ${subscription.group}`;
  if (found === null) return [mended(subject, 'is missing', { kind: 'create-subscription', subscription })];
  // The server does not change a filter, and to make the subscription anew would forget how far it has come.
  if (found.types === null || !isSame(new Set(subscription.types), new Set(found.types))) {
    const problem = `is filtered by ${found.types?.join(', ') ?? 'something else than types'}`;
    return [byHand(subject, problem, 'delete it when nobody needs its place in the log, and apply again')];
  }
  const isOther = Object.entries(subscription.settings).some(([name, value]) => (found.settings[name] ?? 0) !== value);
  return isOther ? [mended(subject, 'has other settings', { kind: 'update-subscription', subscription })] : [];
}

/** Members in any order; roles in any order, too. */
function isSame(one: unknown, other: unknown): boolean {
  return normal(one) === normal(other);
}

function normal(value: unknown): string {
  if (value instanceof Set || Array.isArray(value)) return JSON.stringify([...(value as Iterable<string>)].sort());
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${name}:${normal(member)}`).join()}}`;
}
