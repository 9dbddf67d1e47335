import 'reflect-metadata';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';

import type { PermissionName } from '#lib/access';

/** What a route's Fastify configuration says of who may call it and what it takes; the gate reads nothing else. */
export interface RouteAccess {
  readonly access?: PermissionName | 'public';
  readonly takesBody?: boolean;
  readonly takesQuery?: boolean;
}

/** A route that was registered, with its row of the table. */
export interface DeclaredRoute {
  readonly method: string;
  /** With its parts as `:job_id`. */
  readonly url: string;
  readonly access: PermissionName | 'public';
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route there is, in the order of registration. */
    readonly maceRoutes: readonly DeclaredRoute[];
  }
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- declaration merging needs an interface
  interface FastifyContextConfig extends RouteAccess {}
}

/** Who may call this route: a name of the table in libs/access/src/permissions.ts. */
export function Permission(name: PermissionName): MethodDecorator {
  return declare(name);
}

/** Open to everybody, without a token: health, documentation, well-known keys. */
export function Public(): MethodDecorator {
  return declare('public');
}

/** What a handler was declared with; undefined where it was not. */
export function accessOf(handler: object): PermissionName | 'public' | undefined {
  return (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as RouteAccess | undefined)?.access;
}

function declare(access: PermissionName | 'public'): MethodDecorator {
  return (target, key, descriptor) => {
    // Parameter decorators have run by now, so that a route without @Query() or @Body() is known to take none.
    const taken = parameterKinds(target.constructor, key);
    const config: RouteAccess = {
      access,
      takesBody: taken.has(RouteParamtypes.BODY),
      takesQuery: taken.has(RouteParamtypes.QUERY),
    };
    (RouteConfig(config) as MethodDecorator)(target, key, descriptor);
  };
}

function parameterKinds(controller: object, key: string | symbol): Set<number> {
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, key) ?? {}) as Record<string, unknown>;
  return new Set(Object.keys(declared).map((entry) => Number(entry.split(':')[0])));
}
