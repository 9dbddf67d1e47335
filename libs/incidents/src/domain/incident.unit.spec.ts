import fc from 'fast-check';

import {
  decideAck,
  evolveIncident,
  incidentIdOf,
  type IncidentState,
  linkToIncident,
  openIncident,
} from './incident.js';
import { countFailure, evolveCount, MEMORY_FAILURES, noFailures, QUORUM_FAILURES } from './counted-failures.js';
import { becameTooMany } from './denied-often.js';

const CAUSE = { event_id: 'c'.repeat(64), type: 'INTEGRITY_FAILURE', stream: 'amendment-l' };
const INCIDENT_ID = incidentIdOf(CAUSE.event_id);
const ACK = { incident_id: INCIDENT_ID, acknowledged_by: 'user_ada', note: 'looked at' };

function after(state: IncidentState, events: ReturnType<typeof openIncident>): IncidentState {
  return events.reduce<IncidentState>(
    (known, { type, data }, i) =>
      evolveIncident(known, { type, data, metadata: { event_id: `e${i}`, job_seed: 's' }, position: String(i) }),
    state,
  );
}
const opened = after(null, openIncident(null, CAUSE, 'critical'));

describe('an incident', () => {
  it('is opened once', () => {
    expect(openIncident(opened, CAUSE, 'critical')).toEqual([]);
  });

  it('is acknowledged once, and the second one learns by whom', () => {
    const acknowledged = after(opened, decideAck(opened, ACK));
    expect(acknowledged).toMatchObject({ ack: { acknowledged_by: 'user_ada', note: 'looked at', seed: 's' } });
    expect(() => decideAck(acknowledged, { ...ACK, acknowledged_by: 'user_bob' })).toThrow(
      `${INCIDENT_ID} was acknowledged by user_ada`,
    );
  });

  it('that was never opened cannot be acknowledged', () => {
    expect(() => decideAck(null, ACK)).toThrow(`no incident ${INCIDENT_ID}`);
  });

  it('keeps what is linked to it in order, each once, and no more than a hundred', () => {
    let state = opened!;
    for (let i = 0; i < 150; i++) {
      const link = { event_id: `e${i}`, type: 'NODE_OFFLINE', stream: 'module-m' };
      for (let again = 0; again < 2; again++) state = after(state, linkToIncident(state, link))!;
    }
    expect(state.links.map(({ event_id }) => event_id)).toEqual(Array.from({ length: 100 }, (_, i) => `e${i}`));
  });
});

describe.each([QUORUM_FAILURES, MEMORY_FAILURES])('failures that $type counts', (counter) => {
  const { type, allowed, windowMs } = counter;
  const evolve = evolveCount(counter);
  const failure = (i: number, ms: number) => ({ cause_event_id: `e${i}`, at: new Date(ms).toISOString() });

  it('are too many exactly where more than are allowed lie within the window, said once until a window has none', () => {
    const short = fc.integer({ min: 0, max: windowMs / 2 });
    const gap = fc.oneof({ weight: 8, arbitrary: short }, fc.integer({ min: windowMs - 1, max: windowMs + 1 }));
    fc.assert(
      fc.property(fc.array(gap, { maxLength: 60 }), (gaps) => {
        let state = noFailures;
        let at = 0;
        let isRaised = false;
        const times: number[] = [];
        gaps.forEach((gap, i) => {
          times.push((at += gap));
          state = evolve(state, { type, data: failure(i, at) });
          const within = times.filter((time) => time > at - windowMs).length;
          isRaised &&= gap < windowMs;
          const isNew = within > allowed && !isRaised;
          isRaised ||= isNew;
          expect(state.raised?.cause_event_id === `e${i}`).toBe(isNew);
        });
      }),
    );
  });

  it('are counted no further in a window in which they were told, however many come', () => {
    let state = noFailures;
    for (let i = 0; i < 1000; i++)
      for (const { data } of countFailure(counter, state, failure(i, i))) state = evolve(state, { type, data });
    expect(state.recent).toHaveLength(allowed + 1);
  });
});

describe('refusals of one principal', () => {
  const MINUTE = 60_000;

  it('are too many with the twenty-first in ten minutes, said once', () => {
    const before = Array.from({ length: 4 }, (_, i) => ({ count: 5, at: (9 - i) * MINUTE }));
    expect(becameTooMany(before)).toBe(false);
    const now = [{ count: 1, at: 10 * MINUTE }, ...before];
    expect(becameTooMany(now)).toBe(true);
    expect(becameTooMany([{ count: 50, at: 11 * MINUTE }, ...now])).toBe(false);
    expect(becameTooMany([{ count: 1, at: 17 * MINUTE }, ...before])).toBe(false);
    expect(becameTooMany([{ count: 21, at: 60 * MINUTE }, ...now])).toBe(true);
  });
});
