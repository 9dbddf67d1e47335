import { Controller, Get, Headers, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { CommandContext } from '#lib/access';
import { EventRegistry } from '#lib/kernel';

import { refuseUnknownTypes } from '../audit/event-types.js';
import { Ctx, Doc, Permission } from '../edge/index.js';
import { EventTail } from './event-tail.js';
import { SseSessions } from './sse-sessions.js';
import { TailQuery } from './tail.dto.js';
import { TAILED } from './tail.examples.js';
import { TailSource } from './tail-source.js';

/** The log as it grows. */
@Controller('events')
export class TailController {
  constructor(
    private readonly tail: EventTail,
    private readonly sessions: SseSessions,
    private readonly registry: EventRegistry,
  ) {}

  @Get('tail')
  @Permission('events.tail')
  @Doc({
    summary: 'Events of the log as they come, as server-sent events',
    description:
      'From now on, or exactly after `Last-Event-ID`; the id of each event is its position with a mark of this log: what another log gave is refused. Auditor, admin and operator follow everything, redacted; an agent the negotiations that ask it. Who reads too slowly is ended by `event: dropped`; where the token ends or the server stops, by `event: closed`. A stream is not signed: it has no end that a signature could stand before.',
    media: 'text/event-stream',
    answer: TAILED,
    headers: ['Last-Event-ID'],
  })
  async follow(
    @Ctx() { principal }: CommandContext,
    @Query() { types, stream, last_event_id, follow }: TailQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // What a browser says when it comes again is newer than the address that it came with.
    const after = lastEventId ?? last_event_id;
    const wanted = types?.split(',');
    refuseUnknownTypes(this.registry, new Map(wanted?.map((type, i) => [`query.types.${i}`, type])));
    const filter = {
      ...(wanted === undefined ? {} : { types: wanted }),
      ...(stream === undefined ? {} : { stream }),
    };
    const reader = await this.tail.open(principal, filter, after, follow === undefined ? {} : { follow });
    this.sessions.begin(request, reply, new TailSource(reader), after);
  }
}
