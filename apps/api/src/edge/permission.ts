import 'reflect-metadata';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';

import type { PermissionName } from '#lib/access';
import type { ErrorEnvelope } from '#lib/kernel';

import { docOf } from './doc.js';
import type { DtoClass } from './dto-schema.js';

/** The method of a controller that answers a route. */
export interface HandledBy {
  readonly controller: new (...parts: never[]) => object;
  readonly method: string;
}

/** What a route's Fastify configuration says of who may call it and what it takes; the gate reads nothing else. */
export interface RouteAccess {
  readonly access?: PermissionName | 'public';
  readonly takesBody?: boolean;
  readonly takesQuery?: boolean;
  /** The classes that body and query are held to, where the handler takes them whole. */
  readonly bodyForm?: DtoClass;
  readonly queryForm?: DtoClass;
  /** The handler itself holds an Idempotency-Key to its body. */
  readonly bindsItself?: boolean;
  /** Its method could change something, and it does not: there is nothing that a key could keep from being done twice. */
  readonly changesNothing?: boolean;
  /** The handler holds what it does to the revision of If-Match. */
  readonly takesIfMatch?: boolean;
  readonly handledBy?: HandledBy;
  /** Browsers come here by a link. Its query may be another server's, and a failure leads to the console, which shows it. */
  readonly forBrowser?: boolean;
  /** What the protocol of a route answers with in place of some envelopes, and 200. @param isRead whether the body is JSON */
  readonly asFailure?: (envelope: ErrorEnvelope, isRead: boolean) => object | undefined;
  /** A challenge names where it is told who gives tokens for it (RFC 9728). */
  readonly isResource?: boolean;
}

/** A route that was registered, with its row of the table. */
export interface DeclaredRoute {
  readonly method: string;
  /** With its parts as `:job_id`. */
  readonly url: string;
  readonly access: PermissionName | 'public';
  readonly takesBody: boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route there is, in the order of registration. */
    readonly maceRoutes: readonly DeclaredRoute[];
  }
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- declaration merging needs an interface
  interface FastifyContextConfig extends RouteAccess {}
}

/**
 * Who may call this route: a name of the table in libs/access/src/permissions.ts.
 * @param more `bindsItself` where the body does not choose the stream, and the handler compares the digests of requests
 * that stand in it; `asFailure` where its protocol has a form of failures
 */
export function Permission(
  name: PermissionName,
  more: Pick<RouteAccess, 'bindsItself' | 'asFailure' | 'isResource'> = {},
): MethodDecorator {
  return declare(name, more);
}

/** Open to everybody, without a token: health, documentation, well-known keys. */
export function Public(more: Pick<RouteAccess, 'forBrowser'> = {}): MethodDecorator {
  return declare('public', more);
}

/** What a handler was declared with; undefined where it was not. */
export function accessOf(handler: object): PermissionName | 'public' | undefined {
  return (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as RouteAccess | undefined)?.access;
}

function declare(
  access: PermissionName | 'public',
  more: Pick<RouteAccess, 'bindsItself' | 'forBrowser' | 'asFailure' | 'isResource'> = {},
): MethodDecorator {
  return (target, key, descriptor) => {
    // Parameter decorators have run by now, so that a route without @Query() or @Body() is known to take none.
    const taken = parametersOf(target.constructor, key);
    const types = (Reflect.getMetadata('design:paramtypes', target, key) ?? []) as readonly DtoClass[];
    const bodyForm = formAmong(taken, RouteParamtypes.BODY, types);
    const queryForm = formAmong(taken, RouteParamtypes.QUERY, types);
    // Decorators run from below: @Doc stands under this one.
    const doc = docOf(descriptor.value as object);
    const takesIfMatch = doc?.headers?.includes('If-Match') === true;
    const config: RouteAccess = {
      access,
      takesBody: taken.some(({ kind }) => kind === RouteParamtypes.BODY),
      takesQuery: taken.some(({ kind }) => kind === RouteParamtypes.QUERY),
      ...(bodyForm === undefined ? {} : { bodyForm }),
      ...(queryForm === undefined ? {} : { queryForm }),
      ...(takesIfMatch ? { takesIfMatch } : {}),
      ...(doc?.changesNothing ? { changesNothing: true } : {}),
      handledBy: { controller: target.constructor as HandledBy['controller'], method: String(key) },
      ...more,
    };
    (RouteConfig(config) as MethodDecorator)(target, key, descriptor);
  };
}

interface Parameter {
  readonly kind: RouteParamtypes;
  readonly index: number;
  /** It takes one field of many, whose type says nothing of the others. */
  readonly isPart: boolean;
}

function parametersOf(controller: object, key: string | symbol): readonly Parameter[] {
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, key) ?? {}) as Record<
    string,
    { readonly index: number; readonly data?: unknown }
  >;
  return Object.entries(declared).map(([entry, { index, data }]) => ({
    kind: Number(entry.split(':')[0]),
    index,
    isPart: data !== undefined,
  }));
}

/** What TypeScript says of a parameter that has no class of its own. */
const FORMLESS: readonly unknown[] = [String, Number, Boolean, Object, Array, undefined];

function formAmong(
  parameters: readonly Parameter[],
  kind: RouteParamtypes,
  types: readonly DtoClass[],
): DtoClass | undefined {
  const whole = parameters.find((parameter) => parameter.kind === kind && !parameter.isPart);
  const type = whole && types[whole.index];
  return FORMLESS.includes(type) ? undefined : type;
}
