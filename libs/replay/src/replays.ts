import { type CommandContext, hasRole } from '#lib/access';
import { EventLog, IntegrityError, isErased, type LoggedEvent, type StreamHead } from '#lib/event-store';
import type { Snapshots, StandingHalt } from '#lib/governance';
import {
  type DomainEvent,
  InHandError,
  type JsonObject,
  MaceError,
  refuseOtherBody,
  replayId,
  requireMatch,
  sameCanonical,
} from '#lib/kernel';
import type { ReflectiveLogs } from '#lib/jobs';
import { traced } from '#lib/tracing';

import type { Divergence } from './domain/divergence.js';
import type { ForceContinue, ReplayMode, ReplayResult } from './domain/replay.events.js';
import { ProductionReplay } from './production.js';
import type { ReplayApprovals } from './replay-approvals.js';
import type { ReplayClock } from './replay-clock.js';
import { isHalted, replayJob, type ReplayFinding, type ReplaySources } from './replay-job.js';
import {
  type AskedReplay,
  divergenceIn,
  eventsOf,
  ReplayRecords,
  resultIn,
  resultOf,
  sameResult,
} from './replay-records.js';
import type { Mock, Reexecution } from './reexecution.js';
import type { BroughtReviews } from './review-requests.js';
import { OTHER_RECORD, type SignedTree } from './signed-tree.js';

/** What somebody wants replayed. */
export interface ReplayOrder {
  readonly job_id: string;
  readonly mode: ReplayMode;
  /** What language engines are to have said, by agent; the result is then no proof. */
  readonly mocks?: readonly Mock[];
  /** For a production replay by an operator: the request that the council approved. */
  readonly approval_id?: string;
}

/** A replay with the revision of its newest event: its ETag. */
export interface FoundReplay {
  readonly result: ReplayResult;
  readonly revision: number;
}

/** Replays as recorded facts: each request and its result are events of `replay-{replay_id}`. */
export class Replays {
  readonly production: ProductionReplay;
  private readonly records: ReplayRecords;
  private readonly sources: ReplaySources;

  constructor(
    log: EventLog,
    private readonly snapshots: Snapshots,
    private readonly reexecution: Reexecution,
    private readonly approvals: ReplayApprovals,
    private readonly clock: ReplayClock,
    tree: SignedTree,
    reviews: BroughtReviews,
    private readonly logs: Pick<ReflectiveLogs, 'quarantineIfTampered'>,
  ) {
    // Whether a key might sign what it signed is a step of each replay, told by the event's place.
    this.sources = { log: new EventLog(log.store, log.codec), snapshots, tree, reviews };
    this.production = new ProductionReplay(this.sources);
    this.records = new ReplayRecords(log);
  }

  /**
   * Records the request, replays, records the result and gives it.
   * @throws MaceError with `meta.replay_id` where the replay is refused: INTEGRITY_FAILURE, MISSING_SNAPSHOT,
   * MISSING_PERSISTED_AGENT_OUTPUT, REPLAY_TIMEOUT; PERMISSION_DENIED for a production replay that is not allowed
   */
  async request(order: ReplayOrder, ctx: CommandContext): Promise<ReplayResult> {
    assertMocks(order);
    const { job_id, mode, mocks = [], approval_id } = order;
    const replay_id = replayId(ctx.seed);
    const known = await this.records.load(replay_id);
    if (known.events[0]) refuseOtherBody(known.events[0].metadata.request_digest, ctx);
    const last = resultIn(known.events);
    if (last && last.verdict !== null) return last;
    // Refused before, or cut short by a crash: decided anew.
    const mocked = [...new Set(mocks.map(({ agent_id }) => agent_id))].sort();
    const asked: AskedReplay = { replay_id, job_id, mode, mocked };
    const head = known.head.version > 0 ? known.head : await this.begin(known.head, asked, approval_id, ctx);
    const finding = await this.findingOf(async () => {
      await this.permit(order, replay_id, ctx);
      return this.run(asked, mocks, false);
    });
    return this.conclude(asked, head, { finding, last, forcedBy: null }, ctx);
  }

