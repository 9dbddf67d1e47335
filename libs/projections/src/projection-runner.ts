import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, StoreUnavailableError } from '#lib/event-store';
import { type JsonObject, MaceError } from '#lib/kernel';
import { ReadStoreDefinitionError, type ReadStore } from '#lib/read-store';
import { FencedError, PoisonEventError } from './errors.js';
import { Follower } from './follower.js';
import { type GenerationWriter } from './generation-writer.js';
import { comparePositions } from './positions.js';
import { type LeaseOptions } from './lease.js';
import { liveGeneration } from './ownership.js';
import { type Decode, type Projection } from './projection.js';
import { ProjectionOwner } from './projection-owner.js';
import { type ProjectionRecord } from './projection-record.js';
import {
  haltedState,
  haltReason,
  type PoisonReport,
  poisonReport,
  type ProjectionError,
  type ProjectionState,
  type RunnerStatus,
} from './status.js';
import { Waiters } from './waiters.js';

export interface RunnerOptions {
  readonly events: EventStore;
  readonly documents: ReadStore;
  readonly decode: Decode;
  /** What was decided about rebuilds and swaps; without it there are none. */
  readonly record?: Pick<ProjectionRecord, 'of' | 'ended'>;
  /** Where other processes may own the projection too; without it whoever starts last takes it over at once. */
  readonly lease?: LeaseOptions;
  /** Told of each failed attempt at a rebuild, which is made again. */
  readonly onRebuildFault?: (projection: string, error: unknown) => void;
  /** A batch is written once it holds so many events (default 1000), or there is nothing more to read. */
  readonly maxBatchEvents?: number;
  /** Or so many characters of stored text; default 4 Mi. */
  readonly maxBatchCharacters?: number;
  /** How long a checkpoint may stay behind over events that do not concern the projection while nobody waits; 1000. */
  readonly idleCheckpointMs?: number;
  /** Pause after the first fault in a row, doubled with each further one up to `maxRetryMs`; 100 and 5000. */
  readonly firstRetryMs?: number;
  readonly maxRetryMs?: number;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
  /** Told of each change of state or kind of error, once. */
  readonly onChange?: (projection: string, status: RunnerStatus) => void;
}

const STANDBY_POLL_MS = 20;

type Settings = RunnerOptions & typeof DEFAULTS;

const DEFAULTS = {
  maxBatchEvents: 1000,
  maxBatchCharacters: 4 * 1024 * 1024,
  idleCheckpointMs: 1000,
  firstRetryMs: 100,
  maxRetryMs: 5000,
  now: Date.now,
};

/**
 * Keeps one projection's live generation up with the events. A fault of a store is tried again from the checkpoint; a
 * poison event halts, and stays halted after a restart; a newer owner ends it.
 */
export class ProjectionRunner {
  private readonly settings: Settings;
  private readonly owner: ProjectionOwner;
  private readonly waiters = new Waiters();
  private readonly stopping = new AbortController();
  private current: RunnerStatus = { state: 'starting', position: null };
  private running: Promise<void> | undefined;
  private follower: Follower | undefined;
  /** Ends the attempt under way, so that the next one looks at what was decided. */
  private interruption = new AbortController();
  private faults = 0;
  private wake: (() => void) | undefined;
  private isResumed = false;

  constructor(
    readonly projection: Projection,
    options: RunnerOptions,
  ) {
    this.settings = { ...DEFAULTS, ...options };
    this.owner = new ProjectionOwner(projection, this.settings, this.stopping.signal, {
      onStandby: () => this.enter('standby'),
      onInterrupt: () => {
        this.interruption.abort();
        this.wake?.();
      },
    });
  }

  get status(): RunnerStatus {
    return this.current;
  }

  /** Begins; the status tells how it goes. Again is no error. */
  start(): void {
    this.running ??= this.run();
  }

  /** Ends with everything that was read written. Again is no error. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake?.();
    await this.running;
    await this.owner.end();
    this.enter('stopped', this.current.error);
  }

  /**
   * Lets a halted projection try its event again.
   * @throws MaceError CONFLICT where it is not halted
   */
  resume(): void {
    if (this.current.state !== 'halted' || !this.wake) {
      throw new MaceError(
        'CONFLICT',
        `projection ${this.projection.name} is ${this.current.state}; only a halted one can be resumed`,
      );
    }
    this.isResumed = true;
    this.wake();
  }

  /**
   * Does what was decided meanwhile: begins or ends a rebuild, or changes the generation. Settles when that is under way;
   * what fails is tried again with everything else.
   */
  lookAgain(): Promise<void> {
    return this.owner.lookAgain();
  }

  /**
   * Settles once the persisted checkpoint is at or beyond `position`.
   * @throws MaceError WAIT_TIMEOUT with the projection's state, after `timeoutMs`, or at once where it halts or stops
   */
  async waitFor(position: string, timeoutMs: number): Promise<void> {
    const { state, position: reached } = this.current;
    if (reached !== null && comparePositions(reached, position) >= 0) return;
    const failure = (): Error => this.waitFailure(position);
    if (state === 'standby') return this.waitForOwner(position, timeoutMs);
    if (state === 'halted' || state === 'stopped') throw failure();
    const waiting = this.waiters.add(position, timeoutMs, failure);
    this.follower?.writeIfWanted();
    await waiting;
  }

