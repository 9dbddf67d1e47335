import { hash } from 'node:crypto';

import { type CommandContext, requireElevated } from '#lib/access';
import type { ArtifactStore, EventLog, Fold } from '#lib/event-store';
import { type JsonObject, type KeyRing, MaceError, systemSeed, traceId } from '#lib/kernel';

import { recordAccess, unredactingRole } from './access-record.js';
import { type ForensicKept, forensicStream } from './domain/forensics.events.js';
import { seal, unseal } from './sealed-record.js';

/** A piece of evidence as an admin reads it. */
export interface EvidenceView {
  readonly evidence_ref: string;
  readonly event_type: string;
  readonly kept_at: string;
  readonly job_id: string | null;
  readonly user_id: string | null;
  /** True where it went with the person that it was of; then there is no record. */
  readonly erased: boolean;
  readonly record: JsonObject | null;
}

const TRAIL: Fold<ForensicKept['data'] | null> = {
  name: 'forensic-trail',
  initial: null,
  evolve: (kept, { type, data }) => (type === 'FORENSIC_KEPT' ? (data as unknown as ForensicKept['data']) : kept),
};
const REF = /^[0-9a-f]{64}$/;
const SYSTEM = { id: 'system', role: 'system' };

/**
 * Evidence of what went wrong, for those who investigate alone (seed 000, E): encrypted under a key of its own, named by
 * hash in a signed trail of its own, in which each look stands before anything is shown.
 */
export class ForensicStore {
  constructor(
    private readonly log: EventLog,
    private readonly artifacts: ArtifactStore,
    private readonly ring: KeyRing,
  ) {}

  /**
   * Keeps a record under the hash of its stored form; the same record again is kept once. The trail comes first: what
   * nothing names could not be found when the person it is of is forgotten.
   * @param record says in `event_type` of what it is evidence, and in job_id and user_id whose it is
   * @returns evidence_ref
   */
  async keep(record: JsonObject): Promise<string> {
    const { kid, bytes } = seal(this.ring, record);
    const evidence_ref = hash('sha256', bytes, 'hex');
    const { event_type, job_id, user_id } = record;
    const data = {
      evidence_ref,
      event_type: event_type as string,
      kid,
      ...(typeof job_id === 'string' ? { job_id } : {}),
      ...(typeof user_id === 'string' ? { user_id } : {}),
    };
    const jobSeed = systemSeed('forensics', evidence_ref);
    await this.log.execute({
      stream: forensicStream(evidence_ref),
      fold: TRAIL,
      provenance: { jobSeed, sequenceIndex: 0, actor: SYSTEM, traceId: traceId(jobSeed) },
      decide: (kept) => (kept ? [] : [{ type: 'FORENSIC_KEPT', data }]),
    });
    return this.artifacts.put(bytes);
  }

  /**
   * A piece of evidence, once the look at it is on record in its trail.
   * @throws MaceError NOT_FOUND, PERMISSION_DENIED; ElevationRequiredError; DamagedArtifactError, UnreadableEvidenceError
   */
  async read(ctx: CommandContext, evidenceRef: string): Promise<EvidenceView> {
    requireElevated(ctx.principal);
    const stream = forensicStream(evidenceRef);
    const kept = REF.test(evidenceRef) ? (await this.log.fold(stream, TRAIL)).state : null;
    if (!kept) throw new MaceError('NOT_FOUND', 'no evidence of this name; events name theirs in evidence_ref');
    const unredactedAs = unredactingRole(ctx.principal);
    await recordAccess(this.log, ctx, { resource: `forensic/${evidenceRef}`, action: 'read', unredactedAs }, stream);
    const stored = await this.artifacts.get(evidenceRef);
    const { event_type, job_id = null, user_id = null } = kept;
    const record = stored && unseal(this.ring, stored);
    const [first] = (await this.log.store.readStream(stream, { limit: 1 })).events;
    const kept_at = new Date(first!.recordedAt).toISOString();
    return { evidence_ref: evidenceRef, event_type, kept_at, job_id, user_id, erased: record === null, record };
  }
}
