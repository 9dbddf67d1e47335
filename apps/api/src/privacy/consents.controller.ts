import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import {
  type ConsentGranted,
  type ConsentPage,
  type ConsentView,
  GrantConsent,
  ListConsents,
  RecordConsent,
  RevokeConsent,
} from '#lib/privacy';

import { Ctx, Doc, PageQuery, Permission } from '../edge/index.js';
import { CONSENT, CONSENT_FORMS, CONSENT_ID } from './consents.examples.js';
import { GrantConsentDto, RecordConsentDto, RevokeConsentDto } from './privacy.dto.js';

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

  @Post('record')
  @HttpCode(200)
  @Permission('consents.record')
  @Doc({
    summary: 'Records a consent that a person gave elsewhere',
    description:
      'For an elevated admin, and types that the privacy policy names in `consents_given_elsewhere`; of a release it names none. The consent is persistent, holds as long as the policy says, names who recorded it and the document, and is the person’s to take back.',
    request: { user_id: 'tuff', pii_type: 'phone', document_ref: 'form-12', reason: 'signed at the counter' },
    answer: { consent_id: CONSENT_ID },
    errors: ['NOT_FOUND', 'PRIVACY_BLOCKED', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
  })
  record(@Ctx() ctx: CommandContext, @Body() body: RecordConsentDto): Promise<ConsentGranted> {
    return this.commands.execute(new RecordConsent(ctx, body));
  }

  @Get()
  @Permission('consents.own')
  @Doc({
    summary: 'Your consents, oldest first, those that have ended included',
    answer: { items: [CONSENT], next_cursor: null, position: '42' },
    forms: Object.fromEntries(Object.entries(CONSENT_FORMS).map(([name, form]) => [`items.${name}`, form])),
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
    forms: CONSENT_FORMS,
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
