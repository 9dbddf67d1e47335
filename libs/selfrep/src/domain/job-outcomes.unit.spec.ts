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
  it.each(['AGENT_TIMEOUT', 'AGENT_EXCEPTION', 'LLM_SERVICE_DOWN'])(
    'is one failure for a turn that ended in %s',
    (type) => {
      expect(outcomeOf(event(type), () => undefined)).toMatchObject({
        node_id: 'agent:math_v1',
        incoming: { event_type: type },
      });
    },
  );

  it.each(['AGENT_EXCEPTION', 'LLM_SERVICE_DOWN'])(
    'is nothing more where a second try ended in %s: the turn was counted',
    (type) => {
      expect(outcomeOf(event(type, { retry: 1 }), () => undefined)).toBeNull();
    },
  );

  it.each(['RemoteBusy', 'RemotePaused'])('is no failure where it was not asked: %s', (error_class) => {
    expect(outcomeOf(event('AGENT_EXCEPTION', { error_class }), () => undefined)).toBeNull();
    expect(outcomeOf(event('AGENT_EXCEPTION', { error_class: 'RemoteStatus503' }), () => undefined)).not.toBeNull();
  });
});
