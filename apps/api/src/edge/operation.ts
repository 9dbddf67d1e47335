import { CUSTOM_ROUTE_ARGS_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { type ExecutionContext, RequestMethod } from '@nestjs/common';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';

import { isPermissionName, type PermissionName } from '#lib/access';
import type { ErrorCode } from '#lib/kernel';

import { docOf, type OperationDoc } from './doc.js';
import { errorsOf } from './openapi-errors.js';
import type { RouteAccess } from './permission.js';
import type { AskedRequest } from './request-facts.js';

/** A class whose methods answer operations. */
export type Controller = new (...parts: never[]) => object;

/** An operation as its handler declares it: everything that an edge needs besides HTTP to offer it. */
export interface Operation {
  readonly controller: Controller;
  readonly handler: string;
  /** With its path, whose parts stand as `:job_id`. */
  readonly route: RouteAccess & { readonly url: string };
  readonly method: string;
  readonly access: PermissionName;
  readonly doc: OperationDoc;
  readonly errors: readonly ErrorCode[];
  /** Names of the path's parts, in order. */
  readonly pathParts: readonly string[];
  readonly parameters: readonly OperationParameter[];
  /** How the handler is given them, in order. */
  readonly takings: readonly Taking[];
}

/** What a handler takes at a place of its own. */
export interface OperationParameter {
  readonly kind: 'request' | 'reply' | 'body' | 'query' | 'params' | 'headers' | 'made';
  readonly index: number;
  /** The one member that it takes; all of them where absent. */
  readonly member: string | undefined;
  readonly make: ((data: unknown, context: ExecutionContext) => unknown) | undefined;
  /** Pipes of Nest stand before it. */
  readonly hasPipes: boolean;
}

/** A handler that nobody may call, because it does not say who may. */
export class UndeclaredOperationError extends Error {
  constructor(name: string) {
    super(`${name} declares no permission and no description: give it @Permission(...) and @Doc(...)`);
    this.name = 'UndeclaredOperationError';
  }
}

/** @throws UndeclaredOperationError for a handler without a permission of the table, so also for a public one */
export function operationOf(controller: Controller, handler: string): Operation {
  const method = (controller.prototype as Record<string, object | undefined>)[handler];
  const name = `${controller.name}.${handler}`;
  const route = method && (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, method) as RouteAccess | undefined);
  const doc = method && docOf(method);
  const access = route?.access;
  if (!method || !doc || access === undefined || access === 'public' || !isPermissionName(access)) {
    throw new UndeclaredOperationError(name);
  }
  const url = urlOf(controller, method);
  const pathParts = [...url.matchAll(/:([A-Za-z_]+)/g)].map(([, part]) => part!);
  const verb = RequestMethod[Reflect.getMetadata(METHOD_METADATA, method) as RequestMethod];
  const writes = verb !== 'GET';
  const errors = errorsOf({ access, writes, hasPathParts: pathParts.length > 0, doc });
  const parameters = parametersOf(controller, handler);
  const takings = takingsOf(parameters);
  return {
    controller,
    handler,
    route: { ...route, url },
    method: verb,
    access,
    doc,
    errors,
    pathParts,
    parameters,
    takings,
  };
}

function urlOf(controller: Controller, method: object): string {
  const parts = [controller, method].map((of) => String(Reflect.getMetadata(PATH_METADATA, of)));
  return `/${parts
    .flatMap((part) => part.split('/'))
    .filter(Boolean)
    .join('/')}`;
}

const KINDS: Readonly<Partial<Record<RouteParamtypes, OperationParameter['kind']>>> = {
  [RouteParamtypes.REQUEST]: 'request',
  [RouteParamtypes.RESPONSE]: 'reply',
  [RouteParamtypes.BODY]: 'body',
  [RouteParamtypes.QUERY]: 'query',
  [RouteParamtypes.PARAM]: 'params',
  [RouteParamtypes.HEADERS]: 'headers',
};

/** @throws Error for what no request of ours has, and for a parameter without a decorator before one that has one */
export function parametersOf(controller: Controller, handler: string): readonly OperationParameter[] {
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {}) as Record<
    string,
    {
      readonly index: number;
      readonly data?: unknown;
      readonly factory?: OperationParameter['make'];
      readonly pipes?: readonly unknown[];
    }
  >;
  const parameters = Object.entries(declared).map(([key, { index, data, factory, pipes = [] }]): OperationParameter => {
    const isMade = key.includes(CUSTOM_ROUTE_ARGS_METADATA);
    const kind = isMade ? 'made' : KINDS[Number(key.split(':')[0]) as RouteParamtypes];
    if (kind === undefined) throw new Error(`${controller.name}.${handler} takes what only HTTP has`);
    const member = typeof data === 'string' ? data : undefined;
    return {
      kind,
      index,
      member: kind === 'headers' ? member?.toLowerCase() : member,
      make: factory,
      hasPipes: pipes.length > 0,
    };
  });
  const given = new Set(parameters.map(({ index }) => index));
  for (let place = 0; place < given.size; place++)
    if (!given.has(place))
      throw new Error(`${controller.name}.${handler}: no decorator says what it takes at place ${place + 1}`);
  return parameters;
}

/** Takes what stands at that place of a request, or of the reply to it. */
export type Taking = (request: AskedRequest, reply: object) => unknown;

/** How a handler is given what it takes, in its own order. */
export function takingsOf(parameters: readonly OperationParameter[]): readonly Taking[] {
  return [...parameters].sort((a, b) => a.index - b.index).map(takingOf);
}

function takingOf({ kind, member, make }: OperationParameter): Taking {
  switch (kind) {
    case 'request':
      return (request) => request;
    case 'reply':
      return (_request, reply) => reply;
    case 'made':
      return (request, reply) => make!(member, new Asked(request, reply) as unknown as ExecutionContext);
    default:
      if (member === undefined) return (request) => request[kind];
      return (request) => (request[kind] as Readonly<Record<string, unknown>> | undefined)?.[member];
  }
}

/** What parameters that are made see of Nest's context. */
class Asked {
  constructor(
    private readonly request: AskedRequest,
    private readonly reply: object,
  ) {}

  switchToHttp(): this {
    return this;
  }

  getRequest(): AskedRequest {
    return this.request;
  }

  getResponse(): object {
    return this.reply;
  }
}
