import type { EventDefinition } from '#lib/kernel';
import type { ProjectedEvent, Projection } from '#lib/projections';
import type { CollectionDefinition } from '#lib/read-store';

import { subjectOf } from '../domain/redaction.js';

/** Where an event stands, who caused it and whose content it holds; never what it says. */
export interface AuditRow {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  /** Normal form of the principal that caused it. */
  readonly actor: string;
  /** Null where its content is nobody's. */
  readonly subject: string | null;
  readonly position: number;
}

export const AUDIT_COLLECTION: CollectionDefinition = { name: 'events', indexes: ['stream', 'type', 'position'] };
export const AUDIT = { name: 'audit', version: 1 } as const;

/** Every event by its event_id. */
export function auditProjection(definitions: readonly EventDefinition[]): Projection {
  const byType = new Map(definitions.map((definition) => [definition.type, definition]));
  return {
    ...AUDIT,
    unhurried: true,
    collections: [AUDIT_COLLECTION],
    types: [...byType.keys()].sort(),
    project({ type, data, metadata, stream, revision, position }: ProjectedEvent) {
      const subject = subjectOf(byType.get(type)!, data);
      const row: AuditRow = { stream, revision, type, actor: metadata.actor.id, subject, position: Number(position) };
      return [{ op: 'put', collection: AUDIT_COLLECTION.name, id: metadata.event_id, body: { ...row } }];
    },
  };
}
