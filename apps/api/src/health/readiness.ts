import type { EventStore } from '#lib/event-store';
import type { LastingIncident } from '#lib/incidents';
import type { KeyRing } from '#lib/kernel';
import type { ProjectionListing } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { inTime } from '../in-time.js';

export const PARTS = [
  'event_store',
  'read_store',
  'keys',
  'disk',
  'storage',
  'projections',
  'cache',
  'language_engine',
  'process',
  'incidents',
] as const;
export type Part = (typeof PARTS)[number];

/** A part that is not as it should be, and why and what to do, in words for an operator. */
export interface Finding {
  readonly part: Part;
  readonly reason: string;
}

export interface ReadinessReport {
  /** Without these no request can be served as it should be. */
  readonly failed: readonly Finding[];
  /** With these requests are served, but slower or from what was. */
  readonly degraded: readonly Finding[];
}

export interface ReadinessParts {
  readonly eventStore: Pick<EventStore, 'head'>;
  readonly readStore: Pick<ReadStore, 'generations'>;
  /** Why no event can be appended; null while it can. */
  readonly appendFault: () => string | null;
  readonly ring: Pick<KeyRing, 'all' | 'active'>;
  readonly projections: () => Promise<readonly Pick<ProjectionListing, 'name' | 'state' | 'lag'>[]>;
  readonly cacheState: () => 'up' | 'down' | undefined;
  readonly engineState: () => 'up' | 'down' | undefined;
  /** Whether the process before this one ended without stopping, and this one has not lasted yet. */
  readonly isAfterCrash: () => boolean;
  /** Incidents that are over by themselves, and are not yet. */
  readonly lasting: () => Promise<readonly Pick<LastingIncident, 'severity' | 'cause' | 'opened_at'>[]>;
  /** The limit that is reached, so that nothing but what protects is stored; null while there is room. */
  readonly storage: () => string | null;
  /** Bytes that are free where the data folder lies. */
  readonly freeBytes: () => Promise<number>;
  /** Told once when other parts have failed than before, and with none when all are well again. */
  readonly onChange: (failed: readonly Finding[]) => void;
  /** How long a part is waited for, ms; default 3000. */
  readonly waitMs?: number;
}

const MIB = 1024 * 1024;
/** Below this an append, or the checkpoint over it, may find no room. */
const LEAST_FREE_BYTES = 16 * MIB;
/** Reads that wait for a projection give up after some seconds; this is well beyond what a burst leaves. */
const MOST_LAG_S = 30;

/** Looks at every part at once; whoever asks meanwhile gets the same answer, so that asking often costs the stores nothing. */
export class Readiness {
  private underWay: Promise<ReadinessReport> | undefined;
  /** Which parts had failed when they were last looked at. */
  private told = '';

  constructor(private readonly parts: ReadinessParts) {}

  /** Never rejects. */
  look(): Promise<ReadinessReport> {
    return (this.underWay ??= this.looked().finally(() => (this.underWay = undefined)));
  }

  private async looked(): Promise<ReadinessReport> {
    const [eventStore, readStore, disk] = await Promise.all([this.eventStore(), this.readStore(), this.disk()]);
    const failed = [...eventStore, ...readStore, ...this.keys(), ...disk];
    this.tell(failed);
    // How far they are is in those stores.
    const isKnown = eventStore.length + readStore.length === 0;
    const [projections, incidents] = isKnown ? await Promise.all([this.projections(), this.incidents()]) : [[], []];
    const degraded = [
      ...this.storage(),
      ...projections,
      ...this.cache(),
      ...this.engine(),
      ...this.process(),
      ...incidents,
    ];
    return { failed, degraded };
  }

  /** Reasons hold figures that change; parts do not. */
  private tell(failed: readonly Finding[]): void {
    const parts = failed.map(({ part }) => part).join();
    if (parts === this.told) return;
    this.told = parts;
    this.parts.onChange(failed);
  }

  private async eventStore(): Promise<readonly Finding[]> {
    const { eventStore, appendFault } = this.parts;
    if (!(await this.answers(() => eventStore.head()))) return found('event_store', 'it does not answer');
    const fault = appendFault();
    return fault === null ? [] : found('event_store', `no event can be stored: ${fault}; start MACE again`);
  }

