import { Deadline, ReplayTimeoutError } from './replay-limits.js';

const LIMITS = { max_replay_ms: 1_000, max_iterations: 2 };

describe('the limits of a replay', () => {
  it('end it once its time is over, naming the event that was compared last', () => {
    let now = 500;
    const deadline = new Deadline(() => now, 500, LIMITS);
    now = 1_500;
    expect(() => deadline.check(3)).not.toThrow();
    expect(deadline.left).toBe(0);
    now = 1_501;
    expect(timeoutOf(() => deadline.check(3))).toEqual({ limit: 'max_replay_ms', allowed: 1_000, event_number: 3 });
    expect(deadline.left).toBe(0);
  });

  it('refuse a record of more iterations than its own snapshot allows', () => {
    const deadline = new Deadline(() => 0, 0, LIMITS);
    expect(() => deadline.checkIterations(2)).not.toThrow();
    expect(timeoutOf(() => deadline.checkIterations(3))).toEqual({
      limit: 'max_iterations',
      allowed: 2,
      event_number: null,
    });
  });
});

function timeoutOf(check: () => void): unknown {
  try {
    check();
  } catch (error) {
    if (error instanceof ReplayTimeoutError) return error.timeout;
    throw error;
  }
  return null;
}