  /**
   * Goes on past the difference at which a replay stopped, to the end, under the recorded approval of an admin and the
   * council; what comes of it is no proof.
   * @throws MaceError FORCE_CONTINUE_REQUIRED, NOT_FOUND, CONFLICT where it did not stop at a difference,
   * PRECONDITION_FAILED: what comes of it is appended at the revision that was compared
   */
  async forceContinue(replayId: string, ctx: CommandContext): Promise<ReplayResult> {
    const { events, head } = await this.records.load(replayId);
    const last = this.resultOf(replayId, events);
    if (last.forced_by !== null && last.verdict !== null) return last;
    const stopped = divergenceIn(events);
    if (!stopped) throw new MaceError('CONFLICT', `replay ${replayId} stopped at no difference`);
    if (last.mocked.length > 0) {
      throw new MaceError(
        'CONFLICT',
        `replay ${replayId} ran on mocks, which are not kept: there is nothing to go on with`,
      );
    }
    requireMatch(ctx, head.version - 1);
    const { job_id, mode, mocked } = last;
    const begun = forcedSince(stopped, events);
    const approval = begun ?? (await this.approvals.toContinue(stoppedAt(last, stopped, events), ctx));
    const asked = { replay_id: replayId, job_id, mode, mocked };
    const finding = await this.findingOf(() => this.run(asked, [], true));
    const [first] = finding.divergences;
    if (finding.verdict !== null && !(first && isOf(stopped, first))) return this.stopAnew(asked, head, last, ctx);
    const before = begun ? [] : [forceEvent(last, stopped, events, approval, ctx)];
    return this.conclude(asked, head, { finding, last, forcedBy: approval.action_request_id, before }, ctx);
  }

  /**
   * The record is no longer what the council saw: what a replay comes to now is recorded, and nothing goes on past it.
   * @throws MaceError FORCE_CONTINUE_REQUIRED for the difference of now, CONFLICT where there is none any more
   */
  private async stopAnew(
    asked: AskedReplay,
    head: StreamHead,
    last: ReplayResult,
    ctx: CommandContext,
  ): Promise<never> {
    const { replay_id } = asked;
    const finding = await this.findingOf(() => this.run(asked, [], false));
    const gone = new MaceError(
      'CONFLICT',
      `replay ${replay_id} stops at no difference any more: the record is another one now; request a replay of it`,
      { replay_id },
    );
    if (finding.verdict !== null && finding.divergences.length === 0) throw gone;
    await this.conclude(asked, head, { finding, last, forcedBy: null }, ctx);
    const { events } = await this.records.load(replay_id);
    const stopped = divergenceIn(events);
    if (!stopped) throw gone;
    await this.approvals.toContinue(stoppedAt(last, stopped, events), ctx);
    throw new InHandError(`replay ${replay_id} is under way`, { replay_id });
  }

  /** An audit replay of which nothing is recorded. @throws MaceError NOT_FOUND, CONFLICT for a job that still runs */
  audit(jobId: string): Promise<ReplayFinding> {
    return this.run({ job_id: jobId, mode: 'audit' }, [], false);
  }

  /** @throws MaceError NOT_FOUND, CONFLICT while it runs */
  async read(replayId: string): Promise<FoundReplay> {
    const { events, head } = await this.records.load(replayId);
    return { result: this.resultOf(replayId, events), revision: head.version - 1 };
  }

  private resultOf(replayId: string, events: readonly LoggedEvent[]): ReplayResult {
    if (events.length === 0) throw new MaceError('NOT_FOUND', `no replay ${replayId}`);
    const result = resultIn(events);
    if (!result) throw new InHandError(`replay ${replayId} still runs`, { replay_id: replayId });
    return result;
  }

  /** @throws MaceError PERMISSION_DENIED with `meta.replay_id`: the request and its refusal are on record */
  private async permit(
    { mode, job_id, approval_id }: ReplayOrder,
    replay_id: string,
    ctx: CommandContext,
  ): Promise<void> {
    const { principal } = ctx;
    if (mode !== 'production' || hasRole(principal, 'auditor') || hasRole(principal, 'admin')) return;
    await this.approvals.forProduction({ id: approval_id, job_id, replay_id }, principal.id);
  }

