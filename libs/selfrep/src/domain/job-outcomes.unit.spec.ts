import { type JobEvent, outcomeOf } from './job-outcomes.js';

const event = (type: string, data: JobEvent['data'] = {}): JobEvent => ({
  type,
  data: { node_id: 'agent:math_v1', ...data },
  stream: 'job-1',
  position: '7',
  event_id: 'e',
  timestamp: '2026-01-01T00:00:00.000Z',
});

describe('what a job’s event says of a module', () => {
  it.each(['AGENT_TIMEOUT', 'AGENT_EXCEPTION'])('is one failure for a turn that ended in %s', (type) => {
    expect(outcomeOf(event(type), () => undefined)).toMatchObject({
      node_id: 'agent:math_v1',
      incoming: { event_type: type },
    });
  });

  it('is nothing more for the crash of a second try: the turn’s timeout was counted', () => {
    expect(outcomeOf(event('AGENT_EXCEPTION', { retry: 1 }), () => undefined)).toBeNull();
  });
});
