import { randomUUID } from 'node:crypto';

import { LruMap, type EventLog, type Fold, StorageFullError } from '#lib/event-store';
import { hmacSha256Hex, MaceError, systemSeed, traceId, type KeyRing } from '#lib/kernel';

import { evolve, register, unregistered, type Fingerprint, type RegistryState } from './domain/principal-registry.js';

/** What the registry must know of other libraries, handed in where the process is put together. */
export interface PrincipalRules {
  /** `user_` + the normal form of a raw user id. @throws MaceError INVALID_INPUT for one that has none */
  readonly normalForm: (rawId: string) => string;
  /** Whether an id holds personal data, such as an e-mail address. */
  readonly isPersonal: (rawId: string) => boolean;
}

const MAX_KNOWN = 20_000;
/** Registrations that wait for room: a name, a key id and a hash each, some 300 bytes. */
const MAX_WAITING = 10_000;
/** Between two attempts to register one of them. */
const WAIT_MS = 5000;
/** Persons as whom this machine's own principals own things (personOf). */
const RESERVED: readonly string[] = ['user_local', 'user_system'];
const registryFold: Fold<RegistryState> = { name: 'principal-registry', initial: unregistered, evolve };

/** Registers each user id once, under its normal form and for one spelling. */
export class Principals {
  /** Normal form by raw id. */
  private readonly known = new LruMap<string, string>(MAX_KNOWN);
  /** Who is let in and not on record, because the log has no room even for that: by normal form, what registers it. */
  private readonly waiting = new LruMap<string, { readonly holder: Fingerprint; readonly until: number }>(MAX_WAITING);

  constructor(
    private readonly log: EventLog,
    private readonly ring: KeyRing,
    private readonly rules: PrincipalRules,
  ) {}

  /** The normal form of a raw id that was registered in this process's sight. */
  seen(rawId: string): string | undefined {
    return this.known.get(rawId);
  }

  /**
   * The normal form of a raw id, registered at its first sight. Where the log has no room this process remembers who came
   * first and registers it once there is: whoever only reads needs nothing stored.
   * @throws MaceError PRIVACY_BLOCKED, INVALID_INPUT, or CONFLICT where another spelling holds the normal form
   */
  async ensure(rawId: string, role: string): Promise<string> {
    const seen = this.known.get(rawId);
    if (seen !== undefined) return seen;
    const id = this.normalFormOf(rawId);
    if (RESERVED.includes(id)) throw new MaceError('CONFLICT', 'user_id: reserved for this machine; choose another');
    const seed = systemSeed('principals', randomUUID());
    const fingerprints = this.fingerprints(rawId);
    const waiting = this.waiting.get(id);
    if (waiting) {
      register(waiting.holder, id, fingerprints);
      if (performance.now() < waiting.until) return id;
    }
    try {
      await this.log.execute({
        stream: `principal-${id}`,
        fold: registryFold,
        provenance: { jobSeed: seed, sequenceIndex: 0, actor: { id, role }, traceId: traceId(seed) },
        decide: (state) => register(state, id, fingerprints),
      });
    } catch (error) {
      if (!(error instanceof StorageFullError)) throw error;
      this.waiting.set(id, { holder: waiting?.holder ?? fingerprints[0]!, until: performance.now() + WAIT_MS });
      return id;
    }
    this.waiting.delete(id);
    this.known.set(rawId, id);
    return id;
  }

  /**
   * The normal form of somebody who has come here before.
   * @throws MaceError PRIVACY_BLOCKED, INVALID_INPUT; NOT_FOUND for nobody
   */
  async registered(rawId: string): Promise<string> {
    const id = this.known.get(rawId) ?? this.normalFormOf(rawId);
    if ((await this.log.version(`principal-${id}`)) > 0) return id;
    throw new MaceError('NOT_FOUND', `no user ${id} has come here yet`);
  }

  private normalFormOf(rawId: string): string {
    if (this.rules.isPersonal(rawId)) {
      throw new MaceError(
        'PRIVACY_BLOCKED',
        'user_id: an opaque id, without e-mail address, telephone or identity number',
      );
    }
    return this.rules.normalForm(rawId);
  }

  /**
   * `tuff` and `user_tuff` are one, so what is fingerprinted is the id without the prefix. Under the active key first;
   * the others made fingerprints before a rotation, and earlier releases made them of the id with its prefix.
   */
  private fingerprints(rawId: string): Fingerprint[] {
    const bare = rawId
      .trim()
      .toLowerCase()
      .normalize('NFC')
      .replace(/^user_/, '');
    const active = this.ring.active('pii-hmac');
    const older = this.ring.all().filter((key) => key !== active && this.ring.verifying(key.kid, 'pii-hmac'));
    return [active, ...older].flatMap((key) =>
      [bare, `user_${bare}`].map((text) => ({
        kid: key.kid,
        hmac: hmacSha256Hex(this.ring.subkey(key, 'principal-fingerprint'), text),
      })),
    );
  }
}
