import {
  DifferentBodyError,
  DuplicateEventError,
  emptyHead,
  type EventLog,
  type StreamHead,
  VersionConflictError,
} from '#lib/event-store';
import { type Actor, type AskedBody, eventId, traceId } from '#lib/kernel';

import { jobStream } from './domain/jobs.events.js';
import { decideJob } from './engine/engine.js';
import type { EngineInput } from './engine/input.js';
import type { Effect, EffectResult } from './engine/effects.js';
import { recordedResult } from './engine/recorded-effects.js';
import type { NumberedEvent } from './engine/recorder.js';
import { sameEvent } from './engine/replay-engine.js';

/** Where a job's effects get their results while it runs. */
export interface LiveEffects {
  /** True where what happened so far must be stored before the effect begins. */
  leavesProcess(effect: Effect): boolean;
  /** @param signal aborted when the run is abandoned: nobody looks at the result any more */
  perform(effect: Effect, input: EngineInput, signal: AbortSignal): Promise<EffectResult>;
}

/** What a stream holds of a job that was begun before; empty for a new one. */
export interface JobHistory {
  readonly head: StreamHead;
  /** In plain, without what the codec filled in. */
  readonly events: readonly NumberedEvent[];
}

export interface RunOptions {
  readonly actor: Actor;
  readonly requestDigest?: string;
  readonly earlierDigests?: AskedBody['earlierDigests'];
}

/** The record of an unfinished job is not what this engine would have written: it is closed, not continued. */
export class HistoryDiffersError extends Error {
  constructor(
    readonly jobId: string,
    readonly index: number,
  ) {
    super(`job ${jobId}: event ${index} is not what the engine computes`);
    this.name = 'HistoryDiffersError';
  }
}

/** A crash took what an outside engine said in a job that keeps no outputs: nobody is asked again, and it is closed. */
export class OutputNotKeptError extends Error {
  constructor(
    readonly jobId: string,
    /** event_id of its AGENT_OUTPUT, or of the AGENT_INVOKED of a turn that had begun. */
    readonly eventId: string,
  ) {
    super(`job ${jobId}: what was said in ${eventId} was not kept`);
    this.name = 'OutputNotKeptError';
  }
}

/**
 * Whether a run failed because another wrote first: one of another process, or an earlier one of this whose append came
 * late. The ids of a job follow from its seed alone, so that it shows as a conflict or as ids that are taken.
 */
export function wasOvertaken(error: unknown): boolean {
  return [VersionConflictError, DifferentBodyError, DuplicateEventError].some((type) => error instanceof type);
}

/** The process stops: the run ended where it was, nothing more is recorded for it, and the next start takes it further. */
export class JobAbandonedError extends Error {
  constructor(readonly jobId: string) {
    super(`job ${jobId}: left to the next start`);
    this.name = 'JobAbandonedError';
  }
}

/**
 * One job while it runs: effects are performed and everything is recorded, in as few appends as correctness allows,
 * always before an effect leaves the process, and with the seal.
 */
export class JobRun {
  private readonly buffer: AppendBuffer;
  private readonly abandoning = new AbortController();
  /** Settles with null once the run is abandoned. */
  private readonly left: Promise<null>;
  private leave = (): void => undefined;

  constructor(
    log: EventLog,
    private readonly effects: LiveEffects,
    private readonly input: EngineInput,
    private readonly history: JobHistory,
    options: RunOptions,
  ) {
    this.buffer = new AppendBuffer(log, input, history, options);
    this.left = new Promise((resolve) => (this.leave = () => resolve(null)));
  }

  /** Stores what happened so far: nobody is told that a job was taken before it was. */
  persist(): Promise<void> {
    return this.buffer.flush();
  }

  /** Ends the run where it is: whatever an effect still brings, a closing agent's refusal too, is no result of the job. */
  abandon(): void {
    this.leave();
    this.abandoning.abort();
  }

  /**
   * Runs to the seal.
   * @returns every event of the job in plain
   * @throws what `wasOvertaken` knows where another run of the same job was first, HistoryDiffersError,
   * OutputNotKeptError, JobAbandonedError
   */
  async toSeal(): Promise<readonly NumberedEvent[]> {
    const engine = decideJob(this.input);
    const all: NumberedEvent[] = [];
    let step = engine.next();
    for (;;) {
      for (const event of step.done ? step.value : step.value.events) {
        this.take(event, all.length);
        all.push(event);
      }
      if (step.done) break;
      const { effect } = step.value;
      const recorded = recordedResult(effect, this.history.events, all.length);
      if (recorded === null) this.assertKept(effect, all.length);
      step = engine.next(recorded ?? (await this.perform(effect)));
    }
    await this.buffer.flush();
    return all;
  }

  private async perform(effect: Effect): Promise<EffectResult> {
    this.assertWanted();
    if (this.effects.leavesProcess(effect)) await this.buffer.flush();
    this.assertWanted();
    const { signal } = this.abandoning;
    const result = await Promise.race([this.effects.perform(effect, this.input, signal), this.left]);
    if (result === null || signal.aborted) throw this.abandoned();
    return result;
  }

  /** @param at index of the first event that is not there yet */
  private assertKept(effect: Effect, at: number): void {
    const { events } = this.history;
    const { accepted, jobSeed } = this.input;
    if (accepted.persist_agent_outputs || effect.kind !== 'invoke_agent' || events.length < at) return;
    const output = events[at]?.data['output_hash'] === undefined ? undefined : events[at];
    const lost = output ?? (this.effects.leavesProcess(effect) ? events[at - 1] : undefined);
    if (lost) throw new OutputNotKeptError(accepted.job_id, eventId(jobSeed, lost.sequenceIndex, lost.type));
  }

  private assertWanted(): void {
    if (this.abandoning.signal.aborted) throw this.abandoned();
  }

  private abandoned(): JobAbandonedError {
    return new JobAbandonedError(this.input.accepted.job_id);
  }

  private take(event: NumberedEvent, index: number): void {
    const known = this.history.events[index];
    if (!known) this.buffer.add(event);
    else if (!sameEvent(event, known)) throw new HistoryDiffersError(this.input.accepted.job_id, index);
  }
}

/** Events of one job on their way to its stream. */
class AppendBuffer {
  private readonly events: NumberedEvent[] = [];
  private head: StreamHead;
  private last: NumberedEvent | undefined;
  private tail: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: EventLog,
    private readonly input: EngineInput,
    history: JobHistory,
    private readonly options: RunOptions,
  ) {
    this.head = history.head;
    this.last = history.events.at(-1);
  }

  add(event: NumberedEvent): void {
    this.events.push(event);
  }

  /** Appends what has gathered; flushes follow one another. */
  flush(): Promise<void> {
    this.tail = this.tail.then(() => this.write());
    return this.tail;
  }

  private async write(): Promise<void> {
    const first = this.events[0];
    if (!first) return;
    const events = this.events.splice(0);
    const { jobSeed, accepted } = this.input;
    const { requestDigest } = this.options;
    const { head } = await this.log.append(this.head, events, {
      jobSeed,
      sequenceIndex: first.sequenceIndex,
      actor: this.options.actor,
      jobId: accepted.job_id,
      traceId: traceId(jobSeed),
      ...(this.last ? { causationId: eventId(jobSeed, this.last.sequenceIndex, this.last.type) } : {}),
      ...(this.head.version === 0 && requestDigest !== undefined ? { requestDigest } : {}),
    });
    this.last = events.at(-1);
    this.head = head;
  }
}

export function emptyHistory(jobId: string): JobHistory {
  return { head: emptyHead(jobStream(jobId)), events: [] };
}
