import { type CommandContext, provenanceOf } from '#lib/access';
import {
  DuplicateEventError,
  type EventLog,
  type Fold,
  type LoggedEvent,
  type Position,
  StorageFullError,
  StoredError,
  StoreUnavailableError,
} from '#lib/event-store';
import { type DomainEvent, MaceError, type Provenance, refuseOtherBody, whereMatched } from '#lib/kernel';

import { evolveModuleState, initialModule, type Module, type ModuleState, type PlacedEvent } from './domain/module.js';
import { moduleStream } from './domain/module.events.js';

/** The state of `module-{node_id}`, notes as stored. */
export const MODULE_FOLD: Fold<ModuleState> = { name: 'module', initial: initialModule, evolve: evolveModuleState };
/** How long a repeated Idempotency-Key gives its first answer (IDEMPOTENCY_WINDOW). */
const WINDOW_MS = 24 * 60 * 60 * 1000;

/** What a decision about a module led to. */
export interface Done {
  readonly module: Module | null;
  /** Empty where nothing was to be done. */
  readonly events: readonly LoggedEvent[];
}

/** What a person's command led to, now or when it was first carried out. */
export interface Answered {
  /** The command's first event. */
  readonly event: PlacedEvent;
  /** The module as it is by now. */
  readonly module: Module;
  readonly events: readonly LoggedEvent[];
}

/** Told of every event appended in this process, right after it was. */
export type OnAppended = (events: readonly LoggedEvent[]) => Promise<void> | void;

/** The streams `module-{node_id}`: loaded, decided on, appended to. */
export class ModuleStreams {
  private appended: OnAppended = () => undefined;

  constructor(private readonly log: EventLog) {}

  /** One listener: whoever keeps the set of modules in memory. */
  onAppended(listener: OnAppended): void {
    this.appended = listener;
  }

  /** As of every append acknowledged before the call. */
  async read(nodeId: string): Promise<ModuleState> {
    return (await this.log.fold(moduleStream(nodeId), MODULE_FOLD)).state;
  }

  /**
   * As of a position.
   * @param who id of the principal that asks
   * @throws RateLimitedError where too many such reads of the principal wait
   */
  async readAsOf(nodeId: string, limit: Position, who: string): Promise<ModuleState> {
    const folded = () => this.log.foldAsOf(moduleStream(nodeId), MODULE_FOLD, limit);
    return (await this.log.histories.run(who, folded)).state;
  }

  /** Whether a job was ever accepted under this id. */
  async hasJob(jobId: string): Promise<boolean> {
    return (await this.log.store.streamVersion(`job-${jobId}`)) > 0;
  }

  /** @throws IntegrityError where the stream of a module is not what was signed */
  async verify(nodeId: string): Promise<void> {
    await this.log.each(moduleStream(nodeId), {}, () => undefined);
  }

  /**
   * Decides on fresh state and appends.
   * @throws what `decide` and the store throw
   */
  async execute(
    nodeId: string,
    provenance: Provenance,
    decide: (module: Module | null, state: ModuleState) => readonly DomainEvent[],
  ): Promise<Done> {
    const stream = moduleStream(nodeId);
    const { state, events } = await this.log.execute({
      stream,
      fold: MODULE_FOLD,
      provenance,
      decide: (folded) => decide(folded.module, folded),
    });
    await this.tell(stream, events);
    return { module: state.module, events };
  }

  /**
   * As `execute` for a request that may come again: the same one is answered as the first time.
   * @throws MaceError IDEMPOTENCY_KEY_REUSED for another body, PRECONDITION_FAILED, STORAGE_FULL, DATA_UNAVAILABLE
   */
  async command(
    ctx: CommandContext,
    nodeId: string,
    decide: (module: Module | null) => readonly DomainEvent[],
  ): Promise<Answered> {
    return tellingFaults(() => this.carryOut(ctx, nodeId, decide));
  }

  /** @throws StoredError where the listener fails: the events are stored all the same */
  private async tell(stream: string, events: readonly LoggedEvent[]): Promise<void> {
    try {
      if (events.length > 0) await this.appended(events);
    } catch (error) {
      throw new StoredError(stream, error);
    }
  }

  private async carryOut(
    ctx: CommandContext,
    nodeId: string,
    decide: (module: Module | null) => readonly DomainEvent[],
  ): Promise<Answered> {
    const { seed: jobSeed } = ctx;
    const stream = moduleStream(nodeId);
    let before: PlacedEvent | undefined;
    try {
      const { state, events } = await this.log.execute({
        stream,
        fold: MODULE_FOLD,
        provenance: provenanceOf(ctx),
        decide: ({ module, commands }) => {
          before = commands.find(({ seed }) => seed === jobSeed)?.event;
          // Of a module that is not there `decide` says so itself.
          return before ? [] : whereMatched(ctx, module?.revision, decide(module));
        },
      });
      await this.tell(stream, events);
      const event = before ?? events[0];
      if (!event) throw new Error(`a command on ${stream} decided to do nothing`);
      return this.answered(event, state, events, ctx);
    } catch (error) {
      if (!(error instanceof DuplicateEventError)) throw error;
      const event = await this.log.findBySeed(stream, jobSeed, ctx.now - WINDOW_MS);
      if (!event) throw error;
      return this.answered(event, await this.read(nodeId), [], ctx);
    }
  }

  private answered(
    event: PlacedEvent,
    { module }: ModuleState,
    events: readonly LoggedEvent[],
    ctx: CommandContext,
  ): Answered {
    refuseOtherBody(event.metadata.request_digest, ctx);
    if (!module) throw new Error('a module has events and is not registered');
    return { event, module, events };
  }
}

/** @throws MaceError STORAGE_FULL, DATA_UNAVAILABLE where the store says so */
export async function tellingFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageFullError) throw new MaceError('STORAGE_FULL', `nothing was written: ${error.reason}`);
    if (error instanceof StoreUnavailableError) {
      throw new MaceError('DATA_UNAVAILABLE', 'the event store does not answer; nothing was changed');
    }
    throw error;
  }
}
