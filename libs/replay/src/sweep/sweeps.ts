import { setTimeout as sleep } from 'node:timers/promises';

import type { CommandContext } from '#lib/access';
import { comparePositions, type EventStore, type Position, START, StoreUnavailableError } from '#lib/event-store';
import {
  commandSeed,
  type Conditional,
  type JsonObject,
  MaceError,
  type PageAfter,
  pageAfter,
  replayId,
  requireMatch,
  sha256Hex,
  traceId,
} from '#lib/kernel';
import type { ToldWork, WorkUnderWay } from '#lib/projections';
import { traced } from '#lib/tracing';

import type { SweepEnd, SweepRequest } from '../domain/sweep.events.js';
import type { Replays } from '../replays.js';
import { askedAgain, goingOn, seedFrom } from './left-sweep.js';
import { ProgressNotes } from './progress-notes.js';
import { type Decided, type RangeWorker, sweep } from './sweep.js';
import { matchOf, outcomeOf, shown } from './sweep-outcome.js';
import { isOver, type RecordedSweep, type SweepRecord } from './sweep-record.js';
import { beginningOf, endedAs, recordedView, summaryOf, type SweepView } from './sweep-view.js';
import type { SweptJobs } from './swept-jobs.js';

/** What somebody wants swept. */
export interface SweepOrder {
  /** Exclusive; the whole log where absent. */
  readonly from?: Position;
  /** Inclusive; the newest event where absent. */
  readonly to?: Position;
  /** Threads that replay, 1 to 8. */
  readonly threads: number;
}

/** A tree that the jobs' records are held to. */
export interface SweptCheckpoint {
  readonly size: number;
  readonly root: string;
}

/** Threads that replay, for one sweep. */
export interface SweepThreads {
  readonly workers: readonly RangeWorker[];
  stop(): Promise<void>;
}

export interface SweepsParts {
  readonly store: Pick<EventStore, 'head'>;
  readonly record: SweepRecord;
  readonly replays: Pick<Replays, 'audit' | 'request'>;
  readonly jobs: SweptJobs;
  /** Jobs that are listed as ones that cannot be replayed: a replay of their own that proves them takes them off. */
  readonly listed: () => Promise<ReadonlySet<string>>;
  /** @param checkpoint null where none is signed over the jobs @param jobs how many there are to be */
  readonly open: (threads: number, checkpoint: SweptCheckpoint | null, jobs: number) => SweepThreads;
  /** Waits for a checkpoint up to a position; null where none came in time. */
  readonly covering: (position: Position) => Promise<SweptCheckpoint | null>;
  /** Where other processes on the same log see what is swept, and this one what they sweep. */
  readonly underWay: WorkUnderWay;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly onTrouble: (error: unknown) => void;
}

/** What a sweep begins with in this process. */
interface Beginning {
  readonly view: SweepView;
  readonly ctx: CommandContext;
  /** Under which its own events are numbered. */
  readonly seed: string;
  readonly checkpoint: SweptCheckpoint | null;
}

interface Running extends Pick<Beginning, 'ctx' | 'seed'> {
  view: SweepView;
  /** What another process can go on from. */
  sound: SweepView;
  readonly checkpoint: SweptCheckpoint | null;
  readonly stopper: AbortController;
  /** How it ends where it is stopped. */
  stoppedAs: Exclude<SweepEnd, 'done'>;
  done: Promise<void>;
}

/** Sweeps without a summary that are looked at for one that runs. */
const MOST_OPEN = 20;
const LOOKS = 40;
const LOOK_EVERY_MS = 50;

/** What a sweep that is in the way is about: it may be of the same part as of before further jobs began. */
function underWay({ sweep_id, from, to }: SweepView): string {
  return `sweep ${sweep_id} runs over the jobs behind ${from} and up to ${to}`;
}

export function sweepId(seed: string): string {
  return `rs-${sha256Hex(`${seed}:replay-sweep`).slice(0, 32)}`;
}

/** A worker that leaves these jobs open: each is replayed by itself then. */
function leavingOpen(worker: RangeWorker, left: ReadonlySet<string>): RangeWorker {
  if (left.size === 0) return worker;
  return {
    depth: worker.depth,
    async replay(jobIds) {
      const outcome = await worker.replay(jobIds.filter((id) => !left.has(id)));
      return { ...outcome, open: [...outcome.open, ...jobIds.filter((id) => left.has(id))] };
    },
  };
}

