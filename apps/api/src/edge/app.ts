import 'reflect-metadata';

import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { renderFailure } from './answer-failure.js';
import { tellAnswers, type AnsweredParts } from './answered.js';
import { signAnswers, signReply, type SigningParts } from './answer-signing.js';
import { bindKeys, type BindingParts } from './bind-keys.js';
import { guardConnections } from './connections.js';
import { answerDirectly, refuseGlobals, refuseScoped } from './direct-answers.js';
import { EnvelopeFilter } from './envelope.filter.js';
import { failureListener, type RefusalParts } from './failure-listener.js';
import { faultLog } from './fault-log.js';
import { holdToForms } from './forms.js';
import { setGate, type GateParts } from './gate.js';
import { httpOptions, LIMITS, type FrameworkErrors, type Limits } from './http-options.js';
import { acceptJsonOnly } from './json-body.js';
import { sweepIdle } from './local-socket.js';
import { nestLogger, type Logger } from './log.js';
import type { Controller } from './operation.js';
import { securityHeaders, setSecurityHeaders } from './security-headers.js';
import { unsoundRequest } from './unsound-request.js';
import { traceRequests } from '../tracing/traced-requests.js';

export interface EdgeParts extends GateParts, SigningParts, BindingParts, AnsweredParts, RefusalParts {
  readonly log: Logger;
  readonly limits?: Limits;
}

export interface App {
  readonly nest: NestFastifyApplication;
  readonly fastify: FastifyInstance;
}

/**
 * The HTTP application, ready to listen or to be injected into.
 * @throws UndeclaredRouteError where a route does not say who may call it
 */
export async function createEdge(root: Type | DynamicModule, parts: EdgeParts): Promise<App> {
  const listener = failureListener(parts, faultLog(parts.log));
  const limits = parts.limits ?? LIMITS;
  const headers = securityHeaders();
  // What Fastify refuses before it knows a route meets no hook.
  const refuseRouteless: FrameworkErrors = (error, request, reply) => {
    const body = renderFailure(unsoundRequest(request) ?? error, request, reply.headers(headers), listener);
    signReply(parts, request, reply, body);
    void reply.send(body);
  };
  const adapter = new FastifyAdapter({
    ...httpOptions(refuseRouteless, limits, parts),
    // No middleware of Express's kind: its layer would cost every request.
    skipMiddie: true,
  } as ConstructorParameters<typeof FastifyAdapter>[0]);
  const fastify = adapter.getInstance<FastifyInstance>();
  // Before anything refuses a request.
  setSecurityHeaders(fastify, headers);
  setGate(fastify, parts);
  traceRequests(fastify);
  holdToForms(fastify, parts);
  bindKeys(fastify, parts);
  guardConnections(fastify, limits, parts);
  logRequests(fastify, parts.log);
  tellAnswers(fastify, parts);
  acceptJsonOnly(fastify);
  closePromptly(fastify);
  signAnswers(fastify, parts);
  const controllerOf = (controller: Controller): object => nest.get<object>(controller, { strict: false });
  const direct = answerDirectly(fastify, { controllerOf, listener });
  const nest: NestFastifyApplication = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: nestLogger(parts.log),
  });
  nest.useGlobalFilters(new EnvelopeFilter(listener));
  await nest.init();
  refuseGlobals(nest);
  refuseScoped(nest, direct);
  await fastify.ready();
  return { nest, fastify };
}

/** A connection whose request was in hand when closing began is idle only afterwards; nobody else would close it. */
function closePromptly(fastify: FastifyInstance): void {
  let sweep: NodeJS.Timeout | undefined;
  fastify.addHook('preClose', (done) => {
    sweep = sweepIdle(fastify.server);
    done();
  });
  fastify.addHook('onClose', (_, done) => {
    clearInterval(sweep);
    done();
  });
}

function logRequests(fastify: FastifyInstance, log: Logger): void {
  if (!log.isLevelEnabled('debug')) return;
  fastify.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
    const { principal } = request.mace;
    const shape = {
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      trace: reply.getHeader('x-trace-id') ?? '-',
      principal: principal?.id ?? '-',
    };
    log.debug(shape, `${request.method} ${request.routeOptions.url ?? '(no route)'}`);
    done();
  });
}
