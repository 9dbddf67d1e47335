import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';

import { type CommandContext, provenanceOf } from '#lib/access';
import type { EventStore } from '#lib/event-store';
import { TextScreen } from '#lib/governance';
import { MaceError, pageAfter } from '#lib/kernel';
import { Parking, type ParkedView, type ParkingCommand } from '#lib/projections';

import { Ctx, Doc, type Listed, PageQuery, Permission, upToHead } from '../edge/index.js';
import { EVENT_STORE } from '../platform.tokens.js';
import {
  DISCARDED,
  HALTED,
  PARKED,
  PARKED_AGAIN,
  PARKED_FORMS,
  REPLAYED,
  SKIPPED,
  UNDER_WAY,
} from './parking.examples.js';
import { BecauseDto, SkipDto } from './projections.dto.js';

/** As many as a page may hold: this list came whole before it had pages. */
const DEFAULT_PAGE = 200;
const POSITION = /^(0|[1-9][0-9]{0,19})$/;

/** Events that projections cannot take, and what becomes of them (design/stores.md, "Projection runner"). */
@Controller('projections')
export class ParkingController {
  constructor(
    private readonly parking: Parking,
    private readonly screen: TextScreen,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  @Get(':name/parked')
  @Permission('projections.read')
  @Doc({
    summary: 'Events that a projection could not take, newest first',
    description:
      'Also the one at which it has halted, and those about which something was decided. `done` says whether its documents are by now what was decided.',
    answer: { items: [HALTED, PARKED], next_cursor: null, position: '1575' },
    forms: Object.fromEntries(Object.entries(PARKED_FORMS).map(([path, form]) => [`items.${path}`, form])),
  })
  list(@Param('name') name: string, @Query() { limit = DEFAULT_PAGE, cursor }: PageQuery): Promise<Listed<ParkedView>> {
    const page = { limit, cursor };
    return upToHead(this.store, async () => pageAfter(await this.parking.list(name), ({ position }) => position, page));
  }

  @Post(':name/parked/:position/park')
  @HttpCode(200)
  @Permission('projections.park')
  @Doc({
    summary: 'Sets aside the event at which a projection has halted, with what follows it',
    description:
      'Every later event of the same partition, which is its stream where the projection says nothing else, waits with it, so that none is applied over it. The projection goes on with all others.',
    request: { reason: 'until the next release' },
    answer: PARKED,
    forms: PARKED_FORMS,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  park(
    @Ctx() ctx: CommandContext,
    @Param('name') name: string,
    @Param('position') position: string,
    @Body() body: BecauseDto,
  ): Promise<ParkedView> {
    return this.parking.park(name, this.commandOf(ctx, position, body));
  }

  @Post(':name/parked/:position/replay')
  @HttpCode(200)
  @Permission('projections.park')
  @Doc({
    summary: 'Applies a parked event and what waits behind it, in their order',
    description:
      'Where the projection has halted at it, lets it try again. An event that still cannot be taken is parked again. What takes longer than some seconds is answered with `done: false` and goes on.',
    request: { reason: 'mended in 0.2.1' },
    answer: REPLAYED,
    otherAnswers: { 'still not to be taken': PARKED_AGAIN, 'under way': UNDER_WAY },
    forms: PARKED_FORMS,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  replay(
    @Ctx() ctx: CommandContext,
    @Param('name') name: string,
    @Param('position') position: string,
    @Body() body: BecauseDto,
  ): Promise<ParkedView> {
    return this.parking.replay(name, this.commandOf(ctx, position, body));
  }

  @Post(':name/parked/:position/discard')
  @HttpCode(200)
  @Permission('projections.park')
  @Doc({
    summary: 'Gives up a parked event and what waits behind it by now',
    description:
      'For good, for this projection: the events stay in the log. Later events of the partition are applied again.',
    request: { reason: 'a test of a colleague' },
    answer: DISCARDED,
    forms: PARKED_FORMS,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  discard(
    @Ctx() ctx: CommandContext,
    @Param('name') name: string,
    @Param('position') position: string,
    @Body() body: BecauseDto,
  ): Promise<ParkedView> {
    return this.parking.discard(name, this.commandOf(ctx, position, body));
  }

  @Post(':name/parked/:position/skip')
  @HttpCode(200)
  @Permission('projections.park')
  @Doc({
    summary: 'Passes over one event, which is named by its id too',
    description:
      'For good, for this projection; what waits behind it is applied. The event may be parked, or the one at which the projection has halted.',
    request: { event_id: PARKED.event_id, reason: 'says what the one before said' },
    answer: SKIPPED,
    forms: PARKED_FORMS,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  skip(
    @Ctx() ctx: CommandContext,
    @Param('name') name: string,
    @Param('position') position: string,
    @Body() body: SkipDto,
  ): Promise<ParkedView> {
    return this.parking.skip(name, body.event_id, this.commandOf(ctx, position, body));
  }

  private commandOf(ctx: CommandContext, position: string, { reason }: BecauseDto): ParkingCommand {
    if (!POSITION.test(position)) throw new MaceError('INVALID_INPUT', 'position: a decimal number');
    return {
      position,
      provenance: provenanceOf(ctx),
      reason: reason === undefined ? null : this.screen.redact(reason),
    };
  }
}