/** Replays of every job of the log as resources with progress; one at a time. */
export class Sweeps {
  private running: Running | null = null;
  private beginning: Promise<unknown> = Promise.resolve();
  private isStopped = false;

  constructor(private readonly parts: SweepsParts) {}

  /**
   * Begins a sweep, or joins one of the same part that runs and leaves out no job that is asked for; the newest of all,
   * where it was interrupted and leaves out none either, is gone on with.
   * @throws MaceError CONFLICT while another runs, INVALID_INPUT, IDEMPOTENCY_KEY_REUSED; StoreUnavailableError
   */
  begin(order: SweepOrder, ctx: CommandContext): Promise<SweepView> {
    return this.inTurn(() => this.beginNow(order, ctx));
  }

  private inTurn<T>(begin: () => Promise<T>): Promise<T> {
    const begun = this.beginning.catch(() => undefined).then(begin);
    this.beginning = begun;
    return begun;
  }

  /** @throws MaceError NOT_FOUND */
  async get(id: string): Promise<SweepView> {
    if (this.running?.view.sweep_id === id) return this.running.view;
    const recorded = await this.parts.record.find(id);
    if (!recorded) throw new MaceError('NOT_FOUND', `no sweep ${id.slice(0, 60)}`);
    return this.viewOf(recorded);
  }

  /** Newest first. @param cursor sweep_id of the last one seen @throws MaceError INVALID_INPUT for one that is none */
  async list(limit: number, cursor?: string): Promise<PageAfter<SweepView>> {
    const here = this.running?.view;
    const all = [...(await this.parts.record.all())].reverse();
    const page = pageAfter(all, ({ request }) => request.sweep_id, { limit, cursor });
    const viewOf = async (one: RecordedSweep): Promise<SweepView> =>
      one.request.sweep_id === here?.sweep_id ? here : this.viewOf(one);
    return { ...page, items: await Promise.all(page.items.map(viewOf)) };
  }

  /** Of what was decided of a sweep: its ETag, which progress does not move. @throws MaceError NOT_FOUND */
  async revisionOf(id: string): Promise<number> {
    const recorded = await this.parts.record.find(id);
    if (!recorded) throw new MaceError('NOT_FOUND', `no sweep ${id.slice(0, 60)}`);
    return recorded.revision;
  }

  /**
   * Stops a sweep where it is, or where it was interrupted, and records how far it came; of one that has ended nothing is
   * changed.
   * @throws MaceError NOT_FOUND, PRECONDITION_FAILED
   */
  async cancel(id: string, command: Conditional): Promise<SweepView> {
    const recorded = await this.parts.record.find(id);
    // Of one that has ended nothing is changed, so that nothing can be lost: the same request again has its answer.
    if (recorded && isOver(recorded)) return this.viewOf(recorded);
    requireMatch(command, await this.revisionOf(id));
    if (this.running?.view.sweep_id !== id) await this.inTurn(() => this.cancelLeft(id));
    // Somebody's request, whose turn was before, may just have gone on with it.
    if (this.running?.view.sweep_id === id) await this.halt(this.running, 'cancelled');
    const view = await this.get(id);
    // It may have ended by itself while it was being stopped.
    if (view.state !== 'cancelled') requireMatch(command, await this.revisionOf(id));
    return view;
  }

  /** One that was interrupted is not gone on with any more. */
  private async cancelLeft(id: string): Promise<void> {
    const { record, now } = this.parts;
    const left = await record.find(id);
    if (!left || isOver(left) || this.running?.view.sweep_id === id) return;
    const view = await this.viewOf(left);
    if (view.state !== 'interrupted') return;
    await record.end(summaryOf(view, 'cancelled', now()), { ...askedAgain(left, now()), seed: seedFrom(left) });
  }

