import { createHash } from 'node:crypto';

import { emptyHead } from '#lib/event-store';
import { traceId, type EventDefinition } from '#lib/kernel';

import { setUp } from '../../event-store/src/testing/codec-support.js';
import { incidentIdOf, openIncident } from './domain/incident.js';
import { incidentEvents, incidentStream } from './domain/incidents.events.js';
import { incidentReaction } from './incident-reaction.js';

const CAUSE: EventDefinition = { type: 'INTEGRITY_FAILURE', version: 1, plain: ['reason'] };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function failure() {
  const { log, store } = setUp({ definitions: [...incidentEvents, CAUSE] });
  const by = { jobSeed: 's', sequenceIndex: 0, actor: { id: 'user_tuff', role: 'user' }, traceId: traceId('s') };
  const { events } = await log.append(emptyHead('amendment-l'), [{ type: CAUSE.type, data: { reason: 'r' } }], by);
  return { log, store, cause: events[0]! };
}

describe('an integrity failure', () => {
  it('opens one critical incident and raises one alert, under ids that follow from it', async () => {
    const { log, cause } = await failure();
    await incidentReaction(log).react(cause);
    const { event_id } = cause.metadata;
    const seed = `after:incidents:${event_id}`;
    const incident_id = `inc-${sha256(`${seed}:incident`).slice(0, 32)}`;
    const { events } = await log.load(incidentStream(incident_id));
    const facts = { incident_id, severity: 'critical', cause_event_id: event_id };
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['INCIDENT_CREATED', { ...facts, cause_type: 'INTEGRITY_FAILURE', cause_stream: 'amendment-l' }],
      ['ADMIN_ALERT', facts],
    ]);
    expect(events.map(({ metadata }) => metadata.event_id)).toEqual([
      sha256(`${seed}:0:INCIDENT_CREATED`),
      sha256(`${seed}:1:ADMIN_ALERT`),
    ]);
    expect(events[0]!.metadata).toMatchObject({
      $causationId: event_id,
      $correlationId: cause.metadata.$correlationId,
      actor: { id: 'system', role: 'system' },
    });
  });

  it('answered again, by this process or another, appends nothing', async () => {
    const { log, store, cause } = await failure();
    const other = setUp({ store, definitions: [...incidentEvents, CAUSE] });
    await Promise.all([incidentReaction(log).react(cause), incidentReaction(other.log).react(cause)]);
    await incidentReaction(log).react(cause);
    expect((await log.load(incidentStream(incidentIdOf(cause.metadata.event_id)))).events).toHaveLength(2);
  });
});

it('an event of another kind opens no incident', () => {
  expect(openIncident({ event_id: 'e', type: 'SEM_PUT', stream: 's' })).toEqual([]);
});
