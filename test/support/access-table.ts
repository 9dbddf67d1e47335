import {
  PERMISSIONS,
  permissionOf,
  type Ownership,
  type Permission,
  type PermissionName,
  type Role,
} from '#lib/access';

import type { DeclaredRoute } from '../../apps/api/src/edge/permission.js';

/** The section of docs/access.md that is made from the one table and the routes of the running application. */

const HEADER = [
  '| permission | who | second factor | another’s things | routes | besides |',
  '| --- | --- | --- | --- | --- | --- |',
];

export const BEGIN = '<!-- made from libs/access/src/permissions.ts: begin -->';
export const END = '<!-- made from libs/access/src/permissions.ts: end -->';

export function accessTable(routes: readonly DeclaredRoute[]): string {
  const rows = (Object.keys(PERMISSIONS) as PermissionName[]).map((name) =>
    row(name, permissionOf(name), routesOf(name, routes)),
  );
  return [
    BEGIN,
    '',
    ...HEADER,
    ...rows,
    `| (none) | everybody, without a token | no | | ${routesOf('public', routes)} | |`,
    '',
    END,
  ].join('\n');
}

function row(name: PermissionName, permission: Permission, routes: string): string {
  const { elevated, things, note, localOnly } = permission;
  const who = localOnly ? 'the command line on the data folder' : rolesOf(permission.roles);
  const factor = { true: 'yes', false: 'no', conditional: 'see right' }[String(elevated) as 'true'];
  return `| \`${name}\` | ${who} | ${factor} | ${thingsOf(things)} | ${routes} | ${note ?? ''} |`;
}

/** superadmin includes admin, and admin operator: who is included is not named again. */
function rolesOf(roles: readonly Role[]): string {
  return roles.length === 7 ? 'any' : roles.join(', ');
}

function thingsOf(things: Ownership | undefined): string {
  if (things === undefined) return '';
  if (things === 'nobodys') return 'nobody’s';
  const except = things.except.length === 0 ? '' : `, but for ${things.except.join(', ')}`;
  const owners = things.owners ? `; one’s own only as ${things.owners.join(', ')}` : '';
  return `${things.others === 'NOT_FOUND' ? '404' : '403'}${except}${owners}`;
}

function routesOf(access: PermissionName | 'public', routes: readonly DeclaredRoute[]): string {
  return routes
    .filter((route) => route.access === access && route.method !== 'HEAD')
    .map(({ method, url }) => `\`${method} ${url}\``)
    .sort()
    .join(', ');
}
