import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import { type FailureAnswer, ReportFailure } from '#lib/selfrep';

import { Ctx, Doc, Permission } from '../edge/index.js';
import { FailureDto } from './modules.dto.js';

/** Failures that are reported from outside a job (seed 000). */
@Controller('events')
export class FailuresController {
  constructor(private readonly commands: CommandBus) {}

  @Post('failure')
  @HttpCode(200)
  @Permission('events.failure')
  @Doc({
    summary: 'Reports a failure',
    description:
      'A POLICY_VIOLATION, or a SECURITY_INCIDENT with a module, takes it offline at once and blocks its writes; details are evidence. SECURITY_INCIDENT and INTEGRITY_FAILURE are for an elevated admin and open a critical incident.',
    request: { event_type: 'POLICY_VIOLATION', node_id: 'agent:math_v1', details: { action: 'sem.write' } },
    answer: {
      event_id: '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1',
      event_type: 'POLICY_VIOLATION',
      node_id: 'agent:math_v1',
      status: 'offline',
      position: '42',
    },
    forms: { node_id: { type: ['string', 'null'] }, status: { type: ['string', 'null'] } },
    errors: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
  })
  report(@Ctx() ctx: CommandContext, @Body() body: FailureDto): Promise<FailureAnswer> {
    return this.commands.execute(new ReportFailure(ctx, body));
  }
}
