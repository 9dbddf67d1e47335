import type { CommandContext } from '#lib/access';
import {
  DifferentBodyError,
  type EventLog,
  isErased,
  type LoggedEvent,
  type StreamHead,
  VersionConflictError,
} from '#lib/event-store';
import { canonicalize, InHandError, replaySeed, type DomainEvent, type Json, type JsonObject } from '#lib/kernel';

import { type ReplayMode, type ReplayResult, replayStream } from './domain/replay.events.js';
import type { Divergence } from './domain/divergence.js';
import { MAX_DIVERGENCES } from './domain/replay.events.js';
import type { ReplayFinding } from './replay-job.js';

/** What was asked for, as REPLAY_REQUEST says it. */
export interface AskedReplay {
  readonly replay_id: string;
  readonly job_id: string;
  readonly mode: ReplayMode;
  readonly mocked: readonly string[];
}

/** The streams `replay-{replay_id}`: read and appended to, never changed. */
export class ReplayRecords {
  constructor(private readonly log: EventLog) {}

  load(replayId: string): Promise<{ head: StreamHead; events: LoggedEvent[] }> {
    return this.log.load(replayStream(replayId), { personal: 'plain' });
  }

  /** Events of a replay are numbered as they stand in its stream. @throws MaceError CONFLICT where another was first */
  async append(
    head: StreamHead,
    replayId: string,
    events: readonly DomainEvent[],
    ctx: CommandContext,
  ): Promise<StreamHead> {
    try {
      const { head: after } = await this.log.append(head, events, {
        jobSeed: replaySeed(replayId),
        sequenceIndex: head.version,
        actor: ctx.actor,
        traceId: ctx.traceId,
        ...(head.version === 0 ? { requestDigest: ctx.requestDigest } : {}),
      });
      return after;
    } catch (error) {
      if (!(error instanceof VersionConflictError || error instanceof DifferentBodyError)) throw error;
      throw new InHandError(`replay ${replayId} is under way`, { replay_id: replayId });
    }
  }
}

/** The newest result that a replay's events hold; null before one. */
export function resultIn(events: readonly LoggedEvent[]): ReplayResult | null {
  const recorded = events.findLast(({ type }) => type === 'REPLAY_RESULT');
  if (!recorded) return null;
  const { user_id: _, further, ...result } = recorded.data;
  const stopped = result['verdict'] === 'MISMATCH' ? divergenceIn(events)?.data['divergence'] : null;
  return {
    ...result,
    divergence: readable(stopped ?? null, null),
    further: readable(further ?? [], []),
  } as unknown as ReplayResult;
}

/** The difference at which a replay stopped last. */
export function divergenceIn(events: readonly LoggedEvent[]): LoggedEvent | undefined {
  return events.findLast(({ type }) => type === 'REPLAY_DIVERGENCE');
}

/** What was said of a person's job goes with the person. */
function readable(value: Json, otherwise: Json): Json {
  return isErased(value) ? otherwise : value;
}

/** The result of a finding. @param forcedBy the approved request under which it went on */
export function resultOf(asked: AskedReplay, finding: ReplayFinding, forcedBy: string | null): ReplayResult {
  const { verdict, steps, divergences, error_code } = finding;
  return {
    ...asked,
    verdict,
    authoritative: verdict !== null && asked.mocked.length === 0 && forcedBy === null && !steps.some(isUnchecked),
    steps,
    divergence: divergences[0] ?? null,
    further: divergences.slice(1, MAX_DIVERGENCES),
    divergences_total: divergences.length,
    forced_by: forcedBy,
    error_code,
  };
}

/** Of a result with such a step nothing is proven. */
export const isUnchecked = ({ verdict }: ReplayResult['steps'][number]): boolean => verdict === 'unchecked';

/** What is appended of a finding: why it stopped, where it did, and the result. */
export function eventsOf(result: ReplayResult, { user_id, timeout }: ReplayFinding): readonly DomainEvent[] {
  const { divergence, ...rest } = result;
  const { replay_id, job_id, forced_by } = result;
  const events: DomainEvent[] = [];
  if (timeout) events.push({ type: 'REPLAY_TIMEOUT', data: { replay_id, job_id, ...timeout } });
  if (divergence && forced_by === null) events.push(divergenceEvent(result, divergence, user_id));
  return [...events, { type: 'REPLAY_RESULT', data: { ...rest, user_id } as unknown as JsonObject }];
}

function divergenceEvent(
  { replay_id, job_id }: ReplayResult,
  divergence: Divergence,
  user_id: string | null,
): DomainEvent {
  const { error_code, stream, event_number, event_type } = divergence;
  const plain = { replay_id, job_id, user_id, error_code, stream, event_number, event_type };
  return { type: 'REPLAY_DIVERGENCE', data: { ...plain, divergence: divergence as unknown as Json } };
}

/** Whether two results say the same; what their steps took is no part of it. */
export function sameResult(a: ReplayResult, b: ReplayResult): boolean {
  return canonicalize(withoutCosts(a)) === canonicalize(withoutCosts(b));
}

function withoutCosts(result: ReplayResult): unknown {
  return { ...result, steps: result.steps.map(({ cost_us: _, ...step }) => step) };
}
