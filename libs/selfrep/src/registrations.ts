import { randomUUID } from 'node:crypto';

import type { EventLog, Fold } from '#lib/event-store';
import { InHandError, MaceError, type Provenance, systemSeed } from '#lib/kernel';

import { cycleThrough, type DependencyGraph } from './domain/dependencies.js';
import type { ModuleSpec } from './domain/registration.js';
import {
  evolveReservations,
  moduleReserved,
  noReservations,
  RESERVATIONS_STREAM,
  RESERVED_MS,
  type Reservations,
  withReserved,
} from './domain/reservations.js';
import type { ModuleStreams } from './module-streams.js';

const FOLD: Fold<Reservations> = { name: 'module-reservations', initial: noReservations, evolve: evolveReservations };

type Dependent = Pick<ModuleSpec, 'node_id' | 'dependencies'>;

/**
 * Keeps dependencies free of cycles over all processes. Each registration first reserves its dependencies in one stream,
 * decided on what stands there: of two that together close a cycle, the second sees the first.
 */
export class Registrations {
  constructor(
    private readonly log: EventLog,
    private readonly streams: ModuleStreams,
    private readonly registered: DependencyGraph,
    private readonly now: () => number = Date.now,
  ) {}

  /** As far as is known here; nothing is reserved. @throws MaceError INVALID_INPUT where a way would lead back to it */
  refuseCycle({ node_id, dependencies }: Dependent): void {
    const cycle = cycleThrough(node_id, dependencies, this.registered);
    if (cycle) throw cyclic(cycle);
  }

  /**
   * Registers a module once its dependencies are reserved.
   * @param register calls `refuseLate` where it decides, so that nothing is registered on a reservation that ended
   * @throws MaceError INVALID_INPUT where a way would lead from the module back to it; and what `register` and the store throw
   */
  async carryOut<T>(
    module: Dependent,
    by: Pick<Provenance, 'actor' | 'traceId'>,
    register: (refuseLate: () => void) => Promise<T>,
  ): Promise<T> {
    // What depends on nothing closes no cycle, and of what is registered nothing changes.
    const needsNone = module.dependencies.length === 0 || (await this.streams.read(module.node_id)).module !== null;
    if (needsNone) return register(() => undefined);
    const reservedAt = await this.reserve(module, by);
    return register(() => {
      if (this.now() - reservedAt > RESERVED_MS / 2) throw new InHandError('the registration took too long; try again');
    });
  }

  /** @returns when it was, milliseconds since the Unix epoch */
  private async reserve(module: Dependent, { actor, traceId }: Pick<Provenance, 'actor' | 'traceId'>): Promise<number> {
    const { node_id, dependencies } = module;
    const ended = new Set<string>();
    for (;;) {
      const reservedAt = this.now();
      const found: { cycle: readonly string[] | null } = { cycle: null };
      const { state } = await this.log.execute({
        stream: RESERVATIONS_STREAM,
        fold: FOLD,
        provenance: { jobSeed: systemSeed('modules', randomUUID()), sequenceIndex: 0, actor, traceId },
        decide: (reserved) => {
          found.cycle = cycleThrough(node_id, dependencies, withReserved(this.registered, reserved, ended));
          if (found.cycle) return [];
          return [moduleReserved({ node_id, dependencies, reserved_at: new Date(reservedAt).toISOString() })];
        },
      });
      if (!found.cycle) return reservedAt;
      if (!(await this.dropEnded(found.cycle, state, ended))) throw cyclic(found.cycle);
    }
  }

  /**
   * Adds the reservations on a cycle that came to nothing: the module was registered without those dependencies, or was
   * not registered in time.
   * @returns whether there is one
   */
  private async dropEnded(cycle: readonly string[], reserved: Reservations, ended: Set<string>): Promise<boolean> {
    const before = ended.size;
    for (const [i, from] of cycle.slice(1, -1).entries()) {
      const dependsOn = ({ to }: { readonly to: string }): boolean => to === cycle[i + 2];
      if (this.registered.dependenciesOf(from).some(dependsOn)) continue;
      const { module } = await this.streams.read(from);
      if (module?.dependencies.some(dependsOn)) continue;
      for (const [id, { node_id, dependencies, reserved_at }] of reserved.entries()) {
        if (node_id !== from || !dependencies.some(dependsOn)) continue;
        if (module || this.now() - Date.parse(reserved_at) > RESERVED_MS) ended.add(id);
      }
    }
    return ended.size > before;
  }
}

function cyclic(cycle: readonly string[]): MaceError {
  return new MaceError('INVALID_INPUT', `dependencies: a cycle, ${cycle.join(' -> ')}`);
}
