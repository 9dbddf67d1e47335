import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import type { CommandContext } from '#lib/access';

import './request-facts.js';

/** `@Ctx() ctx: CommandContext`: who asks, under which seed, when; the same object however often it is asked for. */
export const Ctx = createParamDecorator((_: unknown, execution: ExecutionContext): CommandContext => {
  const { context } = execution.switchToHttp().getRequest<FastifyRequest>().mace;
  if (!context) throw new Error('@Ctx() is for routes with a permission');
  return context;
});
