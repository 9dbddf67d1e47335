import type { DomainEvent, EventDefinition } from '#lib/kernel';

/** In `forensic-{evidence_ref}`: evidence is kept under that name, which is the hash of what is stored. */
export type ForensicKept = DomainEvent<
  'FORENSIC_KEPT',
  {
    readonly evidence_ref: string;
    /** Of what it is evidence, such as POLICY_VIOLATION. */
    readonly event_type: string;
    /** The forensic key that it is encrypted under. */
    readonly kid: string;
    /** Absent where it is of no job. */
    readonly job_id?: string;
    /** Whose content it holds, with whom it goes; absent where it is nobody's. */
    readonly user_id?: string;
  }
>;

/** In the same trail: what was kept went with the person it was of, for this data-subject request. */
export type ForensicErased = DomainEvent<
  'FORENSIC_ERASED',
  {
    readonly evidence_ref: string;
    /** Absent where a restored log knows by a witness's mark alone that it was deleted (docs/proof.md). */
    readonly dsr_id?: string;
  }
>;

export const forensicEvents: readonly EventDefinition[] = [
  { type: 'FORENSIC_KEPT', version: 1, plain: ['evidence_ref', 'event_type', 'kid', 'job_id', 'user_id'] },
  { type: 'FORENSIC_ERASED', version: 1, plain: ['evidence_ref', 'dsr_id'] },
];

/** The trail of one piece of evidence: that it was kept, each look at it, and that it was erased. */
export function forensicStream(evidenceRef: string): string {
  return `forensic-${evidenceRef}`;
}
