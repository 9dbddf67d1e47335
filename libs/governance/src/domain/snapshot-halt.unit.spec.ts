import type { DomainEvent } from '#lib/kernel';

import { clearEvent, concerned, type FlagEvent, haltBecause, haltFor, haltIn } from './snapshot-halt.js';

const S1 = 'a'.repeat(64);
const FAULT = { snapshot_id: S1, stream: `snapshot-${S1}`, revision: 0, reason: 'its signature does not verify' };
const NOON = '2026-01-01T12:00:00.000Z';
const INCIDENT = {
  snapshot_id: S1,
  cause_event_id: 'e9',
  cause_type: 'SECURITY_INCIDENT',
  cause_stream: 'system-security',
  halted_at: NOON,
} as const;
const JOB = `job:${'0'.repeat(32)}`;

let made = 0;
const placed = (event: DomainEvent): FlagEvent => ({ ...event, metadata: { event_id: `h${made++}` } });
const CREATED = placed({ type: 'SNAPSHOT_CREATED', data: { snapshot_id: S1 } });
const CLEARED = placed(
  clearEvent({
    snapshot_id: S1,
    halt_event_id: 'h1',
    action_request_id: 'ar-1',
    verified_by: 'user_ada',
    approvals: [],
    cleared_at: NOON,
  }),
);

describe('a halt', () => {
  it('follows from a failure of the snapshot itself and names it', () => {
    expect(haltFor({ ...FAULT, job_id: 'job:1' }, 'e1', NOON)).toEqual([
      {
        type: 'INTEGRITY_FAILURE',
        data: { stream: FAULT.stream, revision: 0, reason: FAULT.reason, job_id: 'job:1' },
      },
      {
        type: 'FORCE_HALT_REPLAY',
        data: {
          snapshot_id: S1,
          cause_event_id: 'e1',
          cause_type: 'INTEGRITY_FAILURE',
          cause_stream: FAULT.stream,
          halted_at: NOON,
        },
      },
    ]);
  });

  it('lasts until it is cleared, and begins again with the next one', () => {
    expect(haltIn([CREATED])).toBeNull();
    const halted = [CREATED, ...haltFor(FAULT, 'e1', NOON).map(placed)];
    expect(haltIn(halted)).toMatchObject({ cause_event_id: 'e1', halt_event_id: halted[2]!.metadata.event_id });
    expect(haltIn([...halted, CLEARED])).toBeNull();
    expect(haltIn([...halted, CLEARED, ...haltFor(FAULT, 'e2', NOON).map(placed)])).toMatchObject({
      cause_event_id: 'e2',
    });
  });

  it('is put on once a cause, also where that was cleared since, and again for another cause', () => {
    const [flag] = haltBecause([CREATED], INCIDENT);
    expect(flag).toEqual({ type: 'FORCE_HALT_REPLAY', data: INCIDENT });
    expect(haltBecause([CREATED, flag!], INCIDENT)).toEqual([]);
    expect(haltBecause([CREATED, flag!, CLEARED], INCIDENT)).toEqual([]);
    expect(haltBecause([CREATED, flag!, CLEARED], { ...INCIDENT, cause_event_id: 'e10' })).toHaveLength(1);
  });
});

describe('the snapshots that an event concerns', () => {
  const found = { stream: FAULT.stream, revision: 0, reason: FAULT.reason };

  it.each([
    ['INTEGRITY_FAILURE', `snapshot-${S1}`, found, { snapshot: S1 }],
    ['INTEGRITY_FAILURE', 'system-integrity', { ...found, job_id: JOB }, { snapshot: S1 }],
    ['INTEGRITY_FAILURE', 'system-integrity', { reason: 'reported', job_id: JOB }, { job: JOB }],
    ['SECURITY_INCIDENT', 'system-security', { job_id: JOB }, { job: JOB }],
    ['SECURITY_INCIDENT', 'module-agent:math_v1', { node_id: 'agent:math_v1', job_id: JOB }, { job: JOB }],
  ])('by %s in %s with %j are %j', (type, stream, data, which) => {
    expect(concerned(type, stream, data)).toEqual(which);
  });

  it('are none where a check found a job’s own log changed, or where neither snapshot nor job is named', () => {
    const log = { stream: `job-${JOB}`, revision: 3, reason: 'its signature does not verify', job_id: JOB };
    expect(concerned('INTEGRITY_FAILURE', 'amendment-l1', { ...log, target_log_id: 'l1' })).toBeNull();
    expect(concerned('INTEGRITY_FAILURE', 'system-integrity', log)).toBeNull();
    expect(concerned('INTEGRITY_FAILURE', 'system-integrity', { reason: 'reported' })).toBeNull();
    expect(concerned('SECURITY_INCIDENT', 'module-agent:math_v1', { node_id: 'agent:math_v1' })).toBeNull();
  });
});
