import { randomUUID } from 'node:crypto';

import { DuplicateEventError, type EventLog, type Fold } from '#lib/event-store';
import { traceId, type Provenance } from '#lib/kernel';
import type { FailureSpool } from '#lib/memory';

import { RAISED_SEVERITIES } from './domain/incident.js';
import {
  causeOf,
  endOf,
  evolveOutages,
  FIRST_INDEX,
  FIRST_SEVERITIES,
  isOverdue,
  type OpenOutages,
  type Outage,
  outageEvents,
  outageOf,
  outageSeed,
} from './domain/outage.js';
import { outageStream, type Service, SERVICES } from './domain/outages.events.js';
import { close, escalate, open, SYSTEM } from './incident-streams.js';

/** Characters. */
const MAX_REASON = 500;

const OUTAGES_FOLD: Fold<OpenOutages> = { name: 'outages', initial: {}, evolve: evolveOutages };

export interface OutageOptions {
  readonly log: EventLog;
  /** Where events wait that the log does not take. */
  readonly spool: FailureSpool;
  /** Appends what waits there, as far as the log takes it; never rejects. */
  readonly recover: () => Promise<void>;
  /** Asks a service whether it answers. @throws where it does not */
  readonly probes: Readonly<Record<Exclude<Service, 'cache' | 'language-engine' | 'process'>, () => Promise<unknown>>>;
  /** Null where no language engine is configured. */
  readonly engine: EngineProbe | null;
  /** Told of each outage at both its ends, and where it is overdue: once each; with what the error said, in one line. */
  readonly tell: (what: 'down' | 'up' | 'overdue', outage: Outage, reason: string | null) => void;
  /** Told of what could not be recorded or raised yet, which is tried again; null once it could. */
  readonly onFault: (error: unknown) => void;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
  /** Pause between two looks while something is down; default 1000. */
  readonly intervalMs?: number;
}

/** Language engines are asked seldom: their answers cost, and a turn that is answered tells the same. */
export interface EngineProbe {
  /** Whether one of them is in service. Never rejects. */
  readonly ask: (signal: AbortSignal) => Promise<boolean>;
  /** Pause between two questions while it is out of service; default 30,000 ms. */
  readonly everyMs?: number;
}

const ENGINE_PROBE_MS = 30_000;
/** A process that has run so long has taken up what the one before it left. */
const STABLE_MS = 60_000;

interface Down {
  readonly outage: Outage;
  /** What the error said; null of an outage that an earlier process left. */
  readonly reason: string | null;
  /** Whether it has an incident. */
  isOpened: boolean;
  /** Whether that is critical, for having lasted. */
  isOverdue: boolean;
  /** The cache and the language engine are said to answer again; the others are asked. */
  isBack: boolean;
  /** The failure that came after it answered again, and so begins another. */
  again: readonly [fault: string, said: string] | null;
  /** When it was over, milliseconds since the Unix epoch; null until that is on record. */
  until: number | null;
}

/**
 * Which services are out of reach. Each outage is recorded at both its ends, once, whatever the number of requests that
 * met it; while the log takes nothing its events wait in the spool. One that lasts too long is a critical incident by
 * the due time in its own event, also where it began in an earlier process.
 */
export class Outages {
  /** By outage_id: of a service there is one of this process, and those that earlier ones left. */
  private readonly down = new Map<string, Down>();
  private readonly settings: Required<OutageOptions>;
  private readonly stopping = new AbortController();
  private readonly startedAt: number;
  /** When the language engine is asked next, milliseconds since the Unix epoch. */
  private nextProbe = 0;
  private probing = false;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;
  private isFaulty = false;

