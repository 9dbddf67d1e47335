import { type EventLog, type LoggedEvent } from '#lib/event-store';
import { GENESIS_HASH, MaceError, sha256Hex } from '#lib/kernel';

import type { BrainStateSnapshots } from './brainstate-snapshots.js';
import { bodyOf } from './brainstate-view.js';
import { type BrainState, initialBrainState } from './domain/brainstate.js';
import { brainstateStream, type BrainStateTick } from './domain/brainstate.events.js';
import type { Goal } from './domain/goals.js';

/** A BrainState in figures after a tick; what it holds in mind is not in it. */
export interface TickView {
  /** 0 as its snapshot has it, before any event. */
  readonly tick: number;
  readonly attention: BrainState['attention'];
  readonly resource_budget: BrainState['resource_budget'];
  readonly goals: readonly Pick<Goal, 'goal_id' | 'type' | 'status' | 'priority' | 'attempts'>[];
  readonly recent_failures: number;
  /** Of BRAINSTATE_TICK; null before any. */
  readonly event_id: string | null;
  readonly position: string | null;
  /** Null before any event, and where release 0.1 recorded it, whose events say no time. */
  readonly recorded_at: string | null;
}

export interface TickPage {
  /** The one that it began with. */
  readonly brainstate_snapshot_id: string;
  /** Oldest first; fewer than the limit, also none, where other events lie between them. */
  readonly items: readonly TickView[];
  readonly next_cursor: string | null;
}

const JOB_ID = /^job:[0-9a-f]{32}$/;
const CURSOR = /^(?:0|[1-9]\d{0,8})$/;
/** Events that are looked at for one page. */
const PAGE = 500;

/** How BrainStates went on from tick to tick, read from their streams. */
export class BrainStateTicks {
  constructor(
    private readonly log: EventLog,
    private readonly snapshots: Pick<BrainStateSnapshots, 'load'>,
  ) {}

  /**
   * @param id of a snapshot, or of a job: those of the job then, from the snapshot on that it pinned
   * @throws MaceError NOT_FOUND, INVALID_INPUT for a cursor that no such list gave; IntegrityError
   */
  async page(id: string, limit: number, cursor: string | undefined): Promise<TickPage> {
    if (cursor !== undefined && !CURSOR.test(cursor))
      throw new MaceError('INVALID_INPUT', 'query.cursor: next_cursor of the page before');
    const isJob = JOB_ID.test(id);
    const snapshot = await this.snapshots.load(isJob ? await this.pinnedBy(id) : id);
    const items: TickView[] = [];
    if (cursor === undefined) items.push(viewOf(initialBrainState(bodyOf(snapshot)), null));
    const stream = isJob ? `job-${id}` : brainstateStream(id);
    const from = Number(cursor ?? 0);
    const first = Math.max(0, from - 1);
    const { events, version } = await this.log.slice(stream, first, PAGE + 1);
    let before = first < from ? sha256Hex(events[0]?.text ?? '') : GENESIS_HASH;
    let next = from;
    for (const recorded of events.slice(from - first)) {
      if (items.length === limit) break;
      const { event, hash } = this.log.codec.open(recorded, before);
      if (event.type === 'BRAINSTATE_TICK') items.push(viewOf(event.data as unknown as BrainStateTick, event));
      before = hash;
      next++;
    }
    return {
      brainstate_snapshot_id: snapshot.snapshot_id,
      items,
      next_cursor: next < version ? String(next) : null,
    };
  }

  private async pinnedBy(jobId: string): Promise<string> {
    const { events } = await this.log.slice(`job-${jobId}`, 0, 2);
    const [accepted, pinned] = events;
    if (!accepted || !pinned) throw new MaceError('NOT_FOUND', `no job ${jobId.slice(0, 80)} that has begun`);
    const { data } = this.log.codec.open(pinned, sha256Hex(accepted.text)).event;
    return (data['snapshots'] as Readonly<Record<string, string>>)['brainstate'] ?? '';
  }
}

function viewOf(
  { tick, attention, resource_budget, goals = [], recent_failures = [] }: BrainState,
  event: LoggedEvent | null,
): TickView {
  return {
    tick,
    attention,
    resource_budget,
    goals: goals.map(({ goal_id, type, status, priority, attempts }) => ({
      goal_id,
      type,
      status,
      priority,
      attempts,
    })),
    recent_failures: recent_failures.length,
    event_id: event?.metadata.event_id ?? null,
    position: event?.position ?? null,
    recorded_at: event?.metadata.recorded_at ?? null,
  };
}
