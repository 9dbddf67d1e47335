import type { CommandContext } from '#lib/access';
import {
  DifferentBodyError,
  type EventLog,
  type LoggedEvent,
  type StreamHead,
  VersionConflictError,
} from '#lib/event-store';
import type { Snapshots } from '#lib/governance';
import { canonicalize, MaceError, replaySeed, sha256Hex, type DomainEvent, type JsonObject } from '#lib/kernel';

import { auditJob, type AuditFinding } from './audit.js';
import { type ReplayMode, type ReplayResult, replayStream } from './domain/replay.events.js';

type ReplayRequest = Pick<ReplayResult, 'replay_id' | 'job_id' | 'mode'>;

/** Replays as recorded facts: each request and its result are events of `replay-{replay_id}`. */
export class Replays {
  constructor(
    private readonly log: EventLog,
    private readonly snapshots: Snapshots,
  ) {}

  /**
   * Records the request, replays, records the result and gives it.
   * @throws MaceError with `meta.replay_id` where the replay is refused: INTEGRITY_FAILURE, MISSING_SNAPSHOT
   */
  async request(jobId: string, mode: ReplayMode, ctx: CommandContext): Promise<ReplayResult> {
    if (mode !== 'audit') throw new MaceError('INVALID_INPUT', `mode: this release replays in mode audit, not ${mode}`);
    const replay_id = `rp-${sha256Hex(`${ctx.seed}:replay`).slice(0, 32)}`;
    const known = await this.find(replay_id);
    if (known.events.length > 0 && known.events[0]!.metadata.request_digest !== ctx.requestDigest) {
      throw new MaceError('IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key: seen before with another body');
    }
    const last = resultIn(known.events);
    if (last && last.verdict !== null) return last;
    // Refused before, or cut short by a crash: decided anew.
    return this.decide({ replay_id, job_id: jobId, mode }, known.head, last, ctx);
  }

  /** @throws MaceError NOT_FOUND, CONFLICT while it runs */
  async read(replayId: string): Promise<ReplayResult> {
    const { events } = await this.find(replayId);
    if (events.length === 0) throw new MaceError('NOT_FOUND', `no replay ${replayId}`);
    const result = resultIn(events);
    if (!result) throw new MaceError('CONFLICT', `replay ${replayId} still runs`);
    return result;
  }

  private find(replayId: string) {
    return this.log.load(replayStream(replayId), { personal: 'plain' });
  }

  private async decide(
    request: ReplayRequest,
    head: StreamHead,
    last: ReplayResult | null,
    ctx: CommandContext,
  ): Promise<ReplayResult> {
    const { replay_id, job_id } = request;
    const asked = { ...request, actor_id: ctx.principal.id };
    const begun = head.version > 0 ? head : await this.record(head, { type: 'REPLAY_REQUEST', data: asked }, ctx);
    let unknown: MaceError | undefined;
    const finding = await auditJob(this.log, this.snapshots, job_id).catch((error: unknown) => {
      if (!(error instanceof MaceError)) throw error;
      unknown = error;
      return refusedFinding(error);
    });
    for (const fault of finding.corrupt ?? []) await this.snapshots.halts.halt(fault);
    const result = { ...request, ...resultOf(finding) };
    if (!last || canonicalize(last) !== canonicalize(result)) {
      const data = { ...result, user_id: finding.user_id } as unknown as JsonObject;
      await this.record(begun, { type: 'REPLAY_RESULT', data }, ctx);
    }
    if (unknown) throw unknown;
    if (result.verdict !== null || result.error_code === null) return result;
    const failed = result.steps.find((step) => step.verdict === 'failed');
    throw new MaceError(result.error_code, failed?.detail ?? 'the replay was refused', { replay_id });
  }

  /** Events of a replay are numbered as they stand in its stream. */
  private async record(head: StreamHead, event: DomainEvent, ctx: CommandContext): Promise<StreamHead> {
    const replayId = event.data['replay_id'] as string;
    try {
      const { head: after } = await this.log.append(head, [event], {
        jobSeed: replaySeed(replayId),
        sequenceIndex: head.version,
        actor: ctx.actor,
        traceId: ctx.traceId,
        ...(head.version === 0 ? { requestDigest: ctx.requestDigest } : {}),
      });
      return after;
    } catch (error) {
      if (!(error instanceof VersionConflictError || error instanceof DifferentBodyError)) throw error;
      throw new MaceError('CONFLICT', `replay ${replayId} is under way`, { replay_id: replayId });
    }
  }
}

/** The newest result that a replay's events hold. */
function resultIn(events: readonly LoggedEvent[]): ReplayResult | null {
  const recorded = events.findLast((event) => event.type === 'REPLAY_RESULT');
  if (!recorded) return null;
  const { user_id: _, ...view } = recorded.data;
  return view as unknown as ReplayResult;
}

function resultOf({ verdict, steps, divergence, error_code }: AuditFinding) {
  return { verdict, authoritative: verdict !== null, steps, divergence, error_code };
}

function refusedFinding(error: MaceError): AuditFinding {
  return { verdict: null, steps: [], divergence: null, error_code: error.code, user_id: null };
}
