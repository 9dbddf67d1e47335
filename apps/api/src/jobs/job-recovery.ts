import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { EventStore } from '#lib/event-store';
import { finishLeftJobs, type JobDesk, JobLeases, LeftJobs, type UnfinishedJobs } from '#lib/jobs';
import { MaceError } from '#lib/kernel';
import { inTurns, type ProjectionHost } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import type { Logger } from '../edge/log.js';
import { outageLog, type OutageLog } from '../edge/outage-log.js';
import type { Hosting } from '../hosting.js';

export interface RecoveryParts {
  readonly desk: JobDesk;
  readonly unfinished: UnfinishedJobs;
  readonly host: Pick<ProjectionHost, 'waitFor'>;
  readonly events: Pick<EventStore, 'head'>;
  readonly documents: ReadStore;
  readonly hosting: Hosting;
  /** After how long without a word of the process that runs it a job counts as left. */
  readonly leaseMs: number;
  readonly logger: Logger;
}

const CATCH_UP_MS = 600_000;
/** A job that could not be finished is tried again after a lease, then after twice as long, up to so long. */
const LONGEST_PAUSE_MS = 600_000;

interface Unfinishable {
  readonly reason: string;
  readonly pauseMs: number;
  /** By `performance.now()`. */
  readonly notBefore: number;
}

/**
 * Takes jobs that a process left behind to their seal: of a process alone on its stores at the start, of several those
 * whose lease ran out, by one of those that host what one at a time does. Says meanwhile which jobs run here.
 */
export class JobRecovery {
  private readonly stopping = new AbortController();
  private readonly leases: JobLeases;
  private readonly unfinishable = new Map<string, Unfinishable>();
  private readonly outage: OutageLog;
  private readonly unnamed: OutageLog;
  private renewals: NodeJS.Timeout | undefined;
  private renewing: Promise<void> = Promise.resolve();
  private recovering: Promise<void> = Promise.resolve();

  constructor(private readonly parts: RecoveryParts) {
    const { documents, logger } = parts;
    this.outage = outageLog(logger, {
      fault: 'left jobs could not be looked for, and this is tried again',
      over: 'left jobs are looked for again',
    });
    this.unnamed = outageLog(logger, {
      fault: 'it could not be said which jobs run here: what takes longer than its lease may be begun elsewhere too',
      over: 'it is said again which jobs run here',
    });
    this.leases = new JobLeases(documents, randomUUID().replaceAll('-', ''));
  }

  /** Does not hold up the start: a left job is finished beside the first requests. */
  start(): void {
    const { hosting, leaseMs, documents } = this.parts;
    const { isHere, lease } = hosting;
    const stopping = this.stopping.signal;
    const onFault = (error: unknown): void => this.told(error);
    const turns = { documents, name: 'job-recovery', lease, stopping, onFault };
    // No stop waits for the list.
    if (isHere && !lease) return void inTurns(turns, () => this.finishAll());
    this.renewals = setInterval(() => this.renew(), leaseMs / 4).unref();
    if (!isHere) return;
    this.recovering = inTurns(turns, async (signal, goes) => {
      // Anew after each fault: while a store was away nobody could renew, and whoever did before is not silent.
      const left = new LeftJobs(documents, leaseMs, undefined, true);
      for (; !signal.aborted; await sleep(leaseMs / 4, undefined, { signal })) {
        const list = this.due(await left.among(await this.parts.unfinished.list()));
        if (list.length > 0) await this.finish({ list: () => Promise.resolve(list) });
        goes();
      }
    });
  }

  /** After the desk is closed: what is left of its jobs is anybody's then. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.renewals);
    await this.recovering;
    await this.renewing;
    await this.leases.end().catch((error: unknown) => this.unnamed(error));
  }

  /** Once: none may be missing because the list is behind. */
  private async finishAll(): Promise<void> {
    const { host, events, unfinished } = this.parts;
    await host.waitFor(await events.head(), ['jobs'], CATCH_UP_MS);
    await this.finish(unfinished);
  }

  private async finish(unfinished: UnfinishedJobs): Promise<void> {
    const { desk, logger } = this.parts;
    const { finished, left } = await finishLeftJobs(desk, unfinished);
    if (finished > 0) logger.info({ jobs: finished }, 'finished jobs that an earlier process left behind');
    for (const { job_id, reason } of left) this.putOff(job_id, reason);
  }

  private due(jobs: readonly string[]): readonly string[] {
    const now = performance.now();
    for (const job of this.unfinishable.keys()) if (!jobs.includes(job)) this.unfinishable.delete(job);
    return jobs.filter((job) => (this.unfinishable.get(job)?.notBefore ?? 0) <= now);
  }

  /** Told once for each reason: what keeps it from its seal may last for weeks. */
  private putOff(job: string, reason: string): void {
    const before = this.unfinishable.get(job);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, before ? 2 * before.pauseMs : this.parts.leaseMs);
    this.unfinishable.set(job, { reason, pauseMs, notBefore: performance.now() + pauseMs });
    if (before?.reason === reason) return;
    this.parts.logger.warn({ job, reason }, 'a left job could not be finished');
  }

  private renew(): void {
    this.renewing = this.leases.renew(this.parts.desk.underway).then(
      () => this.unnamed(null),
      (error: unknown) => this.unnamed(error),
    );
  }

  private told(error: unknown): void {
    if (!this.parts.desk.isClosing && !isStop(error)) this.outage(error);
  }
}

/** The list of jobs, which recovery waited for, stopped with the process: the next start looks again. */
function isStop(error: unknown): boolean {
  return error instanceof MaceError && error.code === 'WAIT_TIMEOUT' && error.meta['state'] === 'stopped';
}
