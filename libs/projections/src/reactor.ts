import { setTimeout as sleep } from 'node:timers/promises';

import { IntegrityError, NewerEventError, positionOf, type RecordedEvent } from '#lib/event-store';
import { type Checkpoint, type Generation, type ReadStore } from '#lib/read-store';

import { FencedError, refusalOf } from './errors.js';
import { comparePositions } from './positions.js';
import type { EventPlace, Reaction, ReactorOptions } from './reactor-options.js';
import { type OwedEvent, ReactorProgress } from './reactor-progress.js';
import { Turn } from './turn.js';
import { Waiters } from './waiters.js';

const TOO_MANY = 'answers to too many events are owed: what follows waits for them';
const GONE = 'an event that waits to be answered does not stand here any more';
/** Before each page so many of the streams that are needed are tried: what is owed must not slow down all others. */
const NEEDS_A_PAGE = 3;
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
  private progress = ReactorProgress.from('0', null);
  /** As it was kept last. */
  private kept = this.progress;
  /** What was told of events that are owed, by their ids. */
  private readonly told = new Map<string, string>();
  /** The stream that was tried last before a page. */
  private lastNeed: string | undefined;
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
        await this.settle(this.signal);
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
    this.told.clear();
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
    const { position } = this.checkpoint;
    this.kept = this.progress = ReactorProgress.from(position, await documents.runnerState(this.generation));
    this.reached(position);
  }

  /**
   * Tries what is owed, in its order, but for what follows in a stream in which it still waits, and what needs a stream that
   * was found not to be right a moment ago.
   * @param only of what needs one of these; by default of all
   */
  private async settle(signal: AbortSignal, only?: readonly string[]): Promise<void> {
    const broken = new Set<string>();
    for (const event of this.progress.owed) {
      if (signal.aborted) break;
      if (only && !only.includes(event.needs)) continue;
      if (broken.has(event.needs) || this.isBehindOwed(event)) continue;
      const needs = await this.tryOwed(event);
      this.progress = this.progress.tried(event, needs);
      if (needs === null) this.told.delete(event.id);
      else broken.add(needs);
    }
    if (this.progress.owed.length < this.kept.owed.length) await this.keep();
  }

  /** Tries a part of what is owed, in turn: the rest is tried when it is due. */
  private async settleSome(signal: AbortSignal): Promise<void> {
    const needs = this.progress.needsAfter(this.lastNeed, NEEDS_A_PAGE);
    if (needs.length === 0) return;
    this.lastNeed = needs.at(-1);
    await this.settle(signal, needs);
  }

  private isBehindOwed({ id, stream }: OwedEvent): boolean {
    if (this.progress.behind(stream) === null) return false;
    return this.progress.owed.find((one) => one.stream === stream)!.id !== id;
  }

  /** @returns the stream that has to be put right first; null once it was answered */
  private async tryOwed(event: OwedEvent): Promise<string | null> {
    const fault = await this.attempt(event.id, async () => this.react(await this.find(event)));
    if (fault) this.tellOwed(fault, { ...event, position: positionOf(event.position) });
    return fault?.stream ?? null;
  }

  /**
   * The event where it stood: it was what was signed when it was met, so that its answer is owed whatever became of it.
   * @throws IntegrityError where it does not stand there any more
   */
  private async find({ id, stream, revision }: OwedEvent): Promise<RecordedEvent> {
    const [recorded] = (await this.settings.events.readStream(stream, { from: revision, limit: 1 })).events;
    if (recorded?.id !== id || recorded.revision !== revision) throw new IntegrityError(stream, revision, GONE);
    return recorded;
  }

  /** Whoever can put a stream right must know of it: told again only where another place is found. */
  private tellOwed(fault: IntegrityError, event: EventPlace & Pick<OwedEvent, 'id'>): void {
    const place = `${fault.revision} ${fault.stream}`;
    if (this.told.get(event.id) === place) return;
    this.told.set(event.id, place);
    this.settings.onTampered(fault, event);
  }

  /** Until the stop, or until what is owed is due. @throws FencedError, and what the stores throw */
  private async follow(signal: AbortSignal): Promise<void> {
    const due = new AbortController();
    const timer = setInterval(() => this.progress.isOwing && due.abort(), this.settings.maxRetryMs);
    try {
      await this.followUntil(AbortSignal.any([signal, due.signal]), signal);
    } finally {
      clearInterval(timer);
    }
  }

  private async followUntil(until: AbortSignal, signal: AbortSignal): Promise<void> {
    const after = positionOf(this.progress.seen);
    const { types } = this.reaction;
    for await (const item of this.settings.events.subscribeAll({ after, types, signal: until })) {
      if (item.kind !== 'page') {
        this.healed();
        continue;
      }
      const { events, scannedTo } = item.page;
      if (events.length > 0) await this.settleSome(signal);
      for (const event of events) {
        if (!(await this.answer(event, signal))) return this.keep();
        this.progress = this.progress.to(event.position);
        if (!this.progress.isOwing) await this.keep();
      }
      this.progress = this.progress.to(scannedTo);
      this.reached(this.progress.answeredTo);
      if (this.isFarBehind(scannedTo) || (events.length > 0 && this.progress.isOwing)) await this.keep();
    }
    if (!until.aborted) throw new Error('the subscription ended');
    await this.keep();
  }

  /** Until the event is answered, passed over or owed; false where it was stopped before. */
  private async answer(recorded: RecordedEvent, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      try {
        const needs = await this.answerNow(recorded);
        if (needs === null) return true;
        if (this.progress.isFull) throw new Error(TOO_MANY);
        this.progress = this.progress.owing(recorded, needs);
        return true;
      } catch (error) {
        await this.pause(error, recorded.id);
        if (this.progress.isFull) await this.settle(signal);
      }
    }
    return false;
  }

  /** @returns another stream that has to be put right first; null where it was answered, or passed over */
  private async answerNow(recorded: RecordedEvent): Promise<string | null> {
    const behind = this.progress.behind(recorded.stream);
    // What waits behind another is opened all the same: what nobody signed is owed no answer.
    const fault = await this.attempt(recorded.id, async () => {
      if (behind === null) await this.react(recorded);
      else await this.settings.open(recorded);
    });
    if (!fault) return behind;
    // No later attempt makes it what was signed, and one such event must not hold up all others.
    const isPassedOver = fault.stream === recorded.stream;
    if (isPassedOver) this.settings.onTampered(fault, recorded);
    else this.tellOwed(fault, recorded);
    return isPassedOver ? null : (behind ?? fault.stream);
  }

  private async react(recorded: RecordedEvent): Promise<void> {
    await this.reaction.react(await this.settings.open(recorded));
  }

  /** Tries one event once. @returns what of it, or of what its answer needs, is not what was signed */
  private async attempt(id: string, work: () => Promise<void>): Promise<IntegrityError | null> {
    try {
      this.answering = id;
      await work();
      return null;
    } catch (error) {
      if (isTampering(error)) return error;
      throw error;
    } finally {
      this.answering = null;
    }
  }

  /** @throws FencedError */
  private async keep(): Promise<void> {
    const { checkpoint, progress, kept } = this;
    if (progress.seen === kept.seen && progress.owed === kept.owed) return;
    const from = checkpoint!;
    const to = progress.answeredTo;
    const beside = progress.isOwing || kept.isOwing ? { runnerState: progress.state } : {};
    const outcome = await this.settings.documents.apply(this.generation, { changes: [], from, to, ...beside });
    if (outcome === 'fenced') throw await refusalOf(this.settings.documents, this.generation, from);
    this.checkpoint = { position: to, epoch: from.epoch };
    this.kept = progress;
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
    const passed = (BigInt(position) - BigInt(this.kept.seen)) / (events.count ? 1n : BYTES_AN_EVENT);
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
