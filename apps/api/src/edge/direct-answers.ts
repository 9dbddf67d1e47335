import { type INestApplicationContext, RequestMethod } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  HOST_METADATA,
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  RESPONSE_PASSTHROUGH_METADATA,
  SSE_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/constants.js';
import { ApplicationConfig } from '@nestjs/core';
import { InvalidClassScopeException } from '@nestjs/core/errors/exceptions/index.js';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';

import { answerFailure } from './answer-failure.js';
import { EnvelopeFilter } from './envelope.filter.js';
import type { FailureListener } from './failure-listener.js';
import { type Controller, type OperationParameter, parametersOf, takingsOf } from './operation.js';
import type { HandledBy } from './permission.js';
import type { RequestFacts } from './request-facts.js';

/** What answering without Nest's pipeline needs of the edge. */
export interface DirectParts {
  /** The controller as Nest made it; asked once the application is up. */
  readonly controllerOf: (controller: Controller) => object;
  readonly listener: FailureListener;
}

/** What only Nest's pipeline does for a handler, or for all of its controller. */
const OF_NEST = [
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  HOST_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  SSE_METADATA,
  VERSION_METADATA,
];

/**
 * Calls the handlers of routes without Nest's pipeline, which makes seven promises for a request to find, each time anew,
 * that there is no guard, no interceptor and no pipe. A handler with anything that only Nest does stays with Nest. Who may
 * call, and in which form, is decided by the hooks before it either way.
 * @returns the controllers of such handlers, once every route is registered
 */
export function answerDirectly(fastify: FastifyInstance, parts: DirectParts): ReadonlySet<Controller> {
  const controllers = new Set<Controller>();
  fastify.addHook('onRoute', (route) => {
    const handledBy = route.config?.handledBy;
    if (!handledBy) return;
    const parameters = plainParameters(handledBy);
    if (!parameters) return;
    controllers.add(handledBy.controller);
    route.handler = direct(handledBy, parameters, route.handler, parts);
  });
  return controllers;
}

/** A controller of which Nest makes one for each request: there is none that could be called directly. */
export class ScopedControllerError extends Error {
  constructor(name: string) {
    super(
      `${name} and all that it is given must be made once, in the default scope: its handlers are called without Nest`,
    );
    this.name = 'ScopedControllerError';
  }
}

/** @throws ScopedControllerError */
export function refuseScoped(nest: INestApplicationContext, direct: ReadonlySet<Controller>): void {
  for (const controller of direct) {
    try {
      nest.get<object>(controller, { strict: false });
    } catch (error) {
      if (error instanceof InvalidClassScopeException) throw new ScopedControllerError(controller.name);
      throw error;
    }
  }
}

/** A guard, an interceptor, a pipe or a filter for all routes, which those that are answered directly would pass by. */
export class GlobalEnhancerError extends Error {
  constructor() {
    super(
      'no guard, interceptor, pipe or filter may be given for all routes: give it to handlers, or make it a hook of the edge',
    );
    this.name = 'GlobalEnhancerError';
  }
}

/** The envelope's filter may stay: what is answered directly has the same envelope. @throws GlobalEnhancerError */
export function refuseGlobals(nest: INestApplicationContext): void {
  const config = nest.get(ApplicationConfig);
  const globals = [
    config.getGlobalGuards(),
    config.getGlobalRequestGuards(),
    config.getGlobalInterceptors(),
    config.getGlobalRequestInterceptors(),
    config.getGlobalPipes(),
    config.getGlobalRequestPipes(),
    config.getGlobalFilters().filter((filter) => !(filter instanceof EnvelopeFilter)),
    config.getGlobalRequestFilters(),
  ];
  if (globals.some(({ length }) => length > 0)) throw new GlobalEnhancerError();
}

/** What a handler takes; undefined where it needs Nest. */
function plainParameters({ controller, method }: HandledBy): readonly OperationParameter[] | undefined {
  const handler = handlerOf(controller, method);
  if (OF_NEST.some((key) => isGiven(key, handler) || isGiven(key, controller))) return undefined;
  const parameters = parametersOf(controller, method);
  const isPassing = Reflect.getMetadata(RESPONSE_PASSTHROUGH_METADATA, controller, method) === true;
  const isPlain = parameters.every(({ kind, hasPipes }) => !hasPipes && (kind !== 'reply' || isPassing));
  return isPlain ? parameters : undefined;
}

function direct(
  { controller, method }: HandledBy,
  parameters: readonly OperationParameter[],
  byNest: RouteHandlerMethod,
  { controllerOf, listener }: DirectParts,
): RouteHandlerMethod {
  const handler = handlerOf(controller, method);
  const status = statusOf(handler);
  const takings = takingsOf(parameters);
  let instance: object | undefined;
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    try {
      answerFailure(error, request, reply, listener);
    } catch (why) {
      hangUp(why, request, reply, listener);
    }
  };
  const send = (request: FastifyRequest, reply: FastifyReply, answer: unknown): void => {
    try {
      void reply.send(answer);
    } catch (error) {
      fail(error, request, reply);
    }
  };
  return function (request, reply): unknown {
    // Nest finds no route for a path with an empty part.
    if (hasEmptyPart(request.params as Readonly<Record<string, string>>)) return byNest.call(this, request, reply);
    try {
      instance ??= controllerOf(controller);
      if (status !== USUAL) void reply.code(status);
      const taken = takings.map((take) => take(request, reply));
      const answer = handler.apply(instance, taken);
      if (answer instanceof Promise) {
        answer.then(
          (value) => send(request, reply, value),
          (error: unknown) => fail(error, request, reply),
        );
      } else send(request, reply, answer);
    } catch (error) {
      fail(error, request, reply);
    }
    return undefined;
  };
}

/** Of what cannot be answered nobody else would hear: thrown on, it would end the process. */
function hangUp(why: unknown, request: FastifyRequest, reply: FastifyReply, { fault }: FailureListener): void {
  reply.raw.destroy();
  const facts = request.mace as RequestFacts | null;
  try {
    fault(why, facts?.context?.traceId ?? facts?.givenTraceId ?? '-', 'AGENT_ERROR');
  } catch {
    // The log is what fails.
  }
}

const USUAL = 200;
const CREATED = 201;

function statusOf(handler: object): number {
  const chosen = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  return chosen ?? (Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.POST ? CREATED : USUAL);
}

function handlerOf(controller: Controller, method: string): (...taken: unknown[]) => unknown {
  return (controller.prototype as Record<string, (...taken: unknown[]) => unknown>)[method]!;
}

function hasEmptyPart(params: Readonly<Record<string, string>>): boolean {
  for (const name in params) if (params[name] === '' && name !== '*') return true;
  return false;
}

/** Nest's own decorators say of a controller, too, what it has not. */
function isGiven(key: string, to: object): boolean {
  return Reflect.getMetadata(key, to) !== undefined;
}
