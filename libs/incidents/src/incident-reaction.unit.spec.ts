import { createHash } from 'node:crypto';

import { emptyHead } from '#lib/event-store';
import { traceId, type EventDefinition } from '#lib/kernel';

import { setUp } from '../../event-store/src/testing/codec-support.js';
import { incidentIdOf } from './domain/incident.js';
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

it('an event of another kind opens no incident, and neither does a request that the votes rejected', async () => {
  const { log, store, cause } = await failure();
  const others = [
    { ...cause, type: 'SEM_PUT' },
    { ...cause, type: 'ACTION_REJECTED', data: { reason: 'majority' } },
  ];
  for (const event of others) await incidentReaction(log).react(event);
  expect(await store.streamVersion(incidentStream(incidentIdOf(cause.metadata.event_id)))).toBe(0);
});

describe('what the cause of an incident led to', () => {
  it('belongs to the same incident, once: a violation and the module that it took offline', async () => {
    const { log, store, cause } = await failure();
    const violation = { ...cause, type: 'POLICY_VIOLATION', stream: 'module-agent:m' };
    const metadata = { ...cause.metadata, event_id: 'e'.repeat(64), $causationId: cause.metadata.event_id };
    const offline = { ...cause, type: 'NODE_OFFLINE', stream: 'module-agent:m', metadata };
    for (const event of [violation, offline, offline]) await incidentReaction(log).react(event);
    const incident_id = incidentIdOf(cause.metadata.event_id);
    const { events } = await log.load(incidentStream(incident_id));
    expect(events.map(({ type }) => type)).toEqual(['INCIDENT_CREATED', 'ADMIN_ALERT', 'INCIDENT_LINKED']);
    expect(events[2]!.data).toEqual({
      incident_id,
      links: [{ event_id: 'e'.repeat(64), type: 'NODE_OFFLINE', stream: 'module-agent:m' }],
    });
    expect(await store.streamVersion(incidentStream(incidentIdOf('e'.repeat(64))))).toBe(0);
  });

  it('is an incident of its own where its cause is none', async () => {
    const { log, cause } = await failure();
    const metadata = { ...cause.metadata, event_id: 'e'.repeat(64), $causationId: 'd'.repeat(64) };
    await incidentReaction(log).react({ ...cause, type: 'NODE_OFFLINE', metadata });
    const { events } = await log.load(incidentStream(incidentIdOf('e'.repeat(64))));
    expect(events[0]!.data).toMatchObject({ severity: 'error', cause_type: 'NODE_OFFLINE' });
  });
});

