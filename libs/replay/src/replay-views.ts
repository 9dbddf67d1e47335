import type { CommandContext } from '#lib/access';
import type { EventLog } from '#lib/event-store';
import type { JobDesk } from '#lib/jobs';

import type { ReplayResult } from './domain/replay.events.js';
import { recordOrNull } from './readable-record.js';
import { redactedDivergence } from './redacted-divergence.js';

/** Replays as those see them who ask: what a person said is shown to that person, and to others who go on record first. */
export class ReplayViews {
  constructor(
    private readonly log: EventLog,
    private readonly desk: Pick<JobDesk, 'sightOf'>,
  ) {}

  /**
   * @param unredacted for an auditor or admin: with what was said, once an admin_access_event says that they looked
   * @throws MaceError PERMISSION_DENIED where others ask so
   */
  async of(result: ReplayResult, ctx: CommandContext, unredacted?: boolean): Promise<ReplayResult> {
    const { divergence, further, job_id } = result;
    if (!divergence) return result;
    // Where its record cannot be read nothing says whose words they are.
    const job = await recordOrNull(this.log, job_id);
    if (job && (await this.desk.sightOf(job, job_id, ctx, unredacted)) === 'owner') return result;
    return { ...result, divergence: redactedDivergence(divergence), further: further.map(redactedDivergence) };
  }
}
