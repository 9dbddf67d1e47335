import type { ProjectedEvent, Projection } from '#lib/projections';

/** Where each decision of a council and each feedback stands, by its event_id. */
export const tickEventsProjection: Projection = {
  name: 'tick-events',
  version: 1,
  collections: [{ name: 'places', indexes: [] }],
  types: ['COUNCIL_DECISION', 'FEEDBACK_GIVEN'],
  project({ metadata, stream, revision }: ProjectedEvent) {
    return [{ op: 'put', collection: 'places', id: metadata.event_id, body: { stream, revision } }];
  },
};
