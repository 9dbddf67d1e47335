import type { ProjectedEvent } from '#lib/projections';

import { SEM_COLLECTION, semProjection } from './sem.projection.js';

const KEY = 'user/profile/user_tuff/favorite_color';
const ENCRYPTED = { $enc: { ct: 'x', kid: 'user_tuff.1', nonce: 'n' } };

describe('the read model of memory', () => {
  it('holds an applied value as it is stored, under its key and its parts', () => {
    const data = { key: KEY, value: ENCRYPTED, source: 'user', timestamp: '2025-01-01T00:00:00Z', applied: true };
    expect(semProjection.project(event('SEM_PUT', data))).toEqual([
      {
        op: 'put',
        collection: SEM_COLLECTION.name,
        id: KEY,
        body: {
          key: KEY,
          scope: 'user',
          entity_type: 'profile',
          entity_id: 'user_tuff',
          source: 'user',
          timestamp: '2025-01-01T00:00:00Z',
          revision: 3,
          position: '17',
          event_id: 'e1',
          value: ENCRYPTED,
          deleted: false,
        },
      },
    ]);
  });

  it('is not changed by a write that lost', () => {
    const data = { key: KEY, value: 1, source: 'user', timestamp: '2025-01-01T00:00:00Z', applied: false };
    expect(semProjection.project(event('SEM_PUT', data))).toEqual([]);
  });

  it('marks what was deleted and keeps nothing of the value', () => {
    const data = { key: KEY, source: 'system', timestamp: '2025-01-01T00:00:00Z' };
    expect(semProjection.project(event('sem_delete', data))).toMatchObject([
      { op: 'put', id: KEY, body: { deleted: true, value: null } },
    ]);
  });

  it('reads exactly the events of keys', () => {
    expect(semProjection.types).toEqual(['SEM_PUT', 'sem_delete']);
  });
});

function event(type: string, data: ProjectedEvent['data']): ProjectedEvent {
  const metadata = { event_id: 'e1' } as ProjectedEvent['metadata'];
  return { type, data, metadata, stream: `sem-${KEY}`, revision: 3, position: '17' };
}
