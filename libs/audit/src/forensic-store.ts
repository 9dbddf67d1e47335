import { hash } from 'node:crypto';

import { type CommandContext, requireElevated } from '#lib/access';
import {
  type ArtifactStore,
  type EventLog,
  type Fold,
  type RecordedEvent,
  type RecordedTime,
  recordedTime,
} from '#lib/event-store';
import { type DomainEvent, type JsonObject, type KeyRing, MaceError, systemSeed, traceId } from '#lib/kernel';

import { recordAccess, unredactingRole } from './access-record.js';
import type { Standing } from './audit-log.js';
import { type ForensicErased, type ForensicKept, forensicStream } from './domain/forensics.events.js';
import { seal, unseal } from './sealed-record.js';

/** A piece of evidence as an admin reads it. */
export interface EvidenceView {
  readonly evidence_ref: string;
  readonly event_type: string;
  readonly kept_at: string;
  /** Whether that stands in a signed event (RecordedTime). */
  readonly kept_at_is: RecordedTime['recorded_at_is'];
  readonly job_id: string | null;
  readonly user_id: string | null;
  /** True where it went with the person that it was of; then there is no record. */
  readonly erased: boolean;
  /**
   * True where the trail names it and it is not there, though nothing erased it: the process that kept it was stopped
   * before it was stored, or it was lost since; then there is no record either.
   */
  readonly missing: boolean;
  /** True where a consent under which its job was told something has ended: then nobody is shown the record. */
  readonly withheld: boolean;
  readonly record: JsonObject | null;
}

interface Trail {
  readonly kept: ForensicKept['data'] | null;
  readonly erased: boolean;
}

const TRAIL: Fold<Trail> = {
  name: 'forensic-trail',
  initial: { kept: null, erased: false },
  evolve: (trail, { type, data }) => {
    if (type === 'FORENSIC_KEPT') return { ...trail, kept: data as unknown as ForensicKept['data'] };
    return type === 'FORENSIC_ERASED' ? { ...trail, erased: true } : trail;
  },
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
    /** Absent where nobody reads: then no record is shown that is of a job. */
    private readonly standing?: Standing,
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
    await this.trace(evidence_ref, 'forensics', ({ kept }) => (kept ? [] : [{ type: 'FORENSIC_KEPT', data }]));
    if (await this.isErased(evidence_ref)) return evidence_ref;
    await this.artifacts.put(bytes, 'evidence');
    // An erasure in between found nothing to delete yet.
    if (await this.isErased(evidence_ref)) await this.artifacts.delete(evidence_ref);
    return evidence_ref;
  }

  /**
   * Deletes evidence for a data-subject request, for good; again is no error. The trail says so first: what is not there
   * and was not erased is missing.
   * @param evidenceRef what events name so; of another store's there is no trail to write in
   * @param dsr_id null where it is not known any more, after a restore
   */
  async erase(evidenceRef: string, dsr_id: string | null): Promise<void> {
    const data: ForensicErased['data'] = { evidence_ref: evidenceRef, ...(dsr_id === null ? {} : { dsr_id }) };
    await this.trace(evidenceRef, 'forensics-erased', ({ kept, erased }) =>
      kept && !erased ? [{ type: 'FORENSIC_ERASED', data }] : [],
    );
    await this.artifacts.delete(evidenceRef);
  }

  /**
   * A piece of evidence, once the look at it is on record in its trail.
   * @throws MaceError NOT_FOUND, PERMISSION_DENIED; ElevationRequiredError; DamagedArtifactError, UnreadableEvidenceError
   */
  async read(ctx: CommandContext, evidenceRef: string): Promise<EvidenceView> {
    requireElevated(ctx.principal);
    const stream = forensicStream(evidenceRef);
    const { kept, erased } = REF.test(evidenceRef) ? await this.trailOf(evidenceRef) : TRAIL.initial;
    if (!kept) throw new MaceError('NOT_FOUND', 'no evidence of this name; events name theirs in evidence_ref');
    const unredactedAs = unredactingRole(ctx.principal);
    await recordAccess(this.log, ctx, { resource: `forensic/${evidenceRef}`, action: 'read', unredactedAs }, stream);
    const stored = erased ? null : await this.artifacts.get(evidenceRef);
    const { event_type, job_id = null, user_id = null } = kept;
    const there = stored && unseal(this.ring, stored);
    const [first] = (await this.log.store.readStream(stream, { limit: 1 })).events;
    const { recorded_at: kept_at, recorded_at_is: kept_at_is } = recordedTime(this.log.codec.decode(first!));
    const missing = !erased && there === null;
    const withheld = there !== null && !(await this.stands(first!, kept, ctx.now));
    const record = withheld ? null : there;
    return {
      evidence_ref: evidenceRef,
      event_type,
      kept_at,
      kept_at_is,
      job_id,
      user_id,
      erased,
      missing,
      withheld,
      record,
    };
  }

  /** Evidence of no job rests on nobody's consent. */
  private async stands(first: RecordedEvent, { job_id, user_id }: ForensicKept['data'], now: number): Promise<boolean> {
    if (job_id === undefined) return true;
    return (await this.standing?.(this.log.codec.decode(first), user_id ?? '', now)) ?? false;
  }

  private async trailOf(evidenceRef: string): Promise<Trail> {
    return (await this.log.fold(forensicStream(evidenceRef), TRAIL)).state;
  }

  private async isErased(evidenceRef: string): Promise<boolean> {
    return (await this.trailOf(evidenceRef)).erased;
  }

  private async trace(
    evidenceRef: string,
    component: string,
    decide: (trail: Trail) => readonly DomainEvent[],
  ): Promise<void> {
    const jobSeed = systemSeed(component, evidenceRef);
    await this.log.execute({
      stream: forensicStream(evidenceRef),
      fold: TRAIL,
      provenance: { jobSeed, sequenceIndex: 0, actor: SYSTEM, traceId: traceId(jobSeed) },
      decide,
    });
  }
}
