import type { Json } from '#lib/kernel';
import type { ProjectedEvent, Projection } from '#lib/projections';
import type { Change, CollectionDefinition } from '#lib/read-store';

import { parseCanonicalKey } from '../domain/canonical-key.js';
import type { SemDelete, SemPut } from '../domain/sem.events.js';

/** The current value of every key, personal fields as stored; listed by key, read from the streams (queries/). */
export const SEM_COLLECTION: CollectionDefinition = {
  name: 'sem',
  indexes: ['scope', 'entity_type', 'entity_id', 'deleted'],
};

/** A function of the event alone: whether a write won was decided when it was made. */
export const semProjection: Projection = {
  name: 'sem',
  version: 1,
  collections: [SEM_COLLECTION],
  types: ['SEM_PUT', 'sem_delete'],
  project(event: ProjectedEvent): readonly Change[] {
    return event.type === 'sem_delete' ? deleted(event) : put(event);
  },
};

function put(event: ProjectedEvent): readonly Change[] {
  const { key, value, source, timestamp, applied } = event.data as unknown as SemPut;
  return applied ? [change(event, key, { source, timestamp, value, deleted: false })] : [];
}

function deleted(event: ProjectedEvent): readonly Change[] {
  const { key, source, timestamp } = event.data as unknown as SemDelete;
  return [change(event, key, { source, timestamp, value: null, deleted: true })];
}

/** What the two kinds of events say differently. */
interface Said {
  readonly source: string;
  readonly timestamp: string;
  readonly value: Json;
  readonly deleted: boolean;
}

/** The members in canonical order and in one literal: sorting and spreading them cost more than the rest of the work. */
function change(event: ProjectedEvent, key: string, said: Said): Change {
  const { scope, entityType, entityId } = parseCanonicalKey(key);
  const body = {
    deleted: said.deleted,
    entity_id: entityId,
    entity_type: entityType,
    event_id: event.metadata.event_id,
    key,
    position: event.position,
    revision: event.revision,
    scope,
    source: said.source,
    timestamp: said.timestamp,
    value: said.value,
  };
  return { op: 'put', collection: SEM_COLLECTION.name, id: key, body };
}
