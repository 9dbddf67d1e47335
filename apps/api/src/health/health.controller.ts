import { Controller, Get, Inject } from '@nestjs/common';

import type { EventStore } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import { Doc, Public } from '../edge/index.js';
import { APPEND_FAULT, CACHE_STATE, EVENT_STORE } from '../platform.tokens.js';

/** For whoever runs the process; says nothing of its content. */
@Controller('health')
export class HealthController {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(APPEND_FAULT) private readonly appendFault: () => string | null,
    @Inject(CACHE_STATE) private readonly cacheState: () => 'up' | 'down' | undefined,
  ) {}

  @Get('live')
  @Public()
  @Doc({ summary: 'Whether the process runs', answer: { status: 'live' } })
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  /** Ready while events can be read and appended; a cache that is down is told, and changes nothing. */
  @Get('ready')
  @Public()
  @Doc({
    summary: 'Whether events can be read',
    description: '`cache` says whether a shared cache answers, where there is one; without it everything works too.',
    answer: { status: 'ready' },
    otherAnswers: { 'with a shared cache': { status: 'ready', cache: 'up' } },
    forms: { 'cache?': { type: 'string', enum: ['up', 'down'] } },
    errors: ['DATA_UNAVAILABLE'],
  })
  async ready(): Promise<{ status: 'ready'; cache?: 'up' | 'down' }> {
    try {
      await this.store.head();
    } catch {
      throw new MaceError('DATA_UNAVAILABLE', 'the event store does not answer');
    }
    const fault = this.appendFault();
    if (fault !== null) throw new MaceError('DATA_UNAVAILABLE', `no event can be stored: ${fault}; start MACE again`);
    const cache = this.cacheState();
    return { status: 'ready', ...(cache && { cache }) };
  }
}