  /** Ends what runs, as the process does. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.beginning.catch(() => undefined);
    if (this.running) await this.halt(this.running, 'interrupted');
  }

  private async halt(running: Running, as: Running['stoppedAs']): Promise<void> {
    running.stoppedAs = as;
    running.stopper.abort();
    await running.done;
  }

  private async beginNow({ from = START, to, threads }: SweepOrder, ctx: CommandContext): Promise<SweepView> {
    const { record, store, jobs, covering } = this.parts;
    const sweep_id = sweepId(ctx.seed);
    if (await record.find(sweep_id, ctx))
      return (this.isStopped ? null : await this.goOnNow(sweep_id)) ?? this.get(sweep_id);
    if (this.isStopped) throw new StoreUnavailableError('the process ends');
    const head = await store.head();
    const end = to === undefined || comparePositions(to, head) > 0 ? head : to;
    if (comparePositions(from, end) > 0)
      throw new MaceError('INVALID_INPUT', `from: no position behind ${end}, where the sweep ends`);
    const running = this.running?.view;
    if (running && (await this.isAll(running, from, to, end))) return running;
    if (running) throw new MaceError('CONFLICT', `${underWay(running)}; wait for it, or cancel it`);
    const elsewhere = await this.sweptElsewhere();
    if (elsewhere && (await this.isAll(elsewhere, from, to, end))) return elsewhere;
    if (elsewhere) throw new MaceError('CONFLICT', `${underWay(elsewhere)} elsewhere; wait for it`);
    const goesOn = await this.goOnFor(from, to, end);
    if (goesOn) return goesOn;
    const [checkpoint, count] = [await covering(end), await jobs.count(from, end)];
    const request: SweepRequest = {
      sweep_id,
      mode: 'audit',
      actor_id: ctx.principal.id,
      from,
      to: end,
      jobs: count,
      threads,
      checkpoint_size: checkpoint?.size ?? null,
      requested_at: new Date(ctx.now).toISOString(),
    };
    if (!(await record.begin(request, ctx))) return this.begunElsewhere(sweep_id);
    return (await this.start({ view: beginningOf(request), ctx, seed: ctx.seed, checkpoint })).view;
  }

  /** The newest sweep, unless it is over: whoever began another since did without the rest of those before it. */
  private async left(): Promise<RecordedSweep | undefined> {
    const newest = (await this.parts.record.all()).at(-1);
    return newest && !isOver(newest) ? newest : undefined;
  }

  /** Goes on with what was left, if it is of this part and leaves no job of it out; null where it is not. */
  private async goOnFor(from: Position, to: Position | undefined, end: Position): Promise<SweepView | null> {
    const left = (await this.left())?.request;
    return left && (await this.isAll(left, from, to, end)) ? this.goOnNow(left.sweep_id) : null;
  }

  /** Whether a sweep is of the part that is asked for, and leaves no job of it out. */
  private async isAll(
    sweep: Pick<SweepRequest, 'from' | 'to'>,
    from: Position,
    to: Position | undefined,
    end: Position,
  ): Promise<boolean> {
    if (sweep.from !== from) return false;
    return sweep.to === end || (to === undefined && (await this.parts.jobs.count(sweep.to as Position, end)) === 0);
  }

  /** Goes on with what was left, if it is the sweep that is asked for and runs nowhere; null where it is not. */
  private async goOnNow(id: string): Promise<SweepView | null> {
    const left = await this.left();
    if (!left || this.running || left.request.sweep_id !== id) return null;
    if ((await this.viewOf(left)).state !== 'interrupted') return null;
    const checkpoint = await this.parts.covering(left.request.to as Position);
    const ctx = askedAgain(left, this.parts.now());
    const view = goingOn(left, checkpoint !== null);
    return (await this.start({ view, ctx, seed: seedFrom(left), checkpoint })).view;
  }

  /** One that has no last summary and does not run here runs elsewhere, or was interrupted. */
  private async viewOf(recorded: RecordedSweep): Promise<SweepView> {
    const view = recordedView(recorded);
    if (isOver(recorded)) return view;
    const told = await this.parts.underWay.elsewhere(view.sweep_id);
    return told ? (told as unknown as SweepView) : view;
  }

  /** The sweep that another process does now. */
  private async sweptElsewhere(): Promise<SweepView | undefined> {
    const open = (await this.parts.record.all()).filter((one) => !isOver(one)).slice(-MOST_OPEN);
    const views = await Promise.all(open.map((one) => this.viewOf(one)));
    return views.find(({ state }) => state === 'running');
  }

  /** Another process has begun it at the same moment, and tells of it in the next. */
  private async begunElsewhere(id: string): Promise<SweepView> {
    for (let looks = 1; ; looks++) {
      const view = await this.get(id);
      if (view.state !== 'interrupted' || looks === LOOKS) return view;
      await sleep(LOOK_EVERY_MS);
    }
  }

