import { setTimeout as sleep } from 'node:timers/promises';

import { positionOf, type RecordedEvent } from '#lib/event-store';

import { FencedError } from './errors.js';
import { comparePositions } from './positions.js';
import { ReactorAnswers } from './reactor-answers.js';
import type { Reaction, ReactorOptions } from './reactor-options.js';
import { ReactorPlace } from './reactor-place.js';
import { ReactorProgress } from './reactor-progress.js';
import { Turn } from './turn.js';
import { Waiters } from './waiters.js';

const TOO_MANY = 'answers to too many events are owed: what follows waits for them';
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
  private readonly answers: ReactorAnswers;
  private readonly place: ReactorPlace;
  private readonly stopping = new AbortController();
  private readonly waiters = new Waiters();
  private running: Promise<void> | undefined;
  private turn: Turn | undefined;
  private progress = new ReactorProgress('0');
  private answered: string | null = null;
  private faults = 0;

  constructor(
    private readonly reaction: Reaction,
    options: ReactorOptions,
  ) {
    this.settings = { ...DEFAULTS, ...options };
    this.answers = new ReactorAnswers(reaction, options);
    this.place = new ReactorPlace(options.documents, reaction.name);
  }

  /** Up to where every event was answered; null before the first start. */
  get position(): string | null {
    return this.answered;
  }

  /** The id of the event that is being answered; null where none is. */
  get inHand(): string | null {
    return this.answers.inHand;
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
    this.place.leave();
    this.answers.leave();
    await turn.end();
  }

  /** Waits for its turn and claims the checkpoint; after a fault finds out where it stands. @throws FencedError */
  private async takeOver(): Promise<void> {
    const { documents, lease } = this.settings;
    if (lease) this.turn ??= await Turn.await(documents, this.reaction.name, lease, this.stopping.signal);
    this.progress = await this.place.take();
    this.reached(this.progress.answeredTo);
  }

  /** @param needs of what is owed, what needs one of these streams; by default all */
  private async settle(signal: AbortSignal, needs?: readonly string[]): Promise<void> {
    const { owes } = this.progress;
    await this.answers.settle(this.progress, signal, needs);
    if (this.progress.owes < owes) await this.keep();
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
    const after = positionOf(this.progress.seenTo);
    const { types } = this.reaction;
    for await (const item of this.settings.events.subscribeAll({ after, types, signal: until })) {
      if (item.kind !== 'page') {
        this.healed();
        continue;
      }
      const { events, scannedTo } = item.page;
      if (events.length > 0) await this.settle(signal, this.progress.nextNeeds(NEEDS_A_PAGE));
      for (const event of events) {
        if (!(await this.answer(event, signal))) return this.keep();
        this.progress.moveTo(event.position);
        if (!this.progress.isOwing) await this.keep();
      }
      this.progress.moveTo(scannedTo);
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
        const needs = await this.answers.answer(recorded, this.progress);
        if (needs === null) return true;
        if (this.progress.isFull) throw new Error(TOO_MANY);
        this.progress.owing(recorded, needs);
        return true;
      } catch (error) {
        await this.pause(error, recorded.id);
        if (this.progress.isFull) await this.settle(signal);
      }
    }
    return false;
  }

  /** @throws FencedError */
  private async keep(): Promise<void> {
    if (!(await this.place.keep(this.progress))) return;
    this.healed();
    this.reached(this.progress.answeredTo);
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
    const passed = (BigInt(position) - BigInt(this.place.keptTo)) / (events.count ? 1n : BYTES_AN_EVENT);
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
