import { type CommandContext, provenanceOf } from '#lib/access';
import type { EventLog, Fold, LoggedEvent } from '#lib/event-store';
import { type AskedBody, type DomainEvent, type JsonObject, type Provenance, refuseOtherBody } from '#lib/kernel';

import {
  listedWith,
  SWEEP_PROGRESS,
  SWEEP_REQUEST,
  SWEEP_SUMMARY,
  SWEEPS_STREAM,
  type SweepProgress,
  type SweepRequest,
  type SweepSummary,
  type UnmatchedJob,
} from '../domain/sweep.events.js';

/** A sweep as the log tells it. */
export interface RecordedSweep {
  /** Revision of its request, and of its summary once it has one; what is noted in between counts for nothing. */
  readonly revision: number;
  readonly request: SweepRequest;
  readonly requestDigest: string | undefined;
  /** In whose name and under which seed it was asked for. */
  readonly asked: SweepAsked;
  /** Revision of whatever was recorded of it last. */
  readonly lastRevision: number;
  /** The last that was noted of it while it ran; null where nothing was. */
  readonly progress: SweepProgress | null;
  /** Null while it runs, or where its process ended without a word. */
  readonly summary: SweepSummary | null;
  readonly summaryEventId: string | null;
  /** Jobs that are no match, as the last summary lists them, and what was noted since. */
  readonly listed: readonly UnmatchedJob[];
}

/** Of a sweep's request. */
type SweepAsked = Pick<LoggedEvent['metadata'], 'actor' | 'job_seed' | 'trace_id'>;

/** One that was interrupted is gone on with: its summary is not the last word. */
export function isOver({ summary }: Pick<RecordedSweep, 'summary'>): boolean {
  return summary !== null && summary.state !== 'interrupted';
}

/** Sweeps that can be asked for; the log has the others. */
const KEPT = 500;

const SWEEPS: Fold<readonly RecordedSweep[]> = {
  name: 'replay-sweeps',
  initial: [],
  evolve: (known, event) => {
    if (event.type === SWEEP_REQUEST) return begun(known, event);
    return event.type === SWEEP_PROGRESS ? noted(known, event) : ended(known, event);
  },
};

function begun(known: readonly RecordedSweep[], { data, metadata, revision }: LoggedEvent): readonly RecordedSweep[] {
  const request = data as unknown as SweepRequest;
  const { request_digest: requestDigest, actor, job_seed, trace_id } = metadata;
  const asked = { actor, job_seed, trace_id };
  const nothing = { progress: null, summary: null, summaryEventId: null, listed: [] };
  return [...known, { revision, request, requestDigest, asked, lastRevision: revision, ...nothing }].slice(-KEPT);
}

/** A note behind a summary says that the sweep was gone on with. */
function noted(known: readonly RecordedSweep[], { data, revision }: LoggedEvent): readonly RecordedSweep[] {
  const progress = data as unknown as SweepProgress;
  const now = { progress, lastRevision: revision, summary: null, summaryEventId: null };
  return known.map((one) =>
    one.request.sweep_id === progress.sweep_id
      ? { ...one, ...now, listed: listedWith(one.listed, progress.unmatched) }
      : one,
  );
}

function ended(known: readonly RecordedSweep[], { data, metadata, revision }: LoggedEvent): readonly RecordedSweep[] {
  const summary = data as unknown as SweepSummary;
  const now = {
    revision,
    lastRevision: revision,
    summary,
    summaryEventId: metadata.event_id,
    listed: summary.unmatched,
  };
  return known.map((one) => (one.request.sweep_id === summary.sweep_id ? { ...one, ...now } : one));
}

/** The stream `system-replay-sweeps`. */
export class SweepRecord {
  constructor(private readonly log: EventLog) {}

  /** Oldest first. @throws IntegrityError */
  async all(): Promise<readonly RecordedSweep[]> {
    return (await this.log.fold(SWEEPS_STREAM, SWEEPS)).state;
  }

  /** @throws MaceError IDEMPOTENCY_KEY_REUSED */
  async find(sweepId: string, asked?: AskedBody): Promise<RecordedSweep | undefined> {
    const known = (await this.all()).find(({ request }) => request.sweep_id === sweepId);
    if (known && asked) refuseOtherBody(known.requestDigest, asked);
    return known;
  }

  /** Once a sweep. @returns whether it was begun by this, and not before */
  async begin(request: SweepRequest, ctx: CommandContext): Promise<boolean> {
    const event = { type: SWEEP_REQUEST, data: request as unknown as JsonObject };
    let isThere = false;
    await this.append(event, provenanceOf(ctx), (known) => {
      isThere = known.some((one) => one.request.sweep_id === request.sweep_id);
      return isThere;
    });
    return !isThere;
  }

  /** Until it has ended. @param nth how often it was noted before */
  async note(progress: SweepProgress, nth: number, ctx: CommandContext): Promise<void> {
    const event = { type: SWEEP_PROGRESS, data: progress as unknown as JsonObject };
    await this.append(event, unasked(ctx, 2 + nth), (known) => wasOver(known, progress.sweep_id));
  }

  /** Once a sweep, unless it was interrupted and gone on with. @returns its event_id */
  async end(summary: SweepSummary, ctx: CommandContext): Promise<string> {
    const event = { type: SWEEP_SUMMARY, data: summary as unknown as JsonObject };
    const state = await this.append(event, unasked(ctx, 1), (known) => wasOver(known, summary.sweep_id));
    return state.find((one) => one.request.sweep_id === summary.sweep_id)!.summaryEventId!;
  }

  private async append(
    event: DomainEvent,
    provenance: Provenance,
    isThere: (known: readonly RecordedSweep[]) => boolean,
  ): Promise<readonly RecordedSweep[]> {
    const decide = (known: readonly RecordedSweep[]): readonly DomainEvent[] => (isThere(known) ? [] : [event]);
    return (await this.log.execute({ stream: SWEEPS_STREAM, fold: SWEEPS, provenance, decide })).state;
  }
}

function wasOver(known: readonly RecordedSweep[], sweepId: string): boolean {
  return known.some((one) => one.request.sweep_id === sweepId && isOver(one));
}

/** The events of a sweep are numbered as they come; the first alone has its request's digest. */
function unasked({ seed, actor, traceId }: CommandContext, sequenceIndex: number): Provenance {
  return { jobSeed: seed, sequenceIndex, actor, traceId };
}
