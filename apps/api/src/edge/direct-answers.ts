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
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';

import { answerFailure } from './answer-failure.js';
import type { FaultLog } from './fault-log.js';
import { type Controller, type OperationParameter, parametersOf, takingsOf } from './operation.js';
import type { HandledBy } from './permission.js';

/** What answering without Nest's pipeline needs of the edge. */
export interface DirectParts {
  /** The controller as Nest made it; asked once the application is up. */
  readonly controllerOf: (controller: Controller) => object;
  readonly logFault: FaultLog;
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
 */
export function answerDirectly(fastify: FastifyInstance, parts: DirectParts): void {
  fastify.addHook('onRoute', (route) => {
    const handledBy = route.config?.handledBy;
    if (!handledBy) return;
    const parameters = plainParameters(handledBy);
    if (parameters) route.handler = direct(handledBy, parameters, route.handler, parts);
  });
}

/** A guard, an interceptor or a pipe for all routes, which those that are answered directly would pass by. */
export class GlobalEnhancerError extends Error {
  constructor() {
    super(
      'no guard, interceptor or pipe may be given for all routes: give it to handlers, or make it a hook of the edge',
    );
    this.name = 'GlobalEnhancerError';
  }
}

/** @throws GlobalEnhancerError */
export function refuseGlobals(nest: INestApplicationContext): void {
  const config = nest.get(ApplicationConfig);
  const globals = [
    config.getGlobalGuards(),
    config.getGlobalRequestGuards(),
    config.getGlobalInterceptors(),
    config.getGlobalRequestInterceptors(),
    config.getGlobalPipes(),
    config.getGlobalRequestPipes(),
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
  { controllerOf, logFault }: DirectParts,
): RouteHandlerMethod {
  const handler = handlerOf(controller, method);
  const status = statusOf(handler);
  const takings = takingsOf(parameters);
  let instance: object | undefined;
  const send = (request: FastifyRequest, reply: FastifyReply, answer: unknown): void => {
    try {
      void reply.send(answer);
    } catch (error) {
      answerFailure(error, request, reply, logFault);
    }
  };
  return function (request, reply): unknown {
    // Nest finds no route for a path with an empty part.
    if (hasEmptyPart(request.params as Readonly<Record<string, string>>)) return byNest.call(this, request, reply);
    instance ??= controllerOf(controller);
    try {
      if (status !== USUAL) void reply.code(status);
      const taken = takings.map((take) => take(request, reply));
      const answer = handler.apply(instance, taken);
      if (answer instanceof Promise) {
        answer.then(
          (value) => send(request, reply, value),
          (error: unknown) => answerFailure(error, request, reply, logFault),
        );
      } else send(request, reply, answer);
    } catch (error) {
      answerFailure(error, request, reply, logFault);
    }
    return undefined;
  };
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