  /** Another process moves the checkpoint: it is asked for until it is there. */
  private async waitForOwner(position: string, timeoutMs: number): Promise<void> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      const { documents } = this.settings;
      const checkpoint = await documents.checkpoint(await liveGeneration(documents, this.projection));
      if (this.current.state !== 'standby') return this.waitFor(position, Math.max(0, until - performance.now()));
      if (checkpoint) this.current = { ...this.current, position: checkpoint.position };
      if (checkpoint && comparePositions(checkpoint.position, position) >= 0) return;
      if (performance.now() >= until) throw this.waitFailure(position);
      await sleep(STANDBY_POLL_MS);
    }
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        this.interruption = new AbortController();
        const writer = await this.owner.takeOver();
        this.moved(writer);
        const halt = haltReason(await this.settings.documents.runnerState(writer.generation));
        if (halt) await this.stayHalted(writer, halt);
        else await this.follow(writer);
      } catch (error) {
        if (!(await this.goesOnAfter(error))) return;
      }
    }
  }

  private async stayHalted(writer: GenerationWriter, reason: PoisonReport): Promise<void> {
    const woken = new Promise<void>((resolve) => (this.wake = resolve));
    if (this.stopping.signal.aborted || this.interruption.signal.aborted) this.wake?.();
    this.enter('halted', reason);
    await woken;
    this.wake = undefined;
    if (this.stopping.signal.aborted || !this.isResumed) return;
    this.isResumed = false;
    await writer.keep(null);
    this.enter('catching_up');
  }

  private async follow(writer: GenerationWriter): Promise<void> {
    this.enter('catching_up', this.current.error);
    this.follower = new Follower(this.projection, writer, {
      ...this.settings,
      isWanted: (position) => this.waiters.wants(position),
      onWritten: () => {
        this.moved(writer);
        this.healed(this.current.state);
      },
      onCaughtUp: () => this.healed('live'),
    });
    const signal = AbortSignal.any([this.stopping.signal, this.interruption.signal]);
    try {
      await this.follower.follow(signal);
    } finally {
      this.follower = undefined;
    }
    if (!signal.aborted) throw new StoreUnavailableError('the subscription ended');
  }

  private moved({ checkpoint }: GenerationWriter): void {
    this.current = { ...this.current, position: checkpoint.position };
    this.waiters.reached(checkpoint.position);
  }

  private healed(state: ProjectionState): void {
    this.faults = 0;
    this.enter(state);
  }

  /** False where no further attempt could help. */
  private async goesOnAfter(error: unknown): Promise<boolean> {
    if (this.stopping.signal.aborted) return false;
    const since = new Date(this.settings.now()).toISOString();
    if (error instanceof PoisonEventError) return this.halt(poisonReport(error, since));
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof FencedError && this.settings.lease) {
      await this.owner.lose();
      return true;
    }
    if (error instanceof FencedError || error instanceof ReadStoreDefinitionError) {
      this.enter('stopped', { kind: error instanceof FencedError ? 'fenced' : 'definition', message, since });
      return false;
    }
    await this.pauseAfterFault(message, since);
    return true;
  }

  private async halt(report: PoisonReport): Promise<boolean> {
    try {
      await this.owner.pen?.recover();
      await this.owner.pen?.keep(haltedState(report));
      return true;
    } catch (error) {
      // Not kept: the next attempt meets the event again.
      return this.goesOnAfter(error);
    }
  }

  private async pauseAfterFault(message: string, now: string): Promise<void> {
    const { firstRetryMs, maxRetryMs } = this.settings;
    const { state, error } = this.current;
    const pause = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(this.faults, 20));
    this.faults++;
    this.enter(state, {
      kind: 'fault',
      message,
      attempts: this.faults,
      since: error?.kind === 'fault' ? error.since : now,
    });
    // The only way in which this sleep fails is the stop.
    await sleep(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private enter(state: ProjectionState, error?: ProjectionError): void {
    const before = this.current;
    this.current = { state, position: before.position, ...(error ? { error } : {}) };
    if (before.state !== state || before.error?.kind !== error?.kind) {
      this.settings.onChange?.(this.projection.name, this.current);
    }
    if (state === 'stopped' || state === 'halted') this.waiters.fail((position) => this.waitFailure(position));
  }

  private waitFailure(position: string): MaceError {
    const { state, position: reached, error } = this.current;
    const { name } = this.projection;
    const why = error ? `: ${error.message}` : '';
    const meta: JsonObject = { projection: name, state, position: reached, ...(error ? { error: { ...error } } : {}) };
    return new MaceError(
      'WAIT_TIMEOUT',
      `projection ${name} is ${state} at position ${reached ?? 'none'}, not yet at ${position}${why}`,
      meta,
    );
  }
}