describe('quorum failures', () => {
  it('are an incident with the sixth within ten minutes, also where another process counted the first ones', async () => {
    const { log, store, cause } = await failure();
    const failed = (i: number, minute: number) => ({
      ...cause,
      type: 'ACTION_REJECTED',
      stream: `actionrequest-${i}`,
      data: { reason: 'no_quorum', decided_at: new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString() },
      metadata: { ...cause.metadata, event_id: String(i).padStart(64, '0') },
    });
    const other = setUp({ store, definitions: [...incidentEvents, CAUSE] });
    for (let i = 1; i <= 5; i++) await incidentReaction(other.log).react(failed(i, i));
    const sixth = incidentStream(incidentIdOf('6'.padStart(64, '0')));
    expect(await store.streamVersion(sixth)).toBe(0);
    await incidentReaction(log).react(failed(5, 5));
    expect(await store.streamVersion('system-quorum')).toBe(5);
    for (const i of [6, 6, 7]) await incidentReaction(log).react(failed(i, i));
    const { events } = await log.load(sixth);
    expect(events[0]!.data).toMatchObject({ severity: 'error', cause_stream: 'actionrequest-6' });
    expect(events).toHaveLength(2);
    expect(await store.streamVersion(incidentStream(incidentIdOf('7'.padStart(64, '0'))))).toBe(0);
  });

  it('are those of critics also where senior ones were asked after them, and decide', async () => {
    const { log, store, cause } = await failure();
    const asked = (i: number, quorum_met: boolean) => ({
      ...cause,
      type: 'SENIOR_CRITICS_ASKED',
      stream: `negotiation-artifact-${i}`,
      data: { artifact_id: `artifact-${i}`, before: { quorum_met }, opened_at: `2026-01-01T12:0${i}:00.000Z` },
      metadata: { ...cause.metadata, event_id: String(i).padStart(64, '0') },
    });
    const reaction = incidentReaction(log);
    expect(reaction.types).toContain('SENIOR_CRITICS_ASKED');
    await reaction.react(asked(0, true));
    // Decided without a quorum of senior critics either: that negotiation was counted when they were asked.
    const options = { escalation: { before: { quorum_met: false } } };
    await reaction.react({
      ...asked(9, false),
      type: 'NEGOTIATION_DECIDED',
      data: { quorum_met: false, options },
    });
    expect(await store.streamVersion('system-quorum')).toBe(0);
    for (let i = 1; i <= 6; i++) await reaction.react(asked(i, false));
    expect(await store.streamVersion('system-quorum')).toBe(6);
    expect(await store.streamVersion(incidentStream(incidentIdOf('6'.padStart(64, '0'))))).toBeGreaterThan(0);
  });

  it('are those of negotiations as those of the council, whatever was decided then, and no decision that had its quorum', async () => {
    const { log, store, cause } = await failure();
    const decided = (i: number, quorum_met: boolean, outcome: string) => ({
      ...cause,
      type: 'NEGOTIATION_DECIDED',
      stream: `negotiation-artifact-${i}`,
      data: { artifact_id: `artifact-${i}`, quorum_met, outcome, decided_at: `2026-01-01T12:0${i}:00.000Z` },
      metadata: { ...cause.metadata, event_id: String(i).padStart(64, '0') },
    });
    const reaction = incidentReaction(log);
    expect(reaction.types).toContain('NEGOTIATION_DECIDED');
    for (let i = 0; i < 6; i++) await reaction.react(decided(i, true, 'ESCALATED_TO_HITL'));
    expect(await store.streamVersion('system-quorum')).toBe(0);
    for (let i = 0; i < 5; i++) await reaction.react(decided(i, false, 'ESCALATED_TO_HITL'));
    await reaction.react({
      ...decided(5, false, ''),
      type: 'ACTION_REJECTED',
      data: { reason: 'no_quorum', decided_at: '2026-01-01T12:05:00.000Z' },
      metadata: { ...cause.metadata, event_id: 'a'.repeat(64) },
    });
    expect(await store.streamVersion('system-quorum')).toBe(6);
    const { events } = await log.load(incidentStream(incidentIdOf('a'.repeat(64))));
    expect(events.map(({ type }) => type)).toEqual(['INCIDENT_CREATED', 'ADMIN_ALERT']);
    await reaction.react(decided(6, false, 'APPROVED'));
    expect(await store.streamVersion('system-quorum')).toBe(6);
  });

  it('are those of the council on answers too, by the time at which they were stored', async () => {
    const { log, store, cause } = await failure();
    const reaction = incidentReaction(log);
    const decided = (i: number, quorum_met: boolean) => ({
      ...cause,
      type: 'COUNCIL_DECISION',
      stream: `job-${i}`,
      data: { quorum_met },
      metadata: { ...cause.metadata, event_id: String(i).padStart(64, '0') },
    });
    for (let i = 0; i < 3; i++) await reaction.react(decided(i, true));
    expect(await store.streamVersion('system-quorum')).toBe(0);
    for (let i = 0; i < 6; i++) await reaction.react(decided(i, false));
    const { events } = await log.load(incidentStream(incidentIdOf('5'.padStart(64, '0'))));
    expect(events[0]!.data).toMatchObject({ severity: 'error', cause_type: 'COUNCIL_DECISION' });
  });
});

describe('writes that memory does not take', () => {
  it('are an incident with the third within a minute, and none for want of room or of a right', async () => {
    const { log, store, cause } = await failure();
    const failed = (i: number, error_code: string) => ({
      ...cause,
      type: 'MEMORY_WRITE_FAIL',
      stream: 'access-user_tuff',
      data: { key: 'k', error_code, attempts: 2, fault: 'StoreUnavailableError' },
      metadata: { ...cause.metadata, event_id: String(i).padStart(64, '0') },
    });
    const reaction = incidentReaction(log);
    for (const code of ['STORAGE_FULL', 'PRIVACY_BLOCKED', 'PERMISSION_DENIED', 'STORAGE_FULL'])
      await reaction.react(failed(9, code));
    expect(await store.streamVersion('system-memory')).toBe(0);
    for (const i of [1, 2, 2, 3, 4]) await reaction.react(failed(i, 'SEM_WRITE_FAIL'));
    expect(await store.streamVersion('system-memory')).toBe(3);
    const { events } = await log.load(incidentStream(incidentIdOf('3'.padStart(64, '0'))));
    expect(events[0]!.data).toMatchObject({ severity: 'error', cause_type: 'MEMORY_WRITE_FAIL' });
  });
});

