import type { Access, DefaultAccess } from './server-settings.js';

/** How the server writes each right in its own streams. */
const RIGHTS = { read: '$r', write: '$w', delete: '$d', meta_read: '$mr', meta_write: '$mw' } as const;
const KINDS = { users_streams: '$userStreamAcl', system_streams: '$systemStreamAcl' } as const;

type Members = Readonly<Record<string, unknown>>;

/** Rights as the server keeps them. */
export function toAcl(access: Access): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(access).map(([right, roles]) => [RIGHTS[right as keyof Access], roles]));
}

/** @param acl what the server keeps, where one role may stand for a list of one */
export function fromAcl(acl: Members): Access {
  const found = Object.entries(RIGHTS).flatMap(([right, name]) => {
    const roles = acl[name];
    return roles === undefined ? [] : [[right, Array.isArray(roles) ? roles : [roles]]];
  });
  return Object.fromEntries(found) as Access;
}

/** What the server takes from the last event of its stream `$settings`. */
export function toDefaultAcls(access: DefaultAccess): Record<string, object> {
  return Object.fromEntries(
    Object.entries(KINDS).map(([kind, name]) => [name, toAcl(access[kind as keyof DefaultAccess])]),
  );
}

export function fromDefaultAcls(settings: Members): Partial<DefaultAccess> {
  return Object.fromEntries(
    Object.entries(KINDS).flatMap(([kind, name]) =>
      settings[name] === undefined ? [] : [[kind, fromAcl(settings[name] as Members)]],
    ),
  );
}
