import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import {
  type ConsentGranted,
  type ConsentPage,
  type ConsentView,
  GrantConsent,
  ListConsents,
  RevokeConsent,
} from '#lib/privacy';

import { Ctx, Doc, PageQuery, Permission } from '../edge/index.js';
import { GrantConsentDto, RevokeConsentDto } from './privacy.dto.js';

const CONSENT_ID = '5f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1';
const CONSENT = {
  consent_id: CONSENT_ID,
  pii_type: 'phone',
  scope: 'persistent',
  status: 'active',
  consent_text: 'MACE may remember my phone number.',
  job_seed: null,
  idempotency_key: null,
  ttl_seconds: 2592000,
  granted_at: '2026-01-01T12:00:00.000Z',
  expires_at: '2026-01-31T12:00:00.000Z',
  revoked_at: null,
  event_id: '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1',
};
const TEXT_OR_NULL = { type: ['string', 'null'] };
const OPTIONAL_FORMS = {
  job_seed: TEXT_OR_NULL,
  idempotency_key: TEXT_OR_NULL,
  ttl_seconds: { type: ['integer', 'null'] },
  expires_at: TEXT_OR_NULL,
  revoked_at: TEXT_OR_NULL,
};

/** What one lets be stored of oneself (spec/privacy.md, "What happens"). */
@Controller('consents')
export class ConsentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(200)
  @Permission('consents.own')
  @Doc({
    summary: 'Lets one type of your personal data be stored',
    description:
      'For one job (job_seed), one direct write (idempotency_key), or every write until its time is over. The same consent again is no second one. A value of high sensitivity also waits for the council.',
    request: { pii_type: 'phone', scope: 'persistent', consent_text: 'MACE may remember my phone number.' },
    answer: { consent_id: CONSENT_ID },
    errors: ['PRIVACY_BLOCKED', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
  })
  grant(@Ctx() ctx: CommandContext, @Body() body: GrantConsentDto): Promise<ConsentGranted> {
    return this.commands.execute(new GrantConsent(ctx, body));
  }

  @Get()
  @Permission('consents.own')
  @Doc({
    summary: 'Your consents, oldest first, those that have ended included',
    answer: { items: [CONSENT], next_cursor: null, position: '42' },
    forms: Object.fromEntries(Object.entries(OPTIONAL_FORMS).map(([name, form]) => [`items.${name}`, form])),
  })
  list(@Ctx() ctx: CommandContext, @Query() page: PageQuery): Promise<ConsentPage> {
    return this.queries.execute(new ListConsents(ctx, page));
  }

  @Post(':consent_id/revoke')
  @HttpCode(200)
  @Permission('consents.own')
  @Doc({
    summary: 'Takes a consent of yours back, for good',
    description:
      'From then on what was stored under it is neither used nor returned, to nobody, and no later consent brings it back. Again is no error.',
    request: {},
    answer: { ...CONSENT, status: 'revoked', revoked_at: '2026-01-02T12:00:00.000Z' },
    forms: OPTIONAL_FORMS,
    errors: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
  })
  revoke(
    @Ctx() ctx: CommandContext,
    @Param('consent_id') id: string,
    @Body() _: RevokeConsentDto,
  ): Promise<ConsentView> {
    return this.commands.execute(new RevokeConsent(ctx, id));
  }
}
