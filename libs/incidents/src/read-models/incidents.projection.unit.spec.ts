import { givenEvents } from '../../../projections/src/testing/given-events.js';
import { incidentsProjection } from './incidents.projection.js';

const CREATED = {
  type: 'INCIDENT_CREATED',
  stream: 'incident-inc-1',
  data: {
    incident_id: 'inc-1',
    severity: 'critical',
    cause_event_id: 'c',
    cause_type: 'POLICY_VIOLATION',
    cause_stream: 'module-agent:m',
  },
};
const OPEN = {
  incident_id: 'inc-1',
  status: 'open',
  severity: 'critical',
  cause: { event_id: 'c', type: 'POLICY_VIOLATION', stream: 'module-agent:m' },
  links: [],
  opened_at: '2026-01-01T00:00:00.000Z',
  acknowledged_by: null,
  acknowledged_at: null,
  note: null,
  closed_at: null,
  position: 1,
};
const LINK = { event_id: 'e', type: 'NODE_OFFLINE', stream: 'module-agent:m' };

describe('the list of incidents', () => {
  const opened = givenEvents(incidentsProjection, CREATED);

  it('shows an incident as open, with its cause', async () => {
    expect(await opened.documents('incidents')).toEqual([{ id: 'inc-1', body: OPEN }]);
  });

  it('shows what its cause led to, and who acknowledged it with which note', async () => {
    const later = opened.when(
      { type: 'INCIDENT_LINKED', stream: CREATED.stream, data: { incident_id: 'inc-1', links: [LINK] } },
      {
        type: 'INCIDENT_ACK',
        stream: CREATED.stream,
        data: { incident_id: 'inc-1', acknowledged_by: 'user_ada', note: 'done' },
      },
    );
    const acknowledged = { acknowledged_by: 'user_ada', acknowledged_at: '2026-01-01T00:00:00.000Z', note: 'done' };
    const body = { ...OPEN, links: [LINK], status: 'acknowledged', ...acknowledged };
    expect(await later.documents('incidents')).toEqual([{ id: 'inc-1', body }]);
  });
});

describe('an incident that gets worse, and is over', () => {
  it('shows the severity that it has now, and when it was over', async () => {
    const data = { incident_id: 'inc-1', cause_event_id: 'c' };
    const later = givenEvents(
      incidentsProjection,
      CREATED,
      { type: 'INCIDENT_ESCALATED', stream: CREATED.stream, data: { ...data, severity: 'error' } },
      { type: 'INCIDENT_CLOSED', stream: CREATED.stream, data: { ...data, closed_at: '2026-01-01T12:00:00.000Z' } },
    );
    const body = { ...OPEN, severity: 'error', status: 'closed', closed_at: '2026-01-01T12:00:00.000Z' };
    expect(await later.documents('incidents')).toEqual([{ id: 'inc-1', body }]);
  });
});

describe('the list of refused requests', () => {
  it('shows whose they were, what and how often, and nothing of what was sent', async () => {
    const traces = { first_trace_id: 't-1', last_trace_id: 't-9' };
    const data = { error_code: 'NOT_FOUND', route: 'GET /jobs/:job_id', count: 9, ...traces };
    const given = givenEvents(
      incidentsProjection,
      { type: 'REQUESTS_REFUSED', stream: 'refusals-user_tuff', data },
      { type: 'REQUESTS_REFUSED', stream: 'refusals-user_eve', data: { ...data, payload_hash: 'h' } },
    );
    const where = [{ field: 'principal', equals: 'user_eve' }];
    const [found] = await given.find('refused_requests', { where, limit: 10 });
    expect(found!.body).toMatchObject({ ...data, principal: 'user_eve', payload_hash: 'h', position: 2 });
    expect(await given.documents('refused_requests')).toHaveLength(2);
  });
});

describe('the list of failed writes', () => {
  it('shows each failure by its key, and when it was recorded, whoever asked for the write', async () => {
    const data = { key: 'world/a/b/c', error_code: 'STORAGE_FULL', attempts: 1, fault: 'StorageFullError' };
    const given = givenEvents(
      incidentsProjection,
      { type: 'MEMORY_WRITE_FAIL', stream: 'access-user_tuff', data },
      { type: 'MEMORY_WRITE_FAIL', stream: 'job-job:1', data },
    );
    const found = await given.find('failed_writes', { where: [{ field: 'key', equals: 'world/a/b/c' }], limit: 10 });
    expect(found.map(({ body }) => [body['stream'], body['recorded_at'], body['position']])).toEqual([
      ['access-user_tuff', '2026-01-01T00:00:00.000Z', 1],
      ['job-job:1', '2026-01-01T00:00:00.000Z', 2],
    ]);
  });
});
