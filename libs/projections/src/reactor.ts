import { setTimeout as sleep } from 'node:timers/promises';

import { type EventStore, IntegrityError, NewerEventError, positionOf, type RecordedEvent } from '#lib/event-store';
import { type Checkpoint, type Generation, type ReadStore } from '#lib/read-store';

import { FencedError, refusalOf } from './errors.js';
import { type LeaseOptions } from './lease.js';
import { comparePositions } from './positions.js';
import { type ProjectedEvent } from './projection.js';
import { Turn } from './turn.js';
import { Waiters } from './waiters.js';

/** What must follow from events in other streams. */
export interface Reaction {
  /** [a-z][a-z0-9_-]*, at most 60; unique among projections and reactors. */
  readonly name: string;
  /** The event types it answers. */
  readonly types: readonly string[];
  /**
   * Does what follows from one event. Called at least once an event: a crash between the effect and the checkpoint calls
   * it again. What it appends has the ids of `reactionSeed(name, event_id)`, so that the second time appends nothing.
   * What it throws is taken for a fault that passes: it is called again, and later events wait. An IntegrityError of the
   * event's own stream does not pass: it is told as tampering, and the next event is answered. What a newer release signed
   * waits for that release.
   */
  react(event: ProjectedEvent): Promise<void>;
}

export interface ReactorOptions {
  readonly events: EventStore;
  /** Keeps the checkpoint. */
  readonly documents: ReadStore;
  /** Where other processes may answer the events too, one at a time; without it whoever starts last takes over at once. */
  readonly lease?: LeaseOptions;
  /** Other processes answer the events: it never begins. Default false. */
  readonly isElsewhere?: boolean;
  /**
   * The event, verified: what nobody signed must not lead to what is signed.
   * @throws IntegrityError for what is not what was signed
   */
  readonly open: (recorded: RecordedEvent) => Promise<ProjectedEvent>;
  /**
   * Told of each event that was not answered because it, or its stream, is not what was signed; and once of each that
   * waits because another stream is not.
   */
  readonly onTampered: (error: IntegrityError, recorded: RecordedEvent) => void;
  /** Told of each failed attempt. */
  readonly onFault?: (fault: ReactorFault) => void;
  /** Told once it goes again, with how many attempts had failed in a row. */
  readonly onHealed?: (reactor: string, attempts: number) => void;
  /** Pause after the first fault; doubled with each further one. Default 50. */
  readonly firstRetryMs?: number;
  /** Default 30,000. */
  readonly maxRetryMs?: number;
  /** After how many positions without an event of its own the checkpoint is moved all the same. Default 5,000. */
  readonly idlePositions?: number;
}

export interface ReactorFault {
  readonly reactor: string;
  /** Null where it was not an event but a store that failed. */
  readonly event_id: string | null;
  readonly attempts: number;
  readonly error: unknown;
}

const BYTES_AN_EVENT = 1024n;
const DEFAULTS = { firstRetryMs: 50, maxRetryMs: 30_000, idlePositions: 5000 };

/**
 * Follows the log from a checkpoint of its own and lets a reaction answer each event, one after another, at least once.
 * One process at a time moves a checkpoint: a reactor that another has taken over stops, or waits for its next turn where
 * there is a lease.
 */
export class Reactor {
  private readonly settings: ReactorOptions & typeof DEFAULTS;
  private readonly generation: Generation;
  private readonly stopping = new AbortController();
  private readonly waiters = new Waiters();
  private running: Promise<void> | undefined;
  private turn: Turn | undefined;
  private checkpoint: Checkpoint | undefined;
  private answered: string | null = null;
  private answering: string | null = null;
  private faults = 0;

  constructor(
    private readonly reaction: Reaction,
    options: ReactorOptions,
  ) {
    this.settings = { ...DEFAULTS, ...options };
    this.generation = generationOf(reaction.name);
  }

  /** Up to where every event was answered; null before the first start. */
  get position(): string | null {
    return this.answered;
  }

  /** The id of the event that is being answered; null where none is. */
  get inHand(): string | null {
    return this.answering;
  }

  get name(): string {
    return this.reaction.name;
  }

  start(): void {
    if (!this.settings.isElsewhere) this.running ??= this.run();
  }

