import type { JsonObject } from '#lib/kernel';
import type { ProjectedEvent, Projection } from '#lib/projections';
import type { Change, CollectionDefinition } from '#lib/read-store';

import { type DsrStatus, dueAt } from '../domain/dsr.js';
import type { DsrKind, DsrRequested } from '../domain/dsr.events.js';

/** A request as the queue shows it; what an admin wrote of the person stays in its stream. */
export interface DsrRow {
  readonly dsr_id: string;
  readonly kind: DsrKind;
  readonly user_id: string;
  readonly status: DsrStatus;
  readonly requested_by: string;
  readonly requested_at: string;
  /** Until when it is to be decided on; null for an export. */
  readonly due_at: string | null;
  /** Who approved or refused it; null before. */
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  /** Position of DSR_REQUEST: what the queue is sorted by. */
  readonly position: number;
}

export const DSR_COLLECTION: CollectionDefinition = {
  name: 'dsr_requests',
  indexes: ['status', 'user_id', 'position'],
};

/** Requests of people about what is recorded of them. */
export const dsrProjection: Projection = {
  name: 'dsr',
  version: 1,
  collections: [DSR_COLLECTION],
  types: ['DSR_REQUEST', 'DSR_APPROVED', 'DSR_REFUSED', 'ERASURE_REQUESTED', 'SUBJECT_ERASED'],
  project(event: ProjectedEvent): readonly Change[] {
    const id = event.data['dsr_id'] as string;
    return [{ op: 'merge', collection: DSR_COLLECTION.name, id, fields: fieldsOf(event) }];
  },
};

function fieldsOf({ type, data, position }: ProjectedEvent): JsonObject {
  switch (type) {
    case 'DSR_REQUEST':
      return { ...requested(data as unknown as DsrRequested, Number(position)) };
    case 'DSR_APPROVED':
      return { status: 'approved', decided_by: data['approved_by']!, decided_at: data['approved_at']! };
    case 'DSR_REFUSED':
      return { status: 'refused', decided_by: data['refused_by']!, decided_at: data['refused_at']! };
    default:
      return { status: type === 'SUBJECT_ERASED' ? 'erased' : 'erasing' };
  }
}

function requested(request: DsrRequested, position: number): DsrRow {
  const { dsr_id, kind, user_id, requested_by, requested_at } = request;
  return {
    dsr_id,
    kind,
    user_id,
    status: kind === 'export' ? 'ready' : 'waiting_for_approval',
    requested_by,
    requested_at,
    due_at: dueAt(kind, requested_at),
    decided_by: null,
    decided_at: null,
    position,
  };
}
