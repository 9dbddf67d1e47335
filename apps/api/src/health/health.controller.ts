import { Controller, Get, Inject } from '@nestjs/common';

import type { EventStore } from '#lib/event-store';
import { MaceError } from '#lib/kernel';
import { MerkleLog } from '#lib/proof';

import { Doc, Public } from '../edge/index.js';
import { APPEND_FAULT, CACHE_STATE, EVENT_STORE } from '../platform.tokens.js';

interface Ready {
  readonly status: 'ready';
  /** Whether a bundle made now would hold all that it should (docs/proof.md). */
  readonly ready_for_bundles: boolean;
  /** Why it would not; null where it would. */
  readonly bundles_wait_for: string | null;
  /** Whether the shared cache answers; absent where there is none. */
  readonly cache?: 'up' | 'down';
}

const READY = { status: 'ready', ready_for_bundles: true, bundles_wait_for: null };
const UNPROVEN = {
  status: 'ready',
  ready_for_bundles: false,
  bundles_wait_for: 'the witness does not answer: ECONNREFUSED',
};

/** For whoever runs the process; says nothing of its content. */
@Controller('health')
export class HealthController {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(APPEND_FAULT) private readonly appendFault: () => string | null,
    @Inject(CACHE_STATE) private readonly cacheState: () => 'up' | 'down' | undefined,
    private readonly proof: MerkleLog,
  ) {}

  @Get('live')
  @Public()
  @Doc({ summary: 'Whether the process runs', answer: { status: 'live' } })
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  /** Ready while events can be read and appended; a cache that is down, or a log that is not signed, is told, and changes nothing. */
  @Get('ready')
  @Public()
  @Doc({
    summary: 'Whether events can be read and stored, and whether what is stored can be proven to others by now',
    description: '`cache` says whether a shared cache answers, where there is one; without it everything works too.',
    answer: READY,
    otherAnswers: {
      'nothing can be proven to others for now': UNPROVEN,
      'with a shared cache': { ...READY, cache: 'up' },
    },
    forms: { bundles_wait_for: { type: ['string', 'null'] }, 'cache?': { type: 'string', enum: ['up', 'down'] } },
    errors: ['DATA_UNAVAILABLE'],
  })
  async ready(): Promise<Ready> {
    try {
      await this.store.head();
    } catch {
      throw new MaceError('DATA_UNAVAILABLE', 'the event store does not answer');
    }
    const fault = this.appendFault();
    if (fault !== null) throw new MaceError('DATA_UNAVAILABLE', `no event can be stored: ${fault}; start MACE again`);
    const [reason, cache] = [this.proof.unready, this.cacheState()];
    const proven = { ready_for_bundles: reason === null, bundles_wait_for: reason };
    return { status: 'ready', ...proven, ...(cache && { cache }) };
  }
}