  private async start(beginning: Beginning): Promise<Running> {
    const running: Running = {
      ...beginning,
      sound: beginning.view,
      stopper: new AbortController(),
      stoppedAs: 'interrupted',
      done: Promise.resolve(),
    };
    this.running = running;
    const told = await this.told(running);
    running.done = this.run(running).finally(async () => {
      await told?.end().catch(this.parts.onTrouble);
      this.running = null;
    });
    return running;
  }

  /** A sweep of which the others cannot be told goes on: they say that it was interrupted. */
  private async told(running: Running): Promise<ToldWork | undefined> {
    const { underWay, onTrouble } = this.parts;
    try {
      return await underWay.begin(running.view.sweep_id, () => running.view as unknown as JsonObject);
    } catch (error) {
      onTrouble(error);
      return undefined;
    }
  }

  private async run(running: Running): Promise<void> {
    let reason: string | null = null;
    try {
      const { view, ctx } = running;
      const attributes = { 'mace.job.count': view.total, 'mace.position.from': view.from, 'mace.position': view.to };
      await traced(
        () => ({ name: 'replay sweep', traceId: traceId(ctx.seed), attributes }),
        () => this.swept(running),
      );
    } catch (error) {
      this.parts.onTrouble(error);
      reason = error instanceof Error ? error.name : 'unknown';
    }
    try {
      await this.conclude(running, reason);
    } catch (error) {
      this.parts.onTrouble(error);
    }
  }

  private async swept(running: Running): Promise<void> {
    const { open, jobs, now, record, onTrouble } = this.parts;
    const { view, checkpoint, stopper, ctx, seed } = running;
    const listed = await this.listed();
    const threads = open(view.threads, checkpoint, view.total - view.processed);
    const since = now();
    const notes = new ProgressNotes({ record, ctx: { ...ctx, seed }, listed: view.unmatched.length, now, onTrouble });
    try {
      await sweep({
        jobs,
        after: view.position as Position,
        to: view.to as Position,
        workers: threads.workers.map((worker) => leavingOpen(worker, listed)),
        signal: stopper.signal,
        host: {
          decide: (id, again) => this.decide(id, again, ctx, listed),
          onProgress: (state, sound) => {
            running.view = shown(view, state, now() - since);
            running.sound = shown(view, sound, now() - since);
            notes.take(running.sound);
          },
        },
      });
    } finally {
      await threads.stop();
      await notes.settled();
    }
  }

  private async conclude(running: Running, reason: string | null): Promise<void> {
    const { stopper, stoppedAs, ctx, seed } = running;
    const state = reason !== null ? 'failed' : stopper.signal.aborted ? stoppedAs : 'done';
    // Whoever goes on from its position would count those behind it again.
    const view = state === 'done' ? running.view : running.sound;
    const summary = summaryOf(view, state, this.parts.now(), reason);
    running.view = endedAs(view, summary, await this.parts.record.end(summary, { ...ctx, seed }));
  }

  /** None where they cannot be told: then they stay listed. */
  private async listed(): Promise<ReadonlySet<string>> {
    try {
      return await this.parts.listed();
    } catch (error) {
      this.parts.onTrouble(error);
      return new Set();
    }
  }

  /** By the replay of that job alone, which is recorded as any other where it is no match, or where the job is listed. */
  private async decide(
    job_id: string,
    again: boolean,
    ctx: CommandContext,
    listed: ReadonlySet<string>,
  ): Promise<Decided | null> {
    const found = await outcomeOf(() => this.parts.replays.audit(job_id));
    if (found.error_code === 'CONFLICT' && !again) return null;
    const seen = matchOf(found);
    if (seen && !listed.has(job_id)) return seen;
    const seed = commandSeed(ctx.principal.id, 'POST', `/replay/sweeps/${job_id}`, ctx.seed);
    const order = { job_id, mode: 'audit' } as const;
    const recorded = await outcomeOf(() => this.parts.replays.request(order, { ...ctx, seed }));
    const match = matchOf(recorded);
    if (match) return match;
    const { verdict, error_code } = recorded;
    return {
      unmatched: { job_id, verdict, error_code: error_code ?? 'REPLAY_DIVERGENCE', replay_id: replayId(seed) },
    };
  }
}
