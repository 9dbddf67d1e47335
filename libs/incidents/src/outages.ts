import { randomUUID } from 'node:crypto';

import { DuplicateEventError, type EventLog, type Fold } from '#lib/event-store';
import { traceId, type Provenance } from '#lib/kernel';
import type { FailureSpool } from '#lib/memory';

import { RAISED_SEVERITIES } from './domain/incident.js';
import {
  causeOf,
  evolveOutages,
  FIRST_INDEX,
  isOverdue,
  type OpenOutages,
  type Outage,
  outageEvents,
  outageOf,
  outageSeed,
} from './domain/outage.js';
import { outageStream, type Service, SERVICES } from './domain/outages.events.js';
import { open, SYSTEM } from './incident-streams.js';

const OUTAGES_FOLD: Fold<OpenOutages> = { name: 'outages', initial: {}, evolve: evolveOutages };

export interface OutageOptions {
  readonly log: EventLog;
  /** Where events wait that the log does not take. */
  readonly spool: FailureSpool;
  /** Appends what waits there, as far as the log takes it; never rejects. */
  readonly recover: () => Promise<void>;
  /** Asks a service whether it answers. @throws where it does not */
  readonly probes: Readonly<Record<Exclude<Service, 'cache'>, () => Promise<unknown>>>;
  /** Told of each outage at both its ends, and where it is overdue: once each. */
  readonly tell: (what: 'down' | 'up' | 'overdue', outage: Outage) => void;
  /** Told of what could not be recorded or raised yet, which is tried again; null once it could. */
  readonly onFault: (error: unknown) => void;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
  /** Pause between two looks while something is down; default 1000. */
  readonly intervalMs?: number;
}

interface Down {
  readonly outage: Outage;
  isIncident: boolean;
  /** The cache says itself when it answers again; the others are asked. */
  isBack: boolean;
}

/**
 * Which services are out of reach. Each outage is recorded at both its ends, once, whatever the number of requests that
 * met it; while the log takes nothing its events wait in the spool. One that lasts too long is a critical incident by
 * the due time in its own event, also where it began in an earlier process.
 */
export class Outages {
  private readonly down = new Map<Service, Down>();
  private readonly settings: Required<OutageOptions>;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;
  private isFaulty = false;

  constructor(options: OutageOptions) {
    this.settings = { now: Date.now, intervalMs: 1000, ...options };
  }

  /** Takes up what an earlier process left open: what is overdue by now is an incident, what answers is over. */
  async start(): Promise<void> {
    await this.drained();
    for (const service of SERVICES) {
      try {
        const { state } = await this.settings.log.fold(outageStream(service), OUTAGES_FOLD);
        for (const outage of Object.values(state)) await this.closeLeft(outage);
      } catch (error) {
        this.told(error);
        this.failed('event-store', kindOf(error));
      }
    }
  }

  /** A call of a service failed because it is out of reach. Costs nothing where that is known. */
  failed(service: Service, fault: string): void {
    const known = this.down.get(service);
    if (known) known.isBack = false;
    if (known || this.stopped) return;
    const outage = outageOf(service, `out-${randomUUID()}`, this.settings.now(), fault);
    this.down.set(service, { outage, isIncident: false, isBack: false });
    this.settings.tell('down', outage);
    this.look(() => this.recordBeginning(outage));
    this.schedule();
  }

  /** A service that reports by itself answers again. */
  answered(service: Service): void {
    const known = this.down.get(service);
    if (!known) return;
    known.isBack = true;
    this.look(() => this.lookAt(known));
  }

  /** What is out of reach now. */
  get open(): readonly Outage[] {
    return [...this.down.values()].map(({ outage }) => outage);
  }

  /** Looks at once at everything that is down; the timer does so while anything is. */
  async tick(): Promise<void> {
    this.look(async () => {
      for (const down of [...this.down.values()]) await this.lookAt(down);
    });
    await this.looking;
    this.schedule();
  }

  /** Settles once nothing is being recorded; what is down stays recorded as down. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  /** One look after another, so that the two ends of an outage keep their order. */
  private look(work: () => Promise<void>): void {
    this.looking = this.looking.then(work);
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (this.stopped || this.down.size === 0) return;
    this.timer = setTimeout(() => void this.tick(), this.settings.intervalMs).unref();
  }

  private async lookAt(down: Down): Promise<void> {
    const { outage } = down;
    if (this.down.get(outage.service) !== down) return;
    const { now, tell } = this.settings;
    const answers = await this.answers(down);
    const isLate = isOverdue(outage, now());
    if (isLate && !down.isIncident) await this.raise(down);
    if (!answers || (isLate && !down.isIncident)) return;
    // The spool is bounded: a beginning that it had to let go is recorded now.
    if (!(await this.record(outage, null)) || !(await this.record(outage, now()))) return;
    this.down.delete(outage.service);
    tell('up', outage);
  }

  private async raise(down: Down): Promise<void> {
    try {
      await open(this.settings.log, causeOf(down.outage), RAISED_SEVERITIES.SERVICE_UNAVAILABLE);
      down.isIncident = true;
      this.settings.tell('overdue', down.outage);
      this.told(null);
    } catch (error) {
      // The log itself is down: it is raised as soon as the log takes events, which is before the outage ends.
      this.told(error);
    }
  }

  private told(fault: unknown): void {
    if (fault !== null || this.isFaulty) this.settings.onFault(fault);
    this.isFaulty = fault !== null;
  }

  private async answers({ outage: { service }, isBack }: Down): Promise<boolean> {
    if (service === 'cache') return isBack;
    try {
      await this.settings.probes[service]();
    } catch {
      return false;
    }
    return service !== 'event-store' || this.drained();
  }

  /** Appends what waits; true where nothing does any more. */
  private async drained(): Promise<boolean> {
    await this.settings.recover();
    return this.settings.spool.waiting.length === 0;
  }

  /** What an earlier process saw go down and never saw come back: the services answer, or this process would not run. */
  private async closeLeft(outage: Outage): Promise<void> {
    const known = this.down.get(outage.service);
    if (known) return;
    const down = { outage, isIncident: false, isBack: true };
    this.down.set(outage.service, down);
    await this.lookAt(down);
    this.schedule();
  }

  private async recordBeginning(outage: Outage): Promise<void> {
    if (await this.record(outage, null)) return;
    const provenance = provenanceOf(outage, 'down');
    outageEvents(outage, null).forEach((event, i) =>
      this.settings.spool.add({
        stream: outageStream(outage.service),
        event,
        provenance: { ...provenance, sequenceIndex: provenance.sequenceIndex + i },
      }),
    );
  }

  /** Records one end, once; false where the log does not take it. */
  private async record(outage: Outage, until: number | null): Promise<boolean> {
    const { log } = this.settings;
    const isDue = (open: OpenOutages): boolean => (outage.outage_id in open ? until !== null : until === null);
    try {
      await log.execute({
        stream: outageStream(outage.service),
        fold: OUTAGES_FOLD,
        provenance: provenanceOf(outage, until === null ? 'down' : 'up'),
        decide: (open) => (isDue(open) ? outageEvents(outage, until) : []),
      });
      this.told(null);
      return true;
    } catch (error) {
      // This end is on record, and the answer that said so was lost.
      if (error instanceof DuplicateEventError) return true;
      this.told(error);
      return false;
    }
  }
}

function provenanceOf(outage: Outage, end: 'down' | 'up'): Provenance {
  const jobSeed = outageSeed(outage);
  return { jobSeed, sequenceIndex: FIRST_INDEX[end], actor: SYSTEM, traceId: traceId(jobSeed) };
}

function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
