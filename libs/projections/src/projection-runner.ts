import { setTimeout as sleep } from 'node:timers/promises';
import { AsideList, asideMark } from './aside.js';
import { isHaltStanding, isOpen, parkedAt } from './domain/parking.js';
import { type EventStore, StoreUnavailableError } from '#lib/event-store';
import { failure, type JsonObject, type MaceError } from '#lib/kernel';
import { ReadStoreDefinitionError, type ReadStore } from '#lib/read-store';
import { FencedError, PoisonEventError } from './errors.js';
import { Follower } from './follower.js';
import { type GenerationWriter } from './generation-writer.js';
import { comparePositions } from './positions.js';
import { type LeaseOptions } from './lease.js';
import { lookAtOwner, OwnerWatch, type Seen } from './owner-watch.js';
import { type Decode, type Projection } from './projection.js';
import { ProjectionOwner } from './projection-owner.js';
import { type ProjectionRecord } from './projection-record.js';
import {
  type Halt,
  haltIn,
  keptHalt,
  type PoisonReport,
  poisonReport,
  type PersistedStatus,
  type ProjectionError,
  type ProjectionState,
  type RunnerStatus,
} from './status.js';
import { Waiters } from './waiters.js';

export interface RunnerOptions {
  readonly events: EventStore;
  readonly documents: ReadStore;
  readonly decode: Decode;
  /** What was decided about generations and parked events; without it there are no decisions. */
  readonly record?: Pick<ProjectionRecord, 'of' | 'ended' | 'parked'>;
  /** Where other processes may own the projection too; without it whoever starts last takes it over at once. */
  readonly lease?: LeaseOptions;
  /** Other processes keep the projections up: this one only sees how far they are. Default false. */
  readonly isElsewhere?: boolean;
  /** What becomes of an event that cannot be taken: the projection halts at it (default), or goes on without its partition. */
  readonly onPoison?: PoisonPolicy;
  /** How often an event is tried before that; 3. */
  readonly poisonAttempts?: number;
  /** With so many partitions parked it halts all the same: then the program is at fault, not an event. 100. */
  readonly maxParked?: number;
  /** Told of each event that is parked by policy, or again. */
  readonly onParked?: (error: PoisonEventError) => void;
  /** Told of a fault of a rebuild, which is made again. */
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

export type PoisonPolicy = 'halt' | 'park';

type Settings = RunnerOptions & typeof DEFAULTS;

const DEFAULTS = {
  maxBatchEvents: 1000,
  maxBatchCharacters: 4 * 1024 * 1024,
  idleCheckpointMs: 1000,
  firstRetryMs: 100,
  maxRetryMs: 5000,
  onPoison: 'halt' as PoisonPolicy,
  poisonAttempts: 3,
  maxParked: 100,
  now: () => Date.now(),
};

/**
 * Keeps one projection's live generation up with the events. A fault of a store is tried again from the checkpoint, as
 * often as it takes; an event that cannot be taken a few times, then it halts the projection, also over a restart, or is
 * parked with what follows it in its partition. A newer owner ends it.
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
  private refusal: { readonly position: string; readonly attempts: number } | undefined;
  private wake: (() => void) | undefined;
  private readonly watch: OwnerWatch;

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
    this.watch = new OwnerWatch(
      () => lookAtOwner(this.settings.documents, projection),
      (seen) => this.saw(seen),
      () => this.current.state === 'standby' && this.waiters.any,
    );
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
   * Does what was decided meanwhile: begins or ends a rebuild, changes the generation, applies what was parked. Settles
   * when that is under way; what fails is tried again with everything else.
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
    if (state === 'halted' || state === 'stopped') throw failure();
    const waiting = this.waiters.add(position, timeoutMs, failure);
    if (state === 'standby') this.watch.begin();
    else this.follower?.writeIfWanted();
    await waiting;
  }

  /** Another process moves the checkpoint. */
  private saw({ position, status }: Seen): void {
    if (position !== null) {
      this.current = { ...this.current, position };
      this.waiters.reached(position);
    }
    if (status?.state === 'halted') this.waiters.fail((wanted) => this.waitFailure(wanted, status));
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        if (this.settings.isElsewhere) return await this.lookOn();
        this.interruption = new AbortController();
        const writer = await this.owner.takeOver();
        this.moved(writer);
        await this.checkIsOfLog(writer);
        const halt = haltIn(writer.kept);
        if (halt && this.isStanding(halt)) {
          await this.stayHalted(halt.report);
          continue;
        }
        if (halt) await this.leave(writer);
        await this.follow(writer);
      } catch (error) {
        if (!(await this.goesOnAfter(error))) return;
      }
    }
  }

  /** Until the stop. @throws what the store throws */
  private async lookOn(): Promise<void> {
    const { signal } = this.stopping;
    await this.owner.prepare();
    this.enter('standby');
    // Told to stop while it was prepared, it would listen for what has been.
    if (signal.aborted) return;
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }

  /** A log that ends before the checkpoint is a restored one, or a node that is behind. */
  private async checkIsOfLog({ checkpoint }: GenerationWriter): Promise<void> {
    const head = await this.settings.events.head();
    if (comparePositions(checkpoint.position, head) <= 0) return;
    throw new Error(
      `the log ends at ${head}, before the checkpoint ${checkpoint.position}; where it was restored, start again`,
    );
  }

  private isStanding({ report: { position }, replays }: Halt): boolean {
    return isHaltStanding(this.owner.parked, { position, replays });
  }

  /** Something was decided about the event that halted it. */
  private async leave(writer: GenerationWriter): Promise<void> {
    await writer.keep(keptHalt(null));
    this.refusal = undefined;
    this.enter('catching_up');
  }

  private async stayHalted(reason: PoisonReport): Promise<void> {
    const woken = new Promise<void>((resolve) => (this.wake = resolve));
    if (this.stopping.signal.aborted || this.interruption.signal.aborted) this.wake?.();
    this.enter('halted', reason);
    await woken;
    this.wake = undefined;
  }

  private async follow(writer: GenerationWriter): Promise<void> {
    this.enter(this.faults > 0 || this.refusal ? 'retrying' : 'catching_up', this.current.error);
    const { projection, settings } = this;
    const reading = { projection, decode: settings.decode, aside: new AsideList(asideMark(writer.kept).asides) };
    this.follower = new Follower(reading, writer, {
      ...this.settings,
      isWanted: (position) => this.waiters.wants(position),
      onWritten: () => {
        this.moved(writer);
        this.healed(this.current.state === 'retrying' ? 'catching_up' : this.current.state);
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
    this.refusal = undefined;
    this.enter(state);
  }

  /** False where no further attempt could help. */
  private async goesOnAfter(error: unknown): Promise<boolean> {
    if (this.stopping.signal.aborted) return false;
    const since = new Date(this.settings.now()).toISOString();
    if (error instanceof PoisonEventError) return this.refuse(error, since);
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

  /** Tries again what may have been a whim of the machine; what cannot be taken then is parked or halts. */
  private async refuse(error: PoisonEventError, now: string): Promise<boolean> {
    const { position } = error.event;
    const isNew = this.refusal?.position !== position;
    const attempts = isNew ? 1 : this.refusal!.attempts + 1;
    this.refusal = { position, attempts };
    const report = poisonReport(error, attempts, isNew ? now : (this.current.error?.since ?? now));
    if (attempts < this.settings.poisonAttempts) {
      await this.pause('retrying', report, attempts);
      return true;
    }
    try {
      if (await this.isParked(error)) this.enter('catching_up');
      else await this.halt(report);
      this.refusal = undefined;
      return true;
    } catch (fault) {
      // Not kept: the next attempt meets the event again.
      return this.goesOnAfter(fault);
    }
  }

  private async isParked(error: PoisonEventError): Promise<boolean> {
    const { onPoison, maxParked } = this.settings;
    const open = asideMark(this.owner.pen?.kept ?? null).asides.filter(isOpen).length;
    return onPoison === 'park' && open < maxParked && (await this.owner.park(error));
  }

  private async halt(report: PoisonReport): Promise<void> {
    const replays = parkedAt(this.owner.parked, report.position)?.replays ?? 0;
    await this.owner.pen?.recover();
    await this.owner.pen?.keep(keptHalt({ report, replays }));
  }

  private async pauseAfterFault(message: string, now: string): Promise<void> {
    const { error } = this.current;
    this.faults++;
    const since = error?.kind === 'fault' ? error.since : now;
    const attempts = this.faults;
    // Who owns nothing yet has nothing to retry.
    const state = this.owner.pen ? 'retrying' : this.current.state;
    await this.pause(state, { kind: 'fault', message, attempts, since }, attempts);
  }

  private async pause(state: ProjectionState, error: ProjectionError, attempts: number): Promise<void> {
    const { firstRetryMs, maxRetryMs } = this.settings;
    const pause = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(attempts - 1, 20));
    this.enter(state, error);
    // The only way in which this sleep fails is the stop.
    await sleep(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private enter(state: ProjectionState, error?: ProjectionError): void {
    const before = this.current;
    this.current = { state, position: before.position, ...(error ? { error } : {}) };
    if (before.state !== state || before.error?.kind !== error?.kind) {
      this.settings.onChange?.(this.projection.name, this.current);
      if (state !== 'starting' && state !== 'standby') this.owner.tell({ state, ...(error ? { error } : {}) });
    }
    if (state === 'standby' && this.waiters.any) this.watch.begin();
    if (state === 'stopped' || state === 'halted') this.waiters.fail((position) => this.waitFailure(position));
  }

  private waitFailure(position: string, { state, error }: PersistedStatus = this.current): MaceError {
    const { position: reached } = this.current;
    const { name } = this.projection;
    const why = error ? `: ${error.message}` : '';
    const meta: JsonObject = { projection: name, state, position: reached, ...(error ? { error: { ...error } } : {}) };
    return failure('WAIT_TIMEOUT', 'projection', { name, state, reached: reached ?? 'none', position, why }, meta);
  }
}
