import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import { ClearHalt, type HaltPage, ListHalts } from '#lib/governance';

import { Ctx, Doc, Permission } from '../edge/index.js';
import { ClearHaltDto, ListHaltsQuery } from './halts.dto.js';

const DEFAULT_PAGE = 50;
const SNAPSHOT_ID = '5d8f6ef39c0f37ab3f5e8f1b0f3a9d1c7a2b4c6d8e0f1a2b3c4d5e6f7a8b9c0d';
const EVENT_ID = '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1';
const CLEARED = {
  type: ['object', 'null'],
  properties: {
    action_request_id: { type: 'string' },
    verified_by: { type: 'string' },
    approvals: { type: 'array', items: { type: 'string' } },
    cleared_at: { type: 'string' },
  },
};

/** What a wish to clear a halt comes to: the council is asked. */
interface PendingClear {
  readonly pending: true;
  readonly request_id: string;
  readonly snapshot_id: string;
  /** The halt that the council decides on; one that is put on later stands. */
  readonly halt_event_id: string;
  readonly proposal_digest: string;
}

/** Snapshots on which no job starts or replays. */
@Controller('replay/halts')
export class HaltsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Permission('replay.halts')
  @Doc({
    summary: 'Halted snapshots, newest first',
    description:
      'Each with the event that is its cause and how many sealed jobs pin it, counted up to 10,000. `status=cleared` lists those that were halted. `position` says what the list contains.',
    answer: {
      items: [
        {
          snapshot_id: SNAPSHOT_ID,
          status: 'halted',
          cause: { event_id: EVENT_ID, type: 'INTEGRITY_FAILURE', stream: `snapshot-${SNAPSHOT_ID}` },
          since: '2026-11-21T12:00:00.000Z',
          halt_event_id: EVENT_ID,
          cleared: null,
          position: 42,
          log_position: '42',
          pinned_by: { jobs: 117, at_least: false },
        },
      ],
      next_cursor: null,
      position: '43',
    },
    forms: { 'items.cleared': CLEARED },
  })
  list(@Query() { limit = DEFAULT_PAGE, status = 'halted', cursor }: ListHaltsQuery): Promise<HaltPage> {
    return this.queries.execute(new ListHalts({ status, limit, ...(cursor === undefined ? {} : { cursor }) }));
  }

  @Post(':snapshot_id/clear')
  @HttpCode(202)
  @Permission('replay.clear-halt')
  @Doc({
    summary: 'Verifies a halted snapshot and asks the council to clear it',
    description:
      'Signature, chain and id formula are checked from what is stored, and again when the council has agreed. One request a halt, however many admins ask; where the council refused, another may be made.',
    request: { justification: 'restored from the backup of 20 November' },
    answer: {
      pending: true,
      request_id: 'ar-0123456789abcdef0123456789abcdef',
      snapshot_id: SNAPSHOT_ID,
      halt_event_id: EVENT_ID,
      proposal_digest: EVENT_ID,
    },
    errors: ['NOT_FOUND', 'CONFLICT', 'INTEGRITY_FAILURE', 'PRIVACY_BLOCKED'],
  })
  async clear(
    @Ctx() ctx: CommandContext,
    @Param('snapshot_id') snapshotId: string,
    @Body() { justification }: ClearHaltDto,
  ): Promise<PendingClear> {
    const asked = await this.commands.execute(new ClearHalt(ctx, snapshotId, justification));
    const { request_id, proposal_digest, payload } = asked;
    const halt_event_id = payload['halt_event_id'] as string;
    return { pending: true, request_id, snapshot_id: snapshotId, halt_event_id, proposal_digest };
  }
}
