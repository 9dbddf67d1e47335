import { auditProjection } from '#lib/audit';
import { brainstateProjection } from '#lib/brainstate';
import { jobCountsProjection } from '#lib/jobs';
import { type EventMetadata, type JsonObject } from '#lib/kernel';
import type { ProjectedEvent, Projection } from '#lib/projections';

import { fixtureNames, readFixture } from '../../../../test/support/event-fixtures.js';
import { PROJECTIONS } from './projections.runtime.module.js';

/** Every event of every version, as a projection is given it: personal fields as stored. */
const EVENTS = fixtureNames().map((name, i): ProjectedEvent => {
  const { stored } = readFixture(name);
  const { type, data, metadata } = stored as unknown as { type: string; data: JsonObject; metadata: EventMetadata };
  const stream = type === 'BRAINSTATE_TICK' ? 'job-job:0123456789abcdef0123456789abcdef' : 'fixture-1';
  return { type, data, metadata, stream, revision: i, position: String(i + 1) };
});

const changesOf = (projection: Projection) =>
  EVENTS.filter(({ type }) => projection.types.includes(type)).flatMap((event) => projection.project(event));

describe('the read models of BrainState and audits', () => {
  it.each([brainstateProjection, auditProjection, jobCountsProjection])(
    'of $name hold nothing personal of any event',
    (projection) => {
      const changes = changesOf(projection);
      expect(changes.length).toBeGreaterThan(0);
      expect(JSON.stringify(changes)).not.toContain('$enc');
      expect(PROJECTIONS).toContain(projection);
    },
  );

  it('of audits take no event that a plain job, a read or a write of memory consists of', () => {
    const often = ['JOB_ACCEPTED', 'AGENT_OUTPUT', 'ROUTER_DECISION', 'COUNCIL_VOTE', 'BRAINSTATE_TICK', 'JOB_SEALED'];
    expect(auditProjection.types).not.toEqual(expect.arrayContaining(often));
    for (const type of [...often, 'SEM_PUT', 'sem_delete', 'REQUEST_BOUND', 'AGENT_HEARTBEAT'])
      expect(auditProjection.types).not.toContain(type);
  });

  it('know each type that they name', () => {
    const known = new Set(EVENTS.map(({ type }) => type));
    for (const type of [...auditProjection.types, ...brainstateProjection.types]) expect([...known]).toContain(type);
  });
});
