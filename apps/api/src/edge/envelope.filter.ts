import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { answerFailure } from './answer-failure.js';
import type { FailureListener } from './failure-listener.js';

/** Every exception of a route, a hook or Fastify itself becomes an envelope here. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(private readonly listener: FailureListener) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerFailure(exception, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), this.listener);
  }
}
