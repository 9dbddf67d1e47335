import { LruMap } from '#lib/event-store';
import { MaceError, type Json } from '#lib/kernel';

import type { Content } from './domain/content.js';
import type { PiiFlagged } from './domain/sem.events.js';
import type { ConsentLookup, PiiDetector, PiiFinding } from './ports.js';

interface Writing {
  readonly userId: string;
  readonly key: string;
  readonly seed: string;
  readonly now: number;
}

type Blocking = PiiFinding & { readonly category: 'high' | 'medium' };

const MAX_CLEAN = 4096;
const WORST_FIRST = ['high', 'medium'] as const;

/** Stands before every persistent write (spec/privacy.md, "What happens"). */
export class PiiGate {
  /** Keys that were found clean: they come again and again. */
  private readonly clean = new LruMap<string, true>(MAX_CLEAN);

  constructor(
    private readonly detector: PiiDetector,
    private readonly consents: ConsentLookup,
  ) {}

  /** What keeps this content from being stored: the worst finding that no consent covers; null where nothing does. */
  async judge(content: Content, writing: Writing): Promise<PiiFlagged | null> {
    const findings = blocking(this.detector.detect(payloadOf(content, writing.key)));
    for (const { type, category, text } of findings) {
      if (await this.consents.covers({ ...writing, piiType: type, category })) continue;
      return {
        pii_type: type,
        category,
        pii_hash: this.detector.hash(text, writing.seed),
        redaction_reason: 'PII_DETECTED',
        detector_version: this.detector.version,
      };
    }
    return null;
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
    if (blocking(this.detector.detect(names)).length === 0) return;
    throw new MaceError('PRIVACY_BLOCKED', 'a part of the key holds personal data; name things by opaque ids');
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

/** The value stands under its attribute, which says what a bare number is. */
function payloadOf({ value, notes, meta }: Content, key: string): Json {
  const fields: Json[] = [{ [key.slice(key.lastIndexOf('/') + 1)]: value }];
  if (notes !== undefined) fields.push(notes);
  if (meta !== undefined) fields.push(meta);
  return fields;
}

function blocking(findings: readonly PiiFinding[]): readonly Blocking[] {
  return WORST_FIRST.flatMap((category) =>
    findings.filter((finding): finding is Blocking => finding.category === category),
  );
}
