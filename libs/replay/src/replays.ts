import type { CommandContext } from '#lib/access';
import { emptyHead, type EventLog, VersionConflictError } from '#lib/event-store';
import type { Snapshots } from '#lib/governance';
import { MaceError, replaySeed, sha256Hex, type DomainEvent, type JsonObject } from '#lib/kernel';

import { auditJob, type AuditFinding } from './audit.js';
import { type Divergence, type ReplayMode, type ReplayResult, replayStream } from './domain/replay.events.js';

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
    if (known) return this.answered(await this.sameRequest(known, jobId, ctx));
    const request = { replay_id, job_id: jobId, mode, actor_id: ctx.principal.id };
    const head = await this.record(
      replay_id,
      emptyHead(replayStream(replay_id)),
      { type: 'REPLAY_REQUEST', data: request },
      0,
      ctx,
    );
    const finding = await auditJob(this.log, this.snapshots, jobId).catch(async (error: unknown) => {
      if (error instanceof MaceError)
        await this.record(replay_id, head, resultEvent(request, refusedFinding(error)), 1, ctx);
      throw error;
    });
    await this.record(replay_id, head, resultEvent(request, finding), 1, ctx);
    return this.answered({ ...request, ...resultOf(finding) });
  }

  /** @throws MaceError NOT_FOUND, CONFLICT while it runs */
  async read(replayId: string): Promise<ReplayResult> {
    const events = await this.find(replayId);
    if (!events) throw new MaceError('NOT_FOUND', `no replay ${replayId}`);
    return this.resultIn(events, replayId);
  }

  private async find(replayId: string) {
    const { events } = await this.log.load(replayStream(replayId), { personal: 'plain' });
    return events.length === 0 ? null : events;
  }

  private async sameRequest(
    events: NonNullable<Awaited<ReturnType<Replays['find']>>>,
    jobId: string,
    ctx: CommandContext,
  ): Promise<ReplayResult> {
    const first = events[0]!;
    if (first.metadata.request_digest !== ctx.requestDigest) {
      throw new MaceError('IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key: seen before with another body');
    }
    if (events.length > 1) return this.resultIn(events, first.data['replay_id'] as string);
    // A crash ended the first attempt between request and result: what it was asked for is still to be answered.
    const finding = await auditJob(this.log, this.snapshots, jobId);
    const request = first.data as unknown as Parameters<typeof resultEvent>[0];
    const { head } = await this.log.load(first.stream);
    await this.record(request.replay_id, head, resultEvent(request, finding), 1, ctx);
    return { ...request, ...resultOf(finding) };
  }

  private resultIn(
    events: readonly { readonly type: string; readonly data: JsonObject }[],
    replayId: string,
  ): ReplayResult {
    const result = events.find((event) => event.type === 'REPLAY_RESULT');
    if (!result) throw new MaceError('CONFLICT', `replay ${replayId} still runs`);
    const { user_id: _, ...view } = result.data;
    return view as unknown as ReplayResult;
  }

  private answered(result: ReplayResult): ReplayResult {
    const { error_code, replay_id } = result;
    if (result.verdict !== null || error_code === null) return result;
    const failed = result.steps.find((step) => step.verdict === 'failed');
    throw new MaceError(error_code as 'INTEGRITY_FAILURE', failed?.detail ?? 'the replay was refused', { replay_id });
  }

  private async record(
    replayId: string,
    head: Parameters<EventLog['append']>[0],
    event: DomainEvent,
    index: number,
    ctx: CommandContext,
  ) {
    try {
      const { head: after } = await this.log.append(head, [event], {
        jobSeed: replaySeed(replayId),
        sequenceIndex: index,
        actor: ctx.actor,
        traceId: ctx.traceId,
        ...(index === 0 ? { requestDigest: ctx.requestDigest } : {}),
      });
      return after;
    } catch (error) {
      if (!(error instanceof VersionConflictError)) throw error;
      throw new MaceError('CONFLICT', `replay ${replayId} is under way`, { replay_id: replayId });
    }
  }
}

function resultOf(finding: AuditFinding) {
  const { verdict, steps, divergence, error_code } = finding;
  return { verdict, authoritative: verdict !== null, steps, divergence, error_code };
}

function resultEvent(
  request: { readonly replay_id: string; readonly job_id: string; readonly mode: ReplayMode },
  finding: AuditFinding,
): DomainEvent {
  const { replay_id, job_id, mode } = request;
  const data = { replay_id, job_id, mode, ...resultOf(finding), user_id: finding.user_id };
  return { type: 'REPLAY_RESULT', data: data as unknown as JsonObject };
}

function refusedFinding(error: MaceError): AuditFinding {
  const divergence: Divergence | null = null;
  return { verdict: null, steps: [], divergence, error_code: error.code, user_id: null };
}
