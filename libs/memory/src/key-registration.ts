import { type CommandContext, provenanceOf } from '#lib/access';

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

  /** @throws MaceError INVALID_INPUT, PRIVACY_BLOCKED, CONFLICT, STORAGE_FULL, SEM_WRITE_FAIL */
  async register(ctx: CommandContext, request: KeyRequest): Promise<string> {
    const { scope, entityType, entityIdRaw, attributeRaw, userId } = request;
    this.gate.refuseInNames([scope, entityType, entityIdRaw ?? '', attributeRaw, userId ?? '']);
    try {
      return await this.registry.keyFor(request, provenanceOf(ctx));
    } catch (error) {
      throw writeFault(error);
    }
  }
}
