import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';

import type { CommandContext } from '#lib/access';
import { GetNegotiation, ListNegotiations, type NegotiationPage, type ShownNegotiation } from '#lib/negotiation';

import { Ctx, Doc, Permission, UnredactedQuery, withEtag } from '../edge/index.js';
import { ListNegotiationsQuery } from './negotiations.dto.js';
import { LIST_FORMS, NEGOTIATION, NEGOTIATION_FORMS, NEGOTIATION_PAGE } from './negotiations.examples.js';

const DEFAULT_PAGE = 50;

/** What is negotiated: proposals and votes themselves come over gRPC. */
@Controller('negotiations')
export class NegotiationsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Permission('negotiations.read')
  @Doc({
    summary: 'Negotiations, newest first',
    description:
      'One’s own proposals, or with `critic=me` what one is asked about; operator, auditor and admin see all. Of what one is asked about, `status` leaves out of a page what has another: it may be shorter than its limit.',
    answer: NEGOTIATION_PAGE,
    forms: LIST_FORMS,
  })
  list(
    @Ctx() { principal }: CommandContext,
    @Query() { limit = DEFAULT_PAGE, ...filter }: ListNegotiationsQuery,
  ): Promise<NegotiationPage> {
    return this.queries.execute(new ListNegotiations(principal, { ...filter, limit }));
  }

  @Get(':artifact_id')
  @Permission('negotiations.read')
  @Doc({
    summary: 'A negotiation with its artifact, votes and decision',
    description:
      'For its producer and the critics asked. Operator, auditor and admin see it without the artifact and without what critics said, unless an auditor or admin asks for it by `unredacted=true`, on record.',
    answer: NEGOTIATION,
    forms: NEGOTIATION_FORMS,
    etag: true,
    errors: ['INTEGRITY_FAILURE'],
  })
  async read(
    @Ctx() ctx: CommandContext,
    @Param('artifact_id') artifactId: string,
    @Query() { unredacted }: UnredactedQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShownNegotiation> {
    const shown = await this.queries.execute(new GetNegotiation(ctx, artifactId, unredacted));
    withEtag(reply, shown.version - 1);
    return shown;
  }
}
