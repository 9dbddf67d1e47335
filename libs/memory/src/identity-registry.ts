import type { EventLog, Fold } from '#lib/event-store';
import { hmacSha256Hex, type KeyRing, type Provenance } from '#lib/kernel';

import {
  type CanonicalKey,
  formatCanonicalKey,
  generateCanonicalKey,
  identityText,
  parseCanonicalKey,
  type KeyRequest,
} from './domain/canonical-key.js';
import {
  claim,
  evolveIdentity,
  identityStream,
  initialIdentity,
  register,
  type IdentityState,
} from './domain/registration.js';
import type { Fingerprint } from './domain/sem.events.js';

const IDENTITY_FOLD: Fold<IdentityState> = { name: 'identity', initial: initialIdentity, evolve: evolveIdentity };

/** Makes keys of what people and agents write, so that two different things never share one (spec/memory.md, "Collision"). */
export class IdentityRegistry {
  constructor(
    private readonly log: EventLog,
    private readonly ring: KeyRing,
  ) {}

  /**
   * The key of a raw identity and attribute; the identity is registered at its first sight. User keys are exempt: the
   * principal registry guards them.
   * @throws MaceError INVALID_INPUT, CONFLICT
   */
  async keyFor(request: KeyRequest, provenance: Provenance): Promise<string> {
    const key = parseCanonicalKey(generateCanonicalKey(request));
    const raw = request.entityIdRaw;
    if (key.scope === 'user' || raw === null || raw === undefined) return formatCanonicalKey(key);
    const candidates = this.fingerprints(raw);
    let entityId = key.entityId;
    await this.log.execute({
      stream: identityStream(key),
      fold: IDENTITY_FOLD,
      provenance,
      decide: (state) => {
        const registration = register(state, key.entityId, raw, candidates);
        entityId = registration.entityId;
        return registration.event ? [registration.event] : [];
      },
    });
    return formatCanonicalKey({ ...key, entityId });
  }

  /**
   * Gives an entity_id to every one of these spellings that no identity holds yet, at its first sight or later; for what
   * is in memory before anybody asks for a key. A spelling that was registered stays what it was.
   */
  async claim(key: Omit<CanonicalKey, 'attribute'>, spellings: readonly string[], by: Provenance): Promise<void> {
    const identities = spellings.map((raw) => this.fingerprints(raw));
    await this.log.execute({
      stream: identityStream(key),
      fold: IDENTITY_FOLD,
      provenance: by,
      decide: (state) => claim(state, key.entityId, identities),
    });
  }

  /** Under the active key first; the others made fingerprints before a rotation. */
  private fingerprints(raw: string): [Fingerprint, ...Fingerprint[]] {
    const text = identityText(raw);
    const active = this.ring.active('pii-hmac');
    const older = this.ring.all().filter((key) => key !== active && this.ring.verifying(key.kid, 'pii-hmac'));
    const under = (key: typeof active): Fingerprint => ({
      kid: key.kid,
      hmac: hmacSha256Hex(this.ring.subkey(key, 'identity-fingerprint'), text),
    });
    return [under(active), ...older.map(under)];
  }
}
