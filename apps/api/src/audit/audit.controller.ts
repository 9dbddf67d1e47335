import { Controller, Get, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import {
  type AuditEvent,
  type AuditPage,
  type AuditTrailPage,
  type EvidenceView,
  GetAuditEvent,
  ListAuditEvents,
  ListAuditTrail,
  ReadAuditStream,
  ReadEvidence,
} from '#lib/audit';
import { EventRegistry } from '#lib/kernel';

import { Ctx, Doc, Permission, UnredactedQuery } from '../edge/index.js';
import { AuditEventsQuery, AuditStreamQuery, AuditTrailQuery } from './audit.dto.js';
import {
  AUDIT_EVENT,
  AUDIT_FORMS,
  AUDIT_PAGE,
  AUDIT_PAGE_FORMS,
  ERASED_EVIDENCE,
  EVIDENCE,
  EVIDENCE_FORMS,
  STORED_PAGE,
  TRAIL_FORMS,
  TRAIL_PAGE,
} from './audit.examples.js';
import { refuseUnknownTypes } from './event-types.js';

const DEFAULT_PAGE = 50;
const ON_RECORD =
  'Personal fields are redacted. With `unredacted=true` an auditor or admin sees them, once an admin_access_event says so; where that cannot be written, nothing is shown.';

/** Every event there is, for those who look after the whole. */
@Controller('audit')
export class AuditController {
  constructor(
    private readonly queries: QueryBus,
    private readonly registry: EventRegistry,
  ) {}

  @Get('event/:event_id')
  @Permission('audit.event')
  @Doc({
    summary: 'One event: one that one caused, or of one’s own job; any, for auditor and admin',
    description: ON_RECORD,
    answer: AUDIT_EVENT,
    forms: AUDIT_FORMS,
    errors: ['NOT_FOUND', 'INTEGRITY_FAILURE', 'WAIT_TIMEOUT'],
  })
  event(
    @Ctx() ctx: CommandContext,
    @Param('event_id') eventId: string,
    @Query() { unredacted }: UnredactedQuery,
  ): Promise<AuditEvent> {
    return this.queries.execute(new GetAuditEvent(ctx, eventId, lookingAt(unredacted)));
  }

  @Get('events')
  @Permission('audit.read')
  @Doc({
    summary: 'Events in the order of the log, by stream, type, cause and position',
    description: `${ON_RECORD} What an event caused stands behind it: \`causation_id\` with \`from\` begins there, and a page ends after 5,000 events that were looked through, found or not. \`form=stored\` adds each event’s signed text; \`position\` says what the list contains.`,
    answer: AUDIT_PAGE,
    otherAnswers: { stored: STORED_PAGE },
    forms: AUDIT_PAGE_FORMS,
    errors: ['NOT_FOUND', 'INTEGRITY_FAILURE'],
  })
  events(@Ctx() ctx: CommandContext, @Query() query: AuditEventsQuery): Promise<AuditPage> {
    const { limit = DEFAULT_PAGE, unredacted, form, ...filter } = query;
    refuseUnknownTypes(this.registry, new Map(filter.type === undefined ? [] : [['query.type', filter.type]]));
    return this.queries.execute(new ListAuditEvents(ctx, { ...filter, limit }, lookingAt(unredacted, form)));
  }

  @Get('trail')
  @Permission('audit.read')
  @Doc({
    summary: 'Who did what with which right, what was refused and what was found, newest first',
    description:
      'Looks, denials, tokens, keys, governance, integrity, replays, read models, people’s rights, modules: across all streams, as far as the read model `audit` is, which `position` says. It names events; what they say is read from the log.',
    answer: TRAIL_PAGE,
    forms: TRAIL_FORMS,
  })
  trail(@Query() { limit = DEFAULT_PAGE, ...filter }: AuditTrailQuery): Promise<AuditTrailPage> {
    refuseUnknownTypes(this.registry, new Map(filter.type === undefined ? [] : [['query.type', filter.type]]));
    return this.queries.execute(new ListAuditTrail({ ...filter, limit }));
  }

  @Get('streams/:stream')
  @Permission('audit.read')
  @Doc({
    summary: 'The events of a stream as it stands, in order',
    description: `A name with slashes is sent percent-encoded. ${ON_RECORD} \`form=stored\` adds each event’s signed text.`,
    answer: AUDIT_PAGE,
    otherAnswers: { stored: STORED_PAGE },
    forms: AUDIT_PAGE_FORMS,
    errors: ['NOT_FOUND', 'INTEGRITY_FAILURE'],
  })
  stream(
    @Ctx() ctx: CommandContext,
    @Param('stream') stream: string,
    @Query() { limit = DEFAULT_PAGE, unredacted, form, ...page }: AuditStreamQuery,
  ): Promise<AuditPage> {
    return this.queries.execute(new ReadAuditStream(ctx, stream, { ...page, limit }, lookingAt(unredacted, form)));
  }

  @Get('evidence/:evidence_ref')
  @Permission('audit.evidence')
  @Doc({
    summary: 'Forensic evidence, as events name it in evidence_ref',
    description:
      'For an elevated admin. That somebody looks is recorded in the evidence’s own trail first; where that cannot be written, nothing is shown. What rests on a consent that has ended is withheld from everybody.',
    answer: EVIDENCE,
    otherAnswers: { erased: ERASED_EVIDENCE },
    forms: EVIDENCE_FORMS,
    errors: ['NOT_FOUND', 'INTEGRITY_FAILURE'],
  })
  evidence(@Ctx() ctx: CommandContext, @Param('evidence_ref') evidenceRef: string): Promise<EvidenceView> {
    return this.queries.execute(new ReadEvidence(ctx, evidenceRef));
  }
}

function lookingAt(unredacted = false, form?: 'stored') {
  return { unredacted, stored: form === 'stored' };
}
