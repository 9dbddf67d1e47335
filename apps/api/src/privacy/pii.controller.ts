import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import { type HandledText, HandleText } from '#lib/privacy';

import { Ctx, Doc, Permission } from '../edge/index.js';
import { HandleTextDto } from './privacy.dto.js';

/** What is personal in a text, and what would become of it. */
@Controller('pii')
export class PiiController {
  constructor(private readonly commands: CommandBus) {}

  @Post('detect_and_handle')
  @HttpCode(200)
  @Permission('pii.detect')
  @Doc({
    summary: 'Finds and redacts what is personal in a text',
    description:
      'allowed: nothing of high or medium sensitivity is in it, or your consents cover all of it; consent_required: it is to be stored, and a consent is missing; redacted: anything else.',
    request: { text: 'Call me at +44 20 7946 0018 after six.', persist: false },
    answer: {
      status: 'redacted',
      redacted_text: 'Call me at [redacted:phone] after six.',
      findings: [{ type: 'phone', category: 'medium', span: [11, 27] }],
      event_id: '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1',
    },
    errors: ['PRIVACY_BLOCKED', 'IDEMPOTENCY_KEY_REUSED'],
  })
  handle(@Ctx() ctx: CommandContext, @Body() body: HandleTextDto): Promise<HandledText> {
    return this.commands.execute(new HandleText(ctx, body));
  }
}
