import type { PoisonEventError, RunnerStatus } from '#lib/projections';

import { faultShape, type Logger } from '../edge/log.js';

export interface ChangeLogOptions {
  /** Milliseconds, from any origin. */
  readonly clock?: () => number;
  /** How long the same fault of the same projection is not told again; default 60,000. */
  readonly quietMs?: number;
}

interface Told {
  readonly at: number;
  readonly what: string;
  /** How often it came since, without a line. */
  untold: number;
}

/**
 * One line where a projection halts, stops or meets a fault, and one where it is well again; and one where another process
 * has taken it over, since who slept through its lease has no other sign of it. A fault that comes and goes is told once a
 * minute, with how often it came.
 */
export class ChangeLog {
  private readonly told = new Map<string, Told>();
  private readonly unwell = new Set<string>();
  /** What this process keeps. */
  private readonly owned = new Set<string>();
  private readonly clock: () => number;
  private readonly quietMs: number;

  constructor(
    private readonly logger: Logger,
    { clock = (): number => performance.now(), quietMs = 60_000 }: ChangeLogOptions = {},
  ) {
    this.clock = clock;
    this.quietMs = quietMs;
  }

  changed(projection: string, { state, position, error }: RunnerStatus): void {
    if (OWNERS.has(state)) this.owned.add(projection);
    else if (state === 'standby' && this.owned.delete(projection))
      this.logger.warn({ projection, position }, 'another process has taken over a projection that this one kept');
    if (!error) {
      if (this.unwell.delete(projection))
        this.logger.info({ projection, state, position }, 'a projection goes on again');
      return;
    }
    const event = error.kind === 'poison' ? { event_id: error.event_id } : {};
    const times = this.timesUntold(projection, `${state} ${error.kind} ${event.event_id ?? error.message}`);
    if (times === null) return;
    this.unwell.add(projection);
    const facts = { projection, state, position, kind: error.kind, ...event, ...reasonOf(error.message) };
    this.logger.error({ ...facts, ...(times > 0 ? { times } : {}) }, WORDS[state] ?? 'a projection ended');
  }

  parked({ projection, event: { id, type, position }, reasonClass, reason }: PoisonEventError): void {
    const facts = { projection, position, event_id: id, type, reason_class: reasonClass, ...reasonOf(reason) };
    this.logger.error(facts, 'a projection has parked an event that it cannot take');
  }

  /** Null where it was told a short while ago. */
  private timesUntold(projection: string, what: string): number | null {
    const now = this.clock();
    const last = this.told.get(projection);
    if (last?.what === what && now - last.at < this.quietMs) {
      last.untold++;
      return null;
    }
    this.told.set(projection, { at: now, what, untold: 0 });
    return last?.what === what ? last.untold + 1 : 0;
  }
}

/** How it is with who has it; who waits for it is on standby. */
const OWNERS: ReadonlySet<RunnerStatus['state']> = new Set(['catching_up', 'live', 'retrying', 'halted'] as const);

const WORDS: Partial<Record<RunnerStatus['state'], string>> = {
  retrying: 'a projection has a fault and tries again',
  starting: 'a projection has a fault and tries again',
  standby: 'a projection has a fault and tries again',
  halted: 'a projection has halted at an event that it cannot take',
};

function reasonOf(message: string): { readonly reason: string } {
  return { reason: faultShape(new Error(message)).reason };
}
