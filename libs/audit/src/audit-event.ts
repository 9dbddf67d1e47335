import { hasRole, type Principal } from '#lib/access';
import { type LoggedEvent, type RecordedEvent, type RecordedTime, recordedTime } from '#lib/event-store';
import type { Actor, EventDefinition, JsonObject } from '#lib/kernel';

import { redactedData, withoutPiiHashes } from './domain/redaction.js';

/** An event as an audit shows it: verified against its key and the event before it. */
export interface AuditEvent extends RecordedTime {
  readonly event_id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly type: string;
  readonly schema_version: number;
  readonly sequence_index: number;
  readonly timestamp_seeded: string;
  readonly actor: Actor;
  readonly signed_by: string;
  readonly kid: string;
  readonly job_seed: string;
  readonly job_id: string | null;
  readonly trace_id: string;
  readonly causation_id: string | null;
  readonly prev_hash: string;
  /** sha256 of the stored text: prev_hash of the event after it. */
  readonly hash: string;
  /** True where what was said is hidden from the reader. */
  readonly redacted: boolean;
  readonly data: JsonObject;
  /** The stored text; only where it was asked for. */
  readonly canonical?: string;
}

/** A stored event that was found to be what was signed, chained to the event before it. */
export interface VerifiedEvent {
  readonly recorded: RecordedEvent;
  /** sha256 of the stored text. */
  readonly hash: string;
  /** With its personal fields as stored. */
  readonly event: LoggedEvent;
  readonly definition: EventDefinition;
}

export interface Showing {
  readonly seesPiiHashes: boolean;
  /** What was said, for who may see it; redacted where absent. */
  readonly plain?: JsonObject;
  /** Adds the stored text. */
  readonly stored?: boolean;
}

/** An event in the one form in which events are shown, in lists and live. */
export function auditEvent(verified: VerifiedEvent, { seesPiiHashes: hashes, plain, stored }: Showing): AuditEvent {
  const { recorded, hash, event, definition } = verified;
  const { metadata, type, stream, revision, position } = event;
  const data = plain ?? redactedData(definition, event.data);
  return {
    event_id: metadata.event_id,
    stream,
    revision,
    position,
    type,
    schema_version: metadata.schema_version,
    sequence_index: metadata.sequence_index,
    timestamp_seeded: metadata.timestamp_seeded,
    ...recordedTime(event),
    actor: metadata.actor,
    signed_by: metadata.actor.id,
    kid: metadata.kid,
    job_seed: metadata.job_seed,
    job_id: metadata.job_id ?? null,
    trace_id: metadata.trace_id,
    causation_id: metadata.$causationId ?? null,
    prev_hash: metadata.prev_hash,
    hash,
    redacted: plain === undefined,
    data: hashes ? data : withoutPiiHashes(data),
    ...(stored ? { canonical: recorded.text } : {}),
  };
}

/** Auditors and admins, who may look at every event, with the keyed hashes of personal data that are in it. */
export function isAuditing(principal: Principal): boolean {
  return hasRole(principal, 'auditor') || hasRole(principal, 'admin');
}