  /** Lets the reaction under way end. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Settles once everything up to a position was answered. @throws Error after `timeoutMs`, or where it stops */
  async waitFor(position: string, timeoutMs: number): Promise<void> {
    if (this.answered !== null && comparePositions(this.answered, position) >= 0) return;
    if (this.stopping.signal.aborted) throw this.notThere(position);
    await this.waiters.add(position, timeoutMs, () => this.notThere(position));
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.takeOver();
        await this.follow(this.signal);
        if (this.turn?.lost.aborted) await this.leave();
      } catch (error) {
        if (!(await this.goesOnAfter(error))) break;
      }
    }
    await this.leave();
    this.stopping.abort();
    this.waiters.fail((position) => this.notThere(position));
  }

  /** Of the stop, and of the end of the turn where there is one. */
  private get signal(): AbortSignal {
    const { signal } = this.stopping;
    return this.turn ? AbortSignal.any([signal, this.turn.lost]) : signal;
  }

  /** False where no further attempt could help. */
  private async goesOnAfter(error: unknown): Promise<boolean> {
    const isFenced = error instanceof FencedError;
    if (this.settings.lease && (isFenced || this.turn?.lost.aborted)) {
      await this.leave();
      return true;
    }
    // Whoever waits for a turn is told of the stop by what it throws.
    if (!this.stopping.signal.aborted) await this.pause(error, null);
    return !isFenced;
  }

  /** What another answers from now on is not this one's any more. */
  private async leave(): Promise<void> {
    const { turn } = this;
    if (!turn) return;
    this.turn = undefined;
    this.checkpoint = undefined;
    await turn.end();
  }

  /** Waits for its turn and claims the checkpoint; after a fault finds out where it stands. @throws FencedError */
  private async takeOver(): Promise<void> {
    const { documents, lease } = this.settings;
    if (lease) this.turn ??= await Turn.await(documents, this.reaction.name, lease, this.stopping.signal);
    if (this.checkpoint) {
      const kept = await documents.checkpoint(this.generation);
      if (kept?.epoch !== this.checkpoint.epoch) throw new FencedError(this.reaction.name);
      this.checkpoint = kept;
    } else {
      await documents.prepare(this.generation, []);
      this.checkpoint = await documents.claim(this.generation);
    }
    this.reached(this.checkpoint.position);
  }

  /** Until the stop. @throws FencedError, and what the stores throw */
  private async follow(signal: AbortSignal): Promise<void> {
    const after = positionOf(this.checkpoint!.position);
    for await (const item of this.settings.events.subscribeAll({ after, types: this.reaction.types, signal })) {
      if (item.kind !== 'page') {
        this.healed();
        continue;
      }
      for (const event of item.page.events) {
        if (!(await this.answer(event, signal))) return;
        await this.keep(event.position);
      }
      this.reached(item.page.scannedTo);
      if (this.isFarBehind(item.page.scannedTo)) await this.keep(item.page.scannedTo);
    }
    if (!signal.aborted) throw new Error('the subscription ended');
    if (this.answered !== null) await this.keep(this.answered);
  }

  /** Calls the reaction until it succeeds, or the event proves to be tampered with; false where it was stopped before. */
  private async answer(recorded: RecordedEvent, signal: AbortSignal): Promise<boolean> {
    for (let isTold = false; !signal.aborted;) {
      try {
        this.answering = recorded.id;
        await this.reaction.react(await this.settings.open(recorded));
        return true;
      } catch (error) {
        if (isTampering(error)) {
          // No later attempt makes it what was signed, and one such event must not hold up all others.
          const isPassedOver = error.stream === recorded.stream;
          // Otherwise it is owed, and may be done once that stream is put right: whoever can do that must know of it.
          if (isPassedOver || !isTold) this.settings.onTampered(error, recorded);
          if (isPassedOver) return true;
          isTold = true;
        }
        await this.pause(error, recorded.id);
      } finally {
        this.answering = null;
      }
    }
    return false;
  }

  /** @throws FencedError */
  private async keep(to: string): Promise<void> {
    const from = this.checkpoint!;
    if (from.position === to) return;
    const outcome = await this.settings.documents.apply(this.generation, { changes: [], from, to });
    if (outcome === 'fenced') throw await refusalOf(this.settings.documents, this.generation, from);
    this.checkpoint = { position: to, epoch: from.epoch };
    this.healed();
    this.reached(to);
  }

  /** Only what is kept is done: where the answer succeeds and its checkpoint does not, both are to be made again. */
  private healed(): void {
    if (this.faults > 0) this.settings.onHealed?.(this.reaction.name, this.faults);
    this.faults = 0;
  }

  /** Where nothing is to be answered the checkpoint is moved now and then only: others' events cost no write here. */
  private isFarBehind(position: string): boolean {
    const { events, idlePositions } = this.settings;
    // Where positions are not the numbers of events, they are bytes of a log.
    const passed = (BigInt(position) - BigInt(this.checkpoint!.position)) / (events.count ? 1n : BYTES_AN_EVENT);
    return passed >= BigInt(idlePositions);
  }

  private reached(position: string): void {
    if (this.answered !== null && comparePositions(this.answered, position) >= 0) return;
    this.answered = position;
    this.waiters.reached(position);
  }

  private notThere(position: string): Error {
    return new Error(`reactor ${this.reaction.name} is at ${this.answered ?? 'none'}, not at ${position}`);
  }

  private async pause(error: unknown, event_id: string | null): Promise<void> {
    const { firstRetryMs, maxRetryMs, onFault } = this.settings;
    const pause = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(this.faults++, 20));
    onFault?.({ reactor: this.reaction.name, event_id, attempts: this.faults, error });
    // The only ways in which this sleep fails are the stop and the end of the turn.
    await sleep(pause, undefined, { signal: this.signal }).catch(() => undefined);
  }
}

/** Up to where a reactor has answered every event, by the checkpoint that it keeps; null before its first start. */
export async function reactorPosition(documents: ReadStore, name: string): Promise<string | null> {
  return (await documents.checkpoint(generationOf(name)))?.position ?? null;
}

function generationOf(reactor: string): Generation {
  return { projection: reactor, name: 'reactor' };
}

/** Not of what a newer release signed: that waits for it. */
function isTampering(error: unknown): error is IntegrityError {
  return error instanceof IntegrityError && !(error instanceof NewerEventError);
}
