import type { CommandContext } from '#lib/access';
import type { EventLog, LoggedEvent } from '#lib/event-store';
import type { JobDesk } from '#lib/jobs';

import { type ReplayResult, replayStream } from './domain/replay.events.js';
import { recordOrNull } from './readable-record.js';
import { redactedDivergence } from './redacted-divergence.js';

/** A replay as it is answered: with its times, which are real. */
export interface ReplayView extends ReplayResult {
  readonly requested_at: string;
  /** When its newest result was recorded; null where release 0.1 did so, whose events say no time. */
  readonly ended_at: string | null;
}

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
  async of(result: ReplayResult, ctx: CommandContext, unredacted?: boolean): Promise<ReplayView> {
    const { divergence, further, job_id, replay_id } = result;
    const { events } = await this.log.load(replayStream(replay_id));
    const view = { ...result, ...timesOf(events) };
    if (!divergence) return view;
    // Where its record cannot be read nothing says whose words they are.
    const job = await recordOrNull(this.log, job_id);
    if (job && (await this.desk.sightOf(job, job_id, ctx, unredacted)) === 'owner') return view;
    return { ...view, divergence: redactedDivergence(divergence), further: further.map(redactedDivergence) };
  }
}

function timesOf(events: readonly LoggedEvent[]): Pick<ReplayView, 'requested_at' | 'ended_at'> {
  const ended = events.findLast(({ type }) => type === 'REPLAY_RESULT');
  return {
    requested_at: events[0]!.data['requested_at'] as string,
    ended_at: ended?.metadata.recorded_at ?? null,
  };
}
