import type { JsonObject } from '#lib/kernel';
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
  if (!applied) return [];
  return [change(event, key, { source, timestamp, value, deleted: false })];
}

function deleted(event: ProjectedEvent): readonly Change[] {
  const { key, source, timestamp } = event.data as unknown as SemDelete;
  return [change(event, key, { source, timestamp, value: null, deleted: true })];
}

function change(event: ProjectedEvent, key: string, fields: JsonObject): Change {
  const { scope, entityType, entityId } = parseCanonicalKey(key);
  const { revision, position } = event;
  const body = {
    key,
    scope,
    entity_type: entityType,
    entity_id: entityId,
    revision,
    position,
    event_id: event.metadata.event_id,
  };
  return { op: 'put', collection: SEM_COLLECTION.name, id: key, body: { ...body, ...fields } };
}
