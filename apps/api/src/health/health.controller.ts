import { Controller, Get, Inject } from '@nestjs/common';

import type { EventStore } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import { Doc, Public } from '../edge/index.js';
import { APPEND_FAULT, EVENT_STORE } from '../platform.tokens.js';

/** For whoever runs the process; says nothing of its content. */
@Controller('health')
export class HealthController {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(APPEND_FAULT) private readonly appendFault: () => string | null,
  ) {}

  @Get('live')
  @Public()
  @Doc({ summary: 'Whether the process runs', answer: { status: 'live' } })
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  /** Ready while events can be read and appended; a cache that is down changes nothing. */
  @Get('ready')
  @Public()
  @Doc({ summary: 'Whether events can be read', answer: { status: 'ready' }, errors: ['DATA_UNAVAILABLE'] })
  async ready(): Promise<{ status: 'ready' }> {
    try {
      await this.store.head();
    } catch {
      throw new MaceError('DATA_UNAVAILABLE', 'the event store does not answer');
    }
    const fault = this.appendFault();
    if (fault !== null) throw new MaceError('DATA_UNAVAILABLE', `no event can be stored: ${fault}; start MACE again`);
    return { status: 'ready' };
  }
}
