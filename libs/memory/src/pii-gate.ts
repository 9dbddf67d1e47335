import { LruMap } from '#lib/event-store';
import { type Actor, commandSeed, MaceError, type Json } from '#lib/kernel';
import { decisiveFindings } from '#lib/privacy';

import type { Content } from './domain/content.js';
import { ownerOf, type PiiFlagged, type UsedConsent } from './domain/sem.events.js';
import type { ConsentLookup, PiiDetector, PiiFinding } from './ports.js';

/** A write as the gate judges it. */
export interface Writing {
  /** Normal form of the principal that writes. */
  readonly writer: string;
  /** Who stands in the write's event. */
  readonly actor: Actor;
  readonly key: string;
  /** Seed of the write: that of a job, or of a direct command. */
  readonly seed: string;
  readonly now: number;
  /** The council's approval, with the consents that it stands on. */
  readonly approved?: readonly UsedConsent[] | undefined;
}

/** What may become of a write. */
export type Verdict =
  | { readonly verdict: 'clear'; readonly consents: readonly UsedConsent[] }
  | { readonly verdict: 'blocked'; readonly flagged: PiiFlagged }
  /** Consented to, and of high sensitivity: the council decides. */
  | { readonly verdict: 'held'; readonly consents: readonly UsedConsent[]; readonly piiType: string };

const MAX_CLEAN = 4096;

/** Stands before every persistent write (spec/privacy.md, "What happens"). */
export class PiiGate {
  /** Keys that were found clean: they come again and again. */
  private readonly clean = new LruMap<string, true>(MAX_CLEAN);

  constructor(
    private readonly detector: PiiDetector,
    private readonly consents: ConsentLookup,
  ) {}

  /**
   * Whether content may be stored under a key: each finding needs a consent of the person whose key it is, since under
   * no other key it would be theirs alone to read.
   */
  async judge(content: Content, writing: Writing): Promise<Verdict> {
    const groups = decisiveFindings(this.detector.detect(payloadOf(content, writing.key)));
    if (groups.length === 0) return { verdict: 'clear', consents: [] };
    const used = new Map<string, UsedConsent>();
    for (const readings of groups) {
      const consent = await this.consentFor(readings, writing);
      if (!consent) return { verdict: 'blocked', flagged: this.flagOf(readings[0]!, writing.seed) };
      used.set(consent.pii_type, consent);
    }
    const consents = [...used.values()].sort((a, b) => (a.pii_type < b.pii_type ? -1 : 1));
    // Decided again where another write was faster: a consent that it took is found by nobody any more.
    if (!(await this.take(consents, writing))) return this.judge(content, writing);
    const { category, type } = groups[0]![0]!;
    if (category === 'high' && writing.approved === undefined) return { verdict: 'held', consents, piiType: type };
    return { verdict: 'clear', consents };
  }

  /** What the council approved was taken when it was asked. */
  private async take(consents: readonly UsedConsent[], { key, seed, actor, now, approved }: Writing): Promise<boolean> {
    const owner = ownerOf(key);
    if (owner === null || approved !== undefined) return true;
    const ids = consents.map(({ consent_id }) => consent_id);
    return this.consents.use(owner, ids, { seed, actor, now });
  }

  /** Refuses an address that is itself somebody's data. @throws MaceError PRIVACY_BLOCKED */
  refuseInPath(key: string): void {
    if (this.clean.get(key)) return;
    this.refuseInNames(key.split('/'));
    this.clean.set(key, true);
  }

  /**
   * Refuses personal data in what becomes part of ids, streams and keys; nothing of it is recorded.
   * @throws MaceError PRIVACY_BLOCKED
   */
  refuseInNames(names: readonly string[]): void {
    if (decisiveFindings(this.detector.detect(names)).length === 0) return;
    throw new MaceError('PRIVACY_BLOCKED', 'a part of the key holds personal data; name things by opaque ids');
  }

  /** One that allows any reading of the same characters. */
  private async consentFor(readings: readonly PiiFinding[], writing: Writing): Promise<UsedConsent | undefined> {
    const owner = ownerOf(writing.key);
    if (owner === null) return undefined;
    for (const { type } of readings) {
      const consent_id = writing.approved
        ? await this.approvedConsent(owner, type, writing.approved, writing.now)
        : await this.consents.covering(owner, { piiType: type, ...usedBy(writing, owner) });
      if (consent_id !== null) return { pii_type: type, consent_id };
    }
    return undefined;
  }

  private async approvedConsent(
    owner: string,
    type: string,
    approved: readonly UsedConsent[],
    now: number,
  ): Promise<string | null> {
    const id = approved.find(({ pii_type }) => pii_type === type)?.consent_id;
    return id !== undefined && (await this.consents.areInForce(owner, [id], now)) ? id : null;
  }

  private flagOf({ type, category, text }: PiiFinding, seed: string): PiiFlagged {
    return {
      pii_type: type,
      category,
      pii_hash: this.detector.hash(text, seed),
      redaction_reason: 'PII_DETECTED',
      detector_version: this.detector.version,
    };
  }
}

/** @returns the refusal as its caller sees it */
export function privacyBlocked(flagged: PiiFlagged): MaceError {
  return new MaceError(
    'PRIVACY_BLOCKED',
    `the content holds ${flagged.pii_type} (${flagged.category}), and no consent covers it`,
    {
      pii_type: flagged.pii_type,
      category: flagged.category,
    },
  );
}

/** A consent that names an Idempotency-Key is for the direct write that its own person sends with it. */
function usedBy({ writer, key, seed, now }: Writing, owner: string) {
  const carries = (idempotencyKey: string): boolean =>
    writer === owner && commandSeed(writer, 'PUT', `/sem/${key}`, idempotencyKey) === seed;
  return { seed, carries, now };
}

/** The value stands under its attribute, which says what a bare number is. */
function payloadOf({ value, notes, meta }: Content, key: string): Json {
  const fields: Json[] = [{ [key.slice(key.lastIndexOf('/') + 1)]: value }];
  if (notes !== undefined) fields.push(notes);
  if (meta !== undefined) fields.push(meta);
  return fields;
}
