import type { CommandContext } from '#lib/access';
import { DuplicateEventError } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import type { KeyRequest } from './domain/canonical-key.js';
import type { IdentityRegistry } from './identity-registry.js';
import type { PiiGate } from './pii-gate.js';
import { writeFault } from './store-faults.js';

/** POST /sem/keys: makes a key of raw names. They become ids, so personal data in them is refused unrecorded. */
export class KeyRegistration {
  constructor(
    private readonly registry: IdentityRegistry,
    private readonly gate: PiiGate,
  ) {}

  /** @throws MaceError INVALID_INPUT, PRIVACY_BLOCKED, CONFLICT, IDEMPOTENCY_KEY_REUSED, STORAGE_FULL, SEM_WRITE_FAIL */
  async register(ctx: CommandContext, request: KeyRequest): Promise<string> {
    const { scope, entityType, entityIdRaw, attributeRaw, userId } = request;
    this.gate.refuseInNames([scope, entityType, entityIdRaw ?? '', attributeRaw, userId ?? '']);
    const { seed: jobSeed, actor, traceId, requestDigest } = ctx;
    try {
      return await this.registry.keyFor(request, { jobSeed, sequenceIndex: 0, actor, traceId, requestDigest });
    } catch (error) {
      // The seed's event stands in another identity's stream: the same Idempotency-Key came with another body.
      if (error instanceof DuplicateEventError) {
        throw new MaceError(
          'IDEMPOTENCY_KEY_REUSED',
          'this Idempotency-Key registered another identity; draw a new one',
        );
      }
      throw writeFault(error);
    }
  }
}
