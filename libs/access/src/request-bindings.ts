import type { EventLog, Fold } from '#lib/event-store';
import { systemSeed } from '#lib/kernel';

import { bind, bound, unbound, type BindingState } from './domain/request-binding.js';
import type { CommandContext } from './principal.js';
import { provenanceOf } from './provenance.js';

const BINDING_FOLD: Fold<BindingState> = { name: 'request-binding', initial: unbound, evolve: bound };

/**
 * Binds an Idempotency-Key to the body it came with, for commands whose stream follows from the body: there another
 * body goes to another stream, which knows nothing of the key, and one seed would number two events alike. Each key has
 * a stream of its own, so that neither a clock nor a long history has a part in it; the binding's own event carries a
 * seed of its own, so that the command's numbering begins at 0 with or without a key.
 */
export class RequestBindings {
  constructor(private readonly log: EventLog) {}

  /**
   * Returns at once for a request without an Idempotency-Key.
   * @param protects true where the command may use the reserve of a full store, and its binding so too
   * @throws MaceError IDEMPOTENCY_KEY_REUSED, and what the store throws
   */
  async bind(ctx: CommandContext, protects = false): Promise<void> {
    const { keyed, seed } = ctx;
    if (!keyed) return;
    await this.log.execute({
      stream: `command-${seed.slice('cmd:'.length)}`,
      fold: BINDING_FOLD,
      provenance: { ...provenanceOf(ctx), jobSeed: systemSeed('idempotency', seed) },
      decide: (state) => bind(state, seed, ctx),
      protects,
    });
  }
}