  private async readStore(): Promise<readonly Finding[]> {
    const isThere = await this.answers(() => this.parts.readStore.generations());
    return isThere ? [] : found('read_store', 'it does not answer: lists cannot be read');
  }

  private keys(): readonly Finding[] {
    const { ring } = this.parts;
    const purposes = new Set(ring.all().map(({ purpose }) => purpose));
    return [...purposes].flatMap((purpose) => {
      try {
        ring.active(purpose);
        return [];
      } catch (error) {
        return found('keys', (error as Error).message);
      }
    });
  }

  private async disk(): Promise<readonly Finding[]> {
    let free: number;
    try {
      free = await inTime(this.parts.freeBytes, this.waitMs);
    } catch {
      return found('disk', 'the data folder cannot be looked at');
    }
    if (free >= LEAST_FREE_BYTES) return [];
    return found(
      'disk',
      `${Math.floor(free / MIB)} MiB are free where the data folder lies; make room for at least 16`,
    );
  }

  private async projections(): Promise<readonly Finding[]> {
    try {
      const all = await inTime(this.parts.projections, this.waitMs);
      return all.flatMap((one) => behind(one));
    } catch {
      return found('projections', 'how far they are could not be read');
    }
  }

  /** Reads go on, and so does what protects: whoever sends requests elsewhere for it would stop those too. */
  private storage(): readonly Finding[] {
    const limit = this.parts.storage();
    return limit === null ? [] : found('storage', `writes are refused with STORAGE_FULL: ${limit}`);
  }

  private cache(): readonly Finding[] {
    if (this.parts.cacheState() !== 'down') return [];
    return found('cache', 'the shared cache does not answer: reads go to the log and are slower');
  }

  private engine(): readonly Finding[] {
    if (this.parts.engineState() !== 'down') return [];
    return found(
      'language_engine',
      'the language engine is out of service: what takes one is answered LLM_SERVICE_DOWN',
    );
  }

  private process(): readonly Finding[] {
    if (!this.parts.isAfterCrash()) return [];
    return found('process', 'the one before it ended without stopping; what it left is taken up');
  }

  /** By kind and without names: whoever asks here is not known. */
  private async incidents(): Promise<readonly Finding[]> {
    try {
      const all = await inTime(this.parts.lasting, this.waitMs);
      return [...new Set(all.map(({ cause }) => cause.type))].flatMap((type) => {
        const own = all.filter(({ cause }) => cause.type === type);
        const [{ severity, opened_at }] = own as [LastingIncident];
        const since = opened_at === null ? '' : ` since ${opened_at}`;
        return found('incidents', `${own.length} of ${type} (${severity})${since}; \`mace incidents list\` shows each`);
      });
    } catch {
      return found('incidents', 'which last could not be read');
    }
  }

  private async answers(look: () => Promise<unknown>): Promise<boolean> {
    try {
      await inTime(look, this.waitMs);
      return true;
    } catch {
      return false;
    }
  }

  private get waitMs(): number {
    return this.parts.waitMs ?? 3000;
  }
}

function behind({ name, state, lag }: Pick<ProjectionListing, 'name' | 'state' | 'lag'>): readonly Finding[] {
  if (state === 'halted') {
    return found('projections', `${name} has halted at an event; \`mace projections parked ${name}\` shows it`);
  }
  if (state === 'stopped') return found('projections', `${name} has stopped; start MACE again`);
  if (lag.seconds <= MOST_LAG_S) return [];
  const events = `${lag.events}${lag.at_least ? ' or more' : ''}`;
  return found('projections', `${name} is ${events} events and ${Math.round(lag.seconds)} s behind (${state})`);
}

/** For people: each part, and what is with it. */
export function inWords(failed: readonly Finding[]): string {
  return failed.map(({ part, reason }) => `${part.replace('_', ' ')}: ${reason}`).join('; ');
}

function found(part: Part, reason: string): readonly Finding[] {
  return [{ part, reason }];
}