  constructor(options: OutageOptions) {
    this.settings = { now: Date.now, intervalMs: 1000, ...options };
    this.startedAt = this.settings.now();
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
        this.failed('event-store', kindOf(error), error instanceof Error ? error.message : '');
      }
    }
  }

  /** A call of a service failed because it is out of reach. Costs nothing where that is known. */
  failed(service: Service, fault: string, said = ''): void {
    const known = this.lasting(service);
    for (const down of known) Object.assign(down, { isBack: false, again: [fault, said] });
    if (known.length > 0 || this.stopped) return;
    const outage = outageOf(service, `out-${randomUUID()}`, this.settings.now(), fault);
    const reason = said === '' ? fault : said.replace(/\s+/g, ' ').slice(0, MAX_REASON);
    const down = begun(outage, reason);
    this.down.set(outage.outage_id, down);
    this.settings.tell('down', outage, reason);
    if (service === 'language-engine') this.nextProbe = this.settings.now() + this.probeEveryMs;
    this.look(() => this.recordBeginning(down));
    this.schedule();
  }

  isDown(service: Service): boolean {
    return this.lasting(service).length > 0;
  }

  /** A service that reports by itself answers again. */
  answered(service: Service): void {
    for (const down of this.lasting(service)) {
      down.isBack = true;
      this.look(() => this.lookAt(down));
    }
  }

  /** What is out of reach now. */
  get open(): readonly Outage[] {
    return [...this.down.values()].map(({ outage }) => outage);
  }

  /** Looks at once at everything that is down; the timer does so while anything is. */
  async tick(): Promise<void> {
    for (const down of this.down.values()) this.look(() => this.lookAt(down));
    await this.looking;
    this.schedule();
  }

  /** Settles once nothing is being recorded; what is down stays recorded as down. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.stopping.abort();
    clearTimeout(this.timer);
    await this.looking;
  }

  /** One look after another, so that the two ends of an outage keep their order. One that fails is told, and ends none after it. */
  private look(work: () => Promise<void>): void {
    this.looking = this.looking.then(work).catch((error: unknown) => this.told(error));
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (this.stopped || this.down.size === 0) return;
    this.timer = setTimeout(() => void this.tick(), this.settings.intervalMs).unref();
  }

  private async lookAt(down: Down): Promise<void> {
    const { outage } = down;
    if (!this.down.has(outage.outage_id)) return;
    const until = down.until ?? (await this.ended(down));
    if (until === null || (down.isOpened && !(await this.closed(outage, until)))) return;
    this.down.delete(outage.outage_id);
  }

  /** When it was over, where it is and that is on record; a failure that came meanwhile begins another. */
  private async ended(down: Down): Promise<number | null> {
    const { outage } = down;
    const { now, tell } = this.settings;
    const answers = await this.answers(down);
    if (answers) down.again = null;
    const isLate = isOverdue(outage, now());
    if (!(await this.raised(down, isLate)) || !answers) return null;
    const until = now();
    // The spool is bounded: a beginning that it had to let go is recorded now.
    if (!(await this.record(outage, null)) || !(await this.record(outage, until))) return null;
    down.until = until;
    tell('up', outage, down.reason);
    if (down.again) this.failed(outage.service, ...down.again);
    return until;
  }

  private lasting(service: Service): readonly Down[] {
    return [...this.down.values()].filter(({ outage, until }) => outage.service === service && until === null);
  }

  /** Opens its incident where it is one by now, once for each severity; false where the log does not take it. */
  private async raised(down: Down, isLate: boolean): Promise<boolean> {
    const { log, tell } = this.settings;
    const { outage } = down;
    const cause = causeOf(outage);
    const [first, last] = [FIRST_SEVERITIES[outage.service], RAISED_SEVERITIES.SERVICE_UNAVAILABLE];
    if (first !== null && !down.isOpened) {
      if (!(await this.recorded(() => open(log, cause, first)))) return false;
      down.isOpened = true;
    }
    if (!isLate || down.isOverdue) return true;
    if (!(await this.recorded(() => (down.isOpened ? escalate(log, cause, last) : open(log, cause, last)))))
      return false;
    down.isOpened = down.isOverdue = true;
    tell('overdue', outage, down.reason);
    return true;
  }

  private closed(outage: Outage, until: number): Promise<boolean> {
    const at = new Date(until).toISOString();
    return this.recorded(() => close(this.settings.log, causeOf(outage), endOf(outage, 'up'), at));
  }

  /** False where the log does not take it: it is done again as soon as it does, which is before the outage ends. */
  private async recorded(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.told(null);
      return true;
    } catch (error) {
      this.told(error);
      return false;
    }
  }

  private told(fault: unknown): void {
    if (fault !== null || this.isFaulty) this.settings.onFault(fault);
    this.isFaulty = fault !== null;
  }

  /** Beside the looks, which no engine that hangs may hold up. */
  private probeEngine(): void {
    const { engine, now } = this.settings;
    if (!engine || this.probing || now() < this.nextProbe) return;
    this.probing = true;
    void engine.ask(this.stopping.signal).then((isBack) => {
      this.probing = false;
      this.nextProbe = now() + this.probeEveryMs;
      if (isBack) this.answered('language-engine');
    });
  }

  private get probeEveryMs(): number {
    return this.settings.engine?.everyMs ?? ENGINE_PROBE_MS;
  }

  private async answers({ outage: { service }, isBack }: Down): Promise<boolean> {
    if (service === 'language-engine') this.probeEngine();
    if (service === 'cache' || service === 'language-engine') return isBack;
    if (service === 'process') return this.settings.now() - this.startedAt >= STABLE_MS;
    try {
      await this.settings.probes[service]();
    } catch {
      return false;
    }
    return service === 'read-store' || this.drained();
  }

  /** Appends what waits; true where nothing does any more. */
  private async drained(): Promise<boolean> {
    await this.settings.recover();
    return this.settings.spool.waiting.length === 0;
  }

  /**
   * What an earlier process saw go down and never saw come back: the services answer, or this process would not run. A
   * language engine is asked, where there is one, and a process that crashed is followed by one that has to last.
   */
  private async closeLeft(outage: Outage): Promise<void> {
    if (this.down.has(outage.outage_id)) return;
    const isAsked = outage.service === 'language-engine' && this.settings.engine !== null;
    const down = { ...begun(outage, null), isBack: !isAsked };
    this.down.set(outage.outage_id, down);
    await this.lookAt(down);
    this.schedule();
  }

  private async recordBeginning(down: Down): Promise<void> {
    const { outage } = down;
    if (await this.record(outage, null)) return void (await this.raised(down, false));
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

function begun(outage: Outage, reason: string | null): Down {
  return { outage, reason, isOpened: false, isOverdue: false, isBack: false, again: null, until: null };
}

function provenanceOf(outage: Outage, end: 'down' | 'up'): Provenance {
  const jobSeed = outageSeed(outage);
  return { jobSeed, sequenceIndex: FIRST_INDEX[end], actor: SYSTEM, traceId: traceId(jobSeed) };
}

function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