  private begin(
    head: StreamHead,
    asked: AskedReplay,
    approval_id: string | undefined,
    ctx: CommandContext,
  ): Promise<StreamHead> {
    const requested_at = new Date(ctx.now).toISOString();
    const approved = approval_id === undefined ? {} : { approval_id };
    const data = { ...asked, ...approved, actor_id: ctx.principal.id, requested_at } as unknown as JsonObject;
    return this.records.append(head, asked.replay_id, [{ type: 'REPLAY_REQUEST', data }], ctx);
  }

  /** @returns the result that the same request, made at the same time, came to first; null where this one is recorded */
  private async recordOnce(
    head: StreamHead,
    result: ReplayResult,
    events: readonly DomainEvent[],
    ctx: CommandContext,
  ): Promise<ReplayResult | null> {
    try {
      await this.records.append(head, result.replay_id, events, ctx);
      return null;
    } catch (error) {
      if (!(error instanceof MaceError && error.code === 'CONFLICT')) throw error;
      const first = resultIn((await this.records.load(result.replay_id)).events);
      if (first && sameResult(first, result)) return first;
      throw error;
    }
  }

  private run(
    asked: Pick<AskedReplay, 'mode' | 'job_id'>,
    mocks: readonly Mock[],
    onward: boolean,
  ): Promise<ReplayFinding> {
    const attributes = { 'mace.replay.mode': asked.mode, 'mace.job.id': asked.job_id };
    return traced(
      () => ({ name: `replay ${asked.mode}`, attributes }),
      async (span) => {
        const finding = await this.find(asked, mocks, onward);
        span.set({ 'mace.replay.verdict': finding.verdict ?? 'refused' });
        return finding;
      },
    );
  }

  private find(
    { mode, job_id }: Pick<AskedReplay, 'mode' | 'job_id'>,
    mocks: readonly Mock[],
    onward: boolean,
  ): Promise<ReplayFinding> {
    const clock = (): number => this.clock.now();
    if (mode === 'production') return this.production.run(job_id, { clock, onward });
    const { sources } = this;
    if (mode === 'audit' && mocks.length === 0) return replayJob(sources, job_id, { clock, onward });
    return this.reexecution.during({ mocks, all: mode === 'reexecute' }, (effects) =>
      replayJob(sources, job_id, { clock, onward, effects }),
    );
  }

  private async conclude(
    asked: AskedReplay,
    head: StreamHead,
    how: Conclusion,
    ctx: CommandContext,
  ): Promise<ReplayResult> {
    const { replay_id } = asked;
    const { finding, last, forcedBy, before = [] } = how;
    const about = { ...(await this.haltAll(finding)), ...finding.about };
    await this.quarantineIfTampered(asked.job_id, finding, ctx);
    const result = resultOf(asked, finding, forcedBy);
    if (!last || !sameResult(last, result)) {
      const first = await this.recordOnce(head, result, [...before, ...eventsOf(result, finding)], ctx);
      if (first) return first;
    }
    if (finding.unknown) throw finding.unknown;
    if (result.verdict !== null || finding.error_code === null) return result;
    const failed = result.steps.find((step) => step.verdict === 'failed');
    throw new MaceError(finding.error_code, failed?.detail ?? 'the replay was refused', { ...about, replay_id });
  }

  /** Halts what is stored otherwise than it was signed. @returns the first of it, and why it is halted */
  private async haltAll({ corrupt = [] }: ReplayFinding): Promise<JsonObject> {
    const halts: (StandingHalt | null)[] = [];
    for (const fault of corrupt) halts.push(await this.snapshots.halts.halt(fault));
    const first = halts.find((halt) => halt !== null);
    if (!first) return corrupt[0] ? { snapshot_id: corrupt[0].snapshot_id } : {};
    const { snapshot_id, cause_event_id, cause_type } = first;
    return { snapshot_id, cause_event_id, cause_type };
  }

