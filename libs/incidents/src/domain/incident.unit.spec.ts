import fc from 'fast-check';

import {
  decideAck,
  evolveIncident,
  incidentIdOf,
  type IncidentState,
  linkToIncident,
  openIncident,
} from './incident.js';
import {
  evolveQuorumFailures,
  initialQuorumFailures,
  QUORUM_FAILURES_ALLOWED,
  QUORUM_WINDOW_MS,
} from './quorum-failures.js';

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

describe('quorum failures', () => {
  const failure = (i: number, ms: number) => ({
    type: 'QUORUM_FAILED',
    data: { cause_event_id: `e${i}`, at: new Date(ms).toISOString() },
  });

  it('are too many exactly where more than five lie within ten minutes, said once in ten minutes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4 * 60_000 }), { maxLength: 60 }), (gaps) => {
        let state = initialQuorumFailures;
        let at = 0;
        let raisedAt = -Infinity;
        const times: number[] = [];
        gaps.forEach((gap, i) => {
          times.push((at += gap));
          state = evolveQuorumFailures(state, failure(i, at));
          const within = times.filter((time) => time > at - QUORUM_WINDOW_MS).length;
          const isNew = within > QUORUM_FAILURES_ALLOWED && raisedAt <= at - QUORUM_WINDOW_MS;
          if (isNew) raisedAt = at;
          expect(state.raised?.cause_event_id === `e${i}`).toBe(isNew);
        });
      }),
    );
  });
});
