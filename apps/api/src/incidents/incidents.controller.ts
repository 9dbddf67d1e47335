import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import {
  type AckAnswer,
  AcknowledgeIncident,
  type FailedWritesPage,
  INCIDENT_STATUSES,
  type IncidentRow,
  ListFailedWrites,
  ListIncidents,
  type ListPage,
  ListRefusedRequests,
  type RefusedRequestsRow,
} from '#lib/incidents';
import type { PlacedRow, RowOfOld } from '#lib/projections';

import { Ctx, Doc, Permission } from '../edge/index.js';
import { AckIncidentDto, FailedWritesQuery, ListIncidentsQuery, RefusedRequestsQuery } from './incidents.dto.js';

const DEFAULT_PAGE = 50;
const EVENT_ID = '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1';
const INCIDENT_ID = 'inc-0123456789abcdef0123456789abcdef';
const TEXT_OR_NULL = { type: ['string', 'null'] };
const TIME_OR_NULL = {
  ...TEXT_OR_NULL,
  description: 'Real time; null also where release 0.1 recorded it without one.',
};
const FAILED_WRITE = {
  key: 'user/profile/user_tuff/favorite_color',
  error_code: 'SEM_WRITE_FAIL',
  attempts: 2,
  fault: 'StoreUnavailableError',
  event_id: EVENT_ID,
  stream: 'access-user_tuff',
};

const REFUSED_REQUESTS = {
  principal: 'user_tuff',
  error_code: 'NOT_FOUND',
  route: 'GET /jobs/:job_id',
  count: 12,
  first_trace_id: 'trace-0123456789abcdef',
  last_trace_id: 'trace-fedcba9876543210',
  payload_hash: null,
  recorded_at: '2026-11-21T12:00:00.000Z',
  event_id: EVENT_ID,
  stream: 'refusals-user_tuff',
  position: '42',
};

/** What people must look at, and what memory could not take. */
@Controller()
export class IncidentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('incidents')
  @Permission('incidents.read')
  @Doc({
    summary: 'Incidents, newest first',
    description:
      'Each with the event that is its cause and what that led to; `status` is what was said of it last, and `closed_at` when what it is about was over. `position` says what the list contains.',
    answer: {
      items: [
        {
          incident_id: INCIDENT_ID,
          status: 'open',
          severity: 'critical',
          cause: { event_id: EVENT_ID, type: 'POLICY_VIOLATION', stream: 'module-agent:math_v1' },
          links: [{ event_id: EVENT_ID, type: 'NODE_OFFLINE', stream: 'module-agent:math_v1' }],
          opened_at: '2026-11-21T12:00:00.000Z',
          acknowledged_by: null,
          acknowledged_at: null,
          note: null,
          closed_at: null,
          position: 42,
          log_position: '42',
        },
      ],
      next_cursor: null,
      position: '43',
    },
    forms: {
      'items.opened_at': TIME_OR_NULL,
      'items.acknowledged_by': TEXT_OR_NULL,
      'items.acknowledged_at': TIME_OR_NULL,
      'items.note': TEXT_OR_NULL,
      'items.closed_at': TEXT_OR_NULL,
      'items.status': { type: 'string', enum: [...INCIDENT_STATUSES] },
    },
  })
  list(@Query() { limit = DEFAULT_PAGE, ...filter }: ListIncidentsQuery): Promise<ListPage<RowOfOld<IncidentRow>>> {
    return this.queries.execute(new ListIncidents({ ...filter, limit }));
  }

  @Get('incidents/failed-writes')
  @Permission('incidents.read')
  @Doc({
    summary: 'Writes that memory refused, by key, newest first',
    description:
      'None of them is carried out later: who wants it writes again. `waiting` holds those that could not be recorded yet because the event store takes nothing.',
    answer: {
      items: [{ ...FAILED_WRITE, recorded_at: '2026-11-21T12:00:00.000Z', position: 42, log_position: '42' }],
      next_cursor: null,
      position: '43',
      waiting: [FAILED_WRITE],
    },
    forms: { 'items.recorded_at': TEXT_OR_NULL },
  })
  failedWrites(@Query() { limit = DEFAULT_PAGE, ...filter }: FailedWritesQuery): Promise<FailedWritesPage> {
    return this.queries.execute(new ListFailedWrites({ ...filter, limit }));
  }

  @Get('incidents/refused-requests')
  @Permission('incidents.read')
  @Doc({
    summary: 'Requests that were refused and left no other event, newest first',
    description:
      'Each stands for those of one principal, code and route within a minute; a request without a principal counts for its address, of which a keyed digest is kept. `*` stands where more was refused than is counted apart. Nothing of what was sent is kept but `payload_hash`, a keyed digest of the body of the first with whose it was.',
    answer: { items: [REFUSED_REQUESTS], next_cursor: null, position: '43' },
    forms: { 'items.payload_hash': TEXT_OR_NULL, 'items.recorded_at': TEXT_OR_NULL },
  })
  refusedRequests(
    @Query() { limit = DEFAULT_PAGE, ...filter }: RefusedRequestsQuery,
  ): Promise<ListPage<PlacedRow<RefusedRequestsRow>>> {
    return this.queries.execute(new ListRefusedRequests({ ...filter, limit }));
  }

  @Post('admin/incident/ack')
  @HttpCode(200)
  @Permission('incidents.ack')
  @Doc({
    summary: 'Acknowledges an incident',
    description: 'For an elevated admin, once an incident; a second one is a conflict.',
    request: { incident_id: INCIDENT_ID, note: 'The module was updated and tested again.' },
    answer: {
      incident_id: INCIDENT_ID,
      status: 'acknowledged',
      severity: 'critical',
      acknowledged_by: 'user_ada',
      note: 'The module was updated and tested again.',
      event_id: EVENT_ID,
      position: '44',
    },
    errors: ['NOT_FOUND', 'CONFLICT', 'PRIVACY_BLOCKED', 'IDEMPOTENCY_KEY_REUSED'],
  })
  acknowledge(@Ctx() ctx: CommandContext, @Body() { incident_id, note }: AckIncidentDto): Promise<AckAnswer> {
    return this.commands.execute(new AcknowledgeIncident(ctx, incident_id, note));
  }
}