describe('personal data that was found', () => {
  const FLAGGED: EventDefinition = {
    type: 'PII_FLAGGED',
    version: 1,
    plain: ['pii_type', 'category', 'pii_hash', 'redaction_reason'],
  };

  it('is told to operators once a minute and kind, also by another process, and with nothing of what it was', async () => {
    const { log, store } = setUp({ definitions: [...incidentEvents, FLAGGED] });
    const other = setUp({ store, definitions: [...incidentEvents, FLAGGED] });
    const told: string[] = [];
    let head = emptyHead('access-user_tuff');
    const flag = async (i: number, pii_type: string, second: number): Promise<void> => {
      const data = { pii_type, category: 'high', pii_hash: 'h'.repeat(64), redaction_reason: 'PII_DETECTED' };
      const by = {
        jobSeed: `s${i}`,
        sequenceIndex: 0,
        actor: { id: 'user_tuff', role: 'user' },
        traceId: traceId('s'),
      };
      const { head: next, events } = await log.append(head, [{ type: FLAGGED.type, data }], by);
      head = next;
      const recorded_at = new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
      const event = { ...events[0]!, metadata: { ...events[0]!.metadata, recorded_at } };
      const by2 = i % 2 === 0 ? log : other.log;
      await incidentReaction(by2, ({ pii_type: kind }) => void told.push(`${kind} ${second}`)).react(event);
      await incidentReaction(by2, () => void told.push('again')).react(event);
    };
    for (const [i, second] of [0, 1, 59, 60, 61].entries()) await flag(i, 'us_ssn', second);
    await flag(9, 'email', 5);
    expect(told).toEqual(['us_ssn 0', 'us_ssn 60', 'email 5']);
    const { events } = await log.load('system-privacy');
    expect(events.map(({ type }) => type)).toEqual(['PII_ALERT', 'PII_ALERT', 'PII_ALERT']);
    expect(JSON.stringify(events)).not.toContain('h'.repeat(64));
  });
});

describe('somebody who tries what is not theirs', () => {
  const DENIED: EventDefinition = { type: 'ACCESS_DENIED', version: 1, plain: ['permission', 'reason', 'count'] };
  const LOCKED: EventDefinition = { type: 'OTP_LOCKED', version: 1, plain: ['until'] };

  it('is an incident with the twenty-first refusal of one principal in ten minutes, once', async () => {
    const { log } = setUp({ definitions: [...incidentEvents, DENIED] });
    const reaction = incidentReaction(log);
    const incidents: string[] = [];
    let head = emptyHead('access-user_tuff');
    for (const [i, count] of [10, 10, 1, 30].entries()) {
      const data = { permission: 'sem.list', reason: 'PERMISSION_DENIED', count };
      const by = {
        jobSeed: `s${i}`,
        sequenceIndex: 0,
        actor: { id: 'user_tuff', role: 'system' },
        traceId: traceId('s'),
      };
      const { head: next, events } = await log.append(head, [{ type: DENIED.type, data }], by);
      head = next;
      await reaction.react(events[0]!);
      const incident = (await log.load(incidentStream(incidentIdOf(events[0]!.metadata.event_id)))).events[0];
      incidents.push(incident ? `${incident.data['cause_type'] as string} ${incident.data['severity'] as string}` : '');
    }
    expect(incidents).toEqual(['', '', 'ACCESS_DENIED warning', '']);
  });

  it('is one where their second factor is locked', async () => {
    const { log } = setUp({ definitions: [...incidentEvents, LOCKED] });
    const by = { jobSeed: 's', sequenceIndex: 0, actor: { id: 'user_tuff', role: 'system' }, traceId: traceId('s') };
    const until = { type: LOCKED.type, data: { until: '2026-01-01T12:15:00.000Z' } };
    const { events } = await log.append(emptyHead('principal-user_tuff'), [until], by);
    await incidentReaction(log).react(events[0]!);
    const [incident] = (await log.load(incidentStream(incidentIdOf(events[0]!.metadata.event_id)))).events;
    expect(incident!.data).toMatchObject({ severity: 'warning', cause_type: 'OTP_LOCKED' });
  });
});
