import { setTimeout as sleep } from 'node:timers/promises';

import type { EventLog } from '#lib/event-store';

import { countedType, isPast } from './domain/counted-failures.js';
import { DENIED_TYPE, isTooMany } from './domain/denied-often.js';
import { ERASURE_TYPES, LOCKED_TYPE } from './domain/lasting-causes.js';
import { COUNTS, denialsIn } from './incident-reaction.js';
import { close } from './incident-streams.js';
import type { LastingIncident } from './read-models/incidents.projection.js';

const EVERY_MS = 15_000;

export interface LastingIncidentOptions {
  readonly log: EventLog;
  /** Those that are not closed, as far as their read model is. */
  readonly lasting: () => Promise<readonly LastingIncident[]>;
  /** How long a second factor stays locked, ms. */
  readonly lockMs: number;
  /** Told of what could not be looked at or closed yet, which is tried again; null once it could. */
  readonly onFault: (error: unknown) => void;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Pause between two looks; default 15,000 ms. */
  readonly everyMs?: number;
}

/** Closes incidents that are over because no more came of what caused them. Several processes may: each is closed once. */
export class LastingIncidents {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: LastingIncidentOptions) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Lets the look under way end. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Looks at once at all of them. Never rejects. */
  async look(): Promise<void> {
    const { log, lasting, onFault, now } = this.options;
    try {
      for (const incident of await lasting()) {
        if (this.stopping.signal.aborted) return;
        if (await this.isOver(incident)) await close(log, incident.cause, null, new Date(now()).toISOString());
      }
      onFault(null);
    } catch (error) {
      onFault(error);
    }
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.look();
      await sleep(this.options.everyMs ?? EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async isOver({ cause: { type, stream, event_id }, opened_at }: LastingIncident): Promise<boolean> {
    const { log, lockMs } = this.options;
    const now = this.options.now();
    if (ERASURE_TYPES.includes(type)) return false;
    if (type === LOCKED_TYPE) return opened_at === null || now >= Date.parse(opened_at) + lockMs;
    if (type === DENIED_TYPE) return !isTooMany(await denialsIn(log, stream), now);
    const counter = countedType(type);
    const { state } = await log.fold(counter.stream, COUNTS[counter.type]);
    return isPast(counter, state, event_id, now);
  }
}
