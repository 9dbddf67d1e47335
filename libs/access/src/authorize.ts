import { type JsonObject, MaceError } from '#lib/kernel';

import { permissionOf, type PermissionName } from './permissions.js';
import { hasRole, type Principal, type Role } from './principal.js';

/** The principal `local`: who holds the data folder holds its keys. No token can name it: normal forms begin with user_. */
export const LOCAL_PRINCIPAL: Principal = { id: 'local', roles: ['superadmin'], elevated: true };

/** How old a second factor may be, in seconds (RFC 9470's max_age). */
export const ELEVATION_MAX_AGE_S = 300;

/** 401 that asks for a second factor: the answer carries the challenge of RFC 9470. */
export class ElevationRequiredError extends MaceError {
  constructor(
    what = `this needs a token elevated by a second factor in the last ${ELEVATION_MAX_AGE_S} seconds`,
    meta?: JsonObject,
  ) {
    super('UNAUTHENTICATED', what, meta);
    this.name = 'ElevationRequiredError';
  }
}

/**
 * The role under which a principal may act: the least powerful one that opens the door. Order of refusal: role, then
 * elevation. A `conditional` elevation is the handler's to ask, by `requireElevated`.
 * @throws MaceError PERMISSION_DENIED; ElevationRequiredError
 */
export function authorize(principal: Principal, name: PermissionName): Role {
  const permission = permissionOf(name);
  const role = permission.roles.find((allowed) => hasRole(principal, allowed));
  if (role === undefined || (permission.localOnly && principal !== LOCAL_PRINCIPAL)) {
    throw new MaceError('PERMISSION_DENIED', `${name} is for ${describe(permission.roles, permission.localOnly)}`);
  }
  if (permission.elevated === true) requireElevated(principal);
  return role;
}

/** @throws ElevationRequiredError unless a second factor was shown lately */
export function requireElevated(principal: Principal): void {
  if (!principal.elevated) throw new ElevationRequiredError();
}

function describe(roles: readonly Role[], localOnly = false): string {
  return localOnly ? 'the command line on the data folder' : roles.join(', ');
}
