import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';

import type { CommandContext } from '#lib/access';
import type { EventStore } from '#lib/event-store';
import { verificationId, Verifications, type VerificationView } from '#lib/integrity';

import { Ctx, Doc, type Listed, PageQuery, Permission, upToHead } from '../edge/index.js';
import { EVENT_STORE } from '../platform.tokens.js';
import { VerifyIntegrityDto } from './integrity.dto.js';
import { UNSOUND, VERIFICATION_FORMS, VERIFIED, VERIFYING } from './integrity.examples.js';

const DEFAULT_PAGE = 50;

/** Checks of the whole log, or of one stream, against what was signed. */
@Controller('integrity')
export class IntegrityController {
  constructor(
    private readonly verifications: Verifications,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  @Post('verify')
  @HttpCode(202)
  @Permission('integrity.verify')
  @Doc({
    summary: 'Checks every stream against what was signed, or joins the check that runs',
    description:
      'Ends in an INTEGRITY_CHECK_SUMMARY in system-integrity. What is found is recorded once, quarantined, and alerted. Of one `stream` each event is held against its leaf in the signed Merkle tree; what was removed from its end shows in a walk of the whole log alone. `counts.leaves` is null where no checkpoint came in time.',
    request: { workers: 1, resume: false },
    answer: VERIFYING,
    otherAnswers: { 'the same request again, later': VERIFIED },
    forms: VERIFICATION_FORMS,
    errors: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
  })
  verify(@Ctx() ctx: CommandContext, @Body() body: VerifyIntegrityDto): Promise<VerificationView> {
    return this.verifications.begin({
      verification_id: verificationId(ctx.seed),
      requested_by: ctx.actor.id,
      mayRelease: ctx.actor.role === 'admin',
      stream: body.stream ?? null,
      workers: body.workers ?? 1,
      resume: body.resume ?? false,
      maxRate: body.max_rate ?? null,
      requestDigest: ctx.requestDigest,
    });
  }

  @Get('verifications')
  @Permission('integrity.verify')
  @Doc({
    summary: 'Checks of the log, newest first',
    answer: { items: [VERIFIED], next_cursor: null, position: '1575' },
    forms: Object.fromEntries(Object.entries(VERIFICATION_FORMS).map(([path, form]) => [`items.${path}`, form])),
  })
  list(@Query() { limit = DEFAULT_PAGE, cursor }: PageQuery): Promise<Listed<VerificationView>> {
    return upToHead(this.store, () => this.verifications.list(limit, cursor));
  }

  @Get('verifications/:verification_id')
  @Permission('integrity.verify')
  @Doc({
    summary: 'How far a check is, and what it found',
    answer: VERIFIED,
    otherAnswers: { running: VERIFYING, 'with a fault': UNSOUND },
    forms: VERIFICATION_FORMS,
  })
  get(@Param('verification_id') id: string): Promise<VerificationView> {
    return this.verifications.get(id);
  }
}
