/** One place of personal data in the values of an episodic summary: enough to redact them again without looking again. */
export interface PlacedFinding {
  /** Index of the item. */
  readonly item: number;
  /** RFC 6901, in the item's value; a key on the way may be personal itself. */
  readonly pointer: string;
  readonly in: 'value' | 'key';
  readonly type: string;
  readonly category: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  readonly rule: string;
  readonly pii_hash: string;
}

/** What an episodic_summary says of what was taken out of it; absent where nothing was. */
export interface EpisodicRedactions {
  /** For anyone: what kind, its hash and why; never where or what. */
  readonly redacted?: readonly {
    readonly pii_type: string;
    readonly category: string;
    readonly pii_hash: string;
    readonly redaction_reason: 'PII_DETECTED';
  }[];
  /** Personal: the findings themselves, which a replay goes by. */
  readonly redactions?: readonly PlacedFinding[];
}

export function redactionsOf(findings: readonly PlacedFinding[]): EpisodicRedactions {
  if (findings.length === 0) return {};
  const redacted = findings.map(({ type: pii_type, category, pii_hash }) => {
    return { pii_type, category, pii_hash, redaction_reason: 'PII_DETECTED' } as const;
  });
  return { redacted, redactions: findings };
}
