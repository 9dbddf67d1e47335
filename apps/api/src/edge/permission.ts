import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';

import type { PermissionName } from '#lib/access';

/** What a route's Fastify configuration says of who may call it; the gate reads nothing else. */
export interface RouteAccess {
  readonly access?: PermissionName | 'public';
}

export const ACCESS_METADATA = 'mace:access';

/** Who may call this route: a name of the table in libs/access/src/permissions.ts. */
export function Permission(name: PermissionName): MethodDecorator {
  return access(name);
}

/** Open to everybody, without a token: health, documentation, well-known keys. */
export function Public(): MethodDecorator {
  return access('public');
}

function access(name: PermissionName | 'public'): MethodDecorator {
  const config: RouteAccess = { access: name };
  return applyDecorators(RouteConfig(config), SetMetadata(ACCESS_METADATA, name));
}