  /** A halted snapshot says nothing of the job's own record. */
  private async quarantineIfTampered(jobId: string, finding: ReplayFinding, ctx: CommandContext): Promise<void> {
    const isTampered = finding.error_code === 'INTEGRITY_FAILURE' || finding.tampered === true;
    if (!isTampered || finding.corrupt || isHalted(finding)) return;
    const unlike = finding.steps.find(({ detail }) => detail === OTHER_RECORD);
    try {
      await this.logs.quarantineIfTampered(jobId, unlike?.detail ?? null, ctx);
    } catch (error) {
      // Where what stands beside a log does not verify, nothing can be put there, and nothing of the log is read.
      if (!(error instanceof IntegrityError)) throw error;
    }
  }

  /** A request that is not allowed, or a job that cannot be replayed for what it is, is a finding too. */
  private async findingOf(run: () => Promise<ReplayFinding>): Promise<Found> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof MaceError)) throw error;
      const { code: error_code } = error;
      return { verdict: null, steps: [], divergences: [], error_code, user_id: null, unknown: error };
    }
  }
}

/** @throws MaceError INVALID_INPUT */
function assertMocks({ mode, mocks = [] }: ReplayOrder): void {
  if (new Set(mocks.map(({ agent_id }) => agent_id)).size < mocks.length) {
    throw new MaceError('INVALID_INPUT', 'mocks: one for each agent; one agent_id is there twice');
  }
  if (mode === 'production' && mocks.length > 0)
    throw new MaceError('INVALID_INPUT', 'mocks: a production replay takes none');
}

interface Found extends ReplayFinding {
  readonly unknown?: MaceError;
}

interface Conclusion {
  readonly finding: Found;
  readonly last: ReplayResult | null;
  readonly forcedBy: string | null;
  /** Appended before what was found. */
  readonly before?: readonly DomainEvent[];
}

/** Under which approval it went on past a difference already; what came of it may have been refused, and is decided anew. */
function forcedSince({ revision }: LoggedEvent, events: readonly LoggedEvent[]): ForceContinue | undefined {
  const forced = events.findLast(({ type }) => type === 'FORCE_CONTINUE');
  return forced && forced.revision > revision ? (forced.data as unknown as ForceContinue) : undefined;
}

/** Whether this is the difference that is on record; of one whose person was erased, whether it is at its place. */
function isOf({ data }: LoggedEvent, found: Divergence): boolean {
  const { divergence, error_code, stream, event_number, event_type } = data;
  if (!isErased(divergence)) return sameCanonical(divergence, found);
  const { error_code: code, stream: at, event_number: number, event_type: type } = found;
  return sameCanonical([error_code, stream, event_number, event_type], [code, at, number, type]);
}

function stoppedAt({ replay_id, job_id }: ReplayResult, stopped: LoggedEvent, events: readonly LoggedEvent[]) {
  const { event_number, event_type } = stopped.data as { event_number: number; event_type: string };
  const divergence_event_id = stopped.metadata.event_id;
  return {
    replay_id,
    job_id,
    event_number,
    event_type,
    divergence_event_id,
    divergence_digest: digestOf(stopped, events),
  };
}

/** sha256 of the event as stored, which the one after it names: its result is appended with it. */
function digestOf({ revision }: LoggedEvent, events: readonly LoggedEvent[]): string {
  return events[revision + 1]!.metadata.prev_hash;
}

function forceEvent(
  { replay_id, job_id }: ReplayResult,
  stopped: LoggedEvent,
  events: readonly LoggedEvent[],
  approval: Pick<ForceContinue, 'action_request_id' | 'proposal_digest' | 'approvals' | 'approved_at'>,
  { principal }: CommandContext,
) {
  const { action_request_id, proposal_digest, approvals, approved_at } = approval;
  const data: ForceContinue = {
    replay_id,
    job_id,
    actor_id: principal.id,
    action_request_id,
    divergence_digest: digestOf(stopped, events),
    proposal_digest,
    approvals,
    approved_at,
  };
  return { type: 'FORCE_CONTINUE', data: data as unknown as JsonObject };
}
