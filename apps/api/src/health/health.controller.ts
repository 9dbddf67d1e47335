import { Controller, Get, Inject } from '@nestjs/common';

import { MerkleLog } from '#lib/proof';

import { ToldError } from '../edge/failure.js';
import { Doc, Public } from '../edge/index.js';
import { CACHE_STATE } from '../platform.tokens.js';
import { type Finding, inWords, PARTS, Readiness } from './readiness.js';

interface Ready {
  readonly status: 'ready';
  /** Whether a bundle made now would hold all that it should (docs/proof.md). */
  readonly ready_for_bundles: boolean;
  /** Why it would not; null where it would. */
  readonly bundles_wait_for: string | null;
  /** Whether the shared cache answers; absent where there is none. */
  readonly cache?: 'up' | 'down';
  /** What is not as it should be, though requests are served; absent where there is nothing. */
  readonly degraded?: readonly Finding[];
}

const READY = { status: 'ready', ready_for_bundles: true, bundles_wait_for: null };
const UNPROVEN = {
  status: 'ready',
  ready_for_bundles: false,
  bundles_wait_for: 'the witness does not answer: ECONNREFUSED',
};
const DEGRADED = {
  ...READY,
  cache: 'down',
  degraded: [
    {
      part: 'storage',
      reason: 'writes are refused with STORAGE_FULL: the stores have used the 2000 MiB of MACE_STORAGE_QUOTA_MB',
    },
    { part: 'projections', reason: 'jobs is 5120 events and 48 s behind (catching_up)' },
    { part: 'cache', reason: 'the shared cache does not answer: reads go to the log and are slower' },
  ],
};

/** For whoever runs the process; says nothing of its content. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    @Inject(CACHE_STATE) private readonly cacheState: () => 'up' | 'down' | undefined,
    private readonly proof: MerkleLog,
  ) {}

  @Get('live')
  @Public()
  @Doc({ summary: 'Whether the process runs', answer: { status: 'live' } })
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  /** Ready while events can be read and appended and lists be read; what only slows it down is told, and changes nothing. */
  @Get('ready')
  @Public()
  @Doc({
    summary: 'Whether requests can be served, and whether what is stored can be proven to others by now',
    description:
      '503 where the event store or the read store does not answer, nothing can be appended, a key may not sign now or the disk is full: `developer_message` says which and what to do, `meta.parts` the same part by part. What leaves requests served, though not as they should be, is in `degraded`: stores that have no room, so that writes are refused and reads are not, projections that are behind or have halted, a language engine that is out of service, a process that follows on one that crashed, incidents that last (writes that memory does not take, refusals of one principal, locked second factors, decisions without their quorum, an erasure of which a step fails on and on), and the shared cache, of which `cache` says whether it answers where there is one.',
    answer: READY,
    otherAnswers: {
      'nothing can be proven to others for now': UNPROVEN,
      'with a shared cache': { ...READY, cache: 'up' },
      'some parts are not as they should be': DEGRADED,
    },
    forms: {
      bundles_wait_for: { type: ['string', 'null'] },
      'cache?': { type: 'string', enum: ['up', 'down'] },
      'degraded.part': { type: 'string', enum: [...PARTS] },
    },
    errors: ['DATA_UNAVAILABLE'],
  })
  async ready(): Promise<Ready> {
    const { failed, degraded } = await this.readiness.look();
    if (failed.length > 0) throw unready(failed);
    const [reason, cache] = [this.proof.unready, this.cacheState()];
    const proven = { ready_for_bundles: reason === null, bundles_wait_for: reason };
    return { status: 'ready', ...proven, ...(cache && { cache }), ...(degraded.length > 0 && { degraded }) };
  }
}

function unready(failed: readonly Finding[]): ToldError {
  const parts = failed.map((finding) => ({ ...finding }));
  return new ToldError('DATA_UNAVAILABLE', inWords(failed), { parts });
}
