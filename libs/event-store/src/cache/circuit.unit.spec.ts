import { Circuit } from './circuit.js';

class TestError extends Error {
  override readonly name = 'TestError';
}

function world(faultsToOpen = 3) {
  const told: string[] = [];
  let now = 0;
  const watch = { down: (fault: string) => void told.push(fault), up: () => void told.push('up') };
  const circuit = new Circuit({ watch, faultsToOpen, pauseMs: 100, maxPauseMs: 400, now: () => now });
  const fault = (kind = 'get') => circuit.failed(kind, 'usual', new TestError());
  return { circuit, told, fault, pass: (ms: number) => void (now += ms) };
}

describe('a circuit breaker', () => {
  it('opens at so many faults in a row of one kind, and an answer of that kind begins the row anew', () => {
    const { circuit, told, fault } = world();
    for (const kind of ['get', 'put', 'get', 'put']) fault(kind);
    circuit.answered('get', 'usual');
    fault('get');
    fault('get');
    expect(circuit.open).toBe(false);
    fault('put');
    expect(circuit.open).toBe(true);
    expect(told).toEqual(['TestError']);
  });

  it('lets nobody through while it is open, but one trial a pause', () => {
    const { circuit, fault, pass } = world(1);
    fault();
    expect(circuit.admit()).toBeNull();
    pass(99);
    expect(circuit.admit()).toBeNull();
    pass(1);
    expect([circuit.admit(), circuit.admit(), circuit.admit()]).toEqual(['trial', null, null]);
  });

  it('waits longer after each trial that fails, up to its limit, and says the outage once', () => {
    const { circuit, told, fault, pass } = world(1);
    fault();
    const pauses: number[] = [];
    for (let i = 0; i < 5; i++) {
      pauses.push(circuit.untilTrial);
      pass(circuit.untilTrial);
      expect(circuit.admit()).toBe('trial');
      circuit.failed('get', 'trial', new TestError());
    }
    expect(pauses).toEqual([100, 200, 400, 400, 400]);
    expect(told).toEqual(['TestError']);
  });

  it('is closed by a trial that is answered, and by no answer to a call from before', () => {
    const { circuit, told, fault, pass } = world(1);
    fault();
    circuit.answered('get', 'usual');
    fault();
    expect(circuit.open).toBe(true);
    pass(100);
    circuit.answered('get', circuit.admit()!);
    expect(circuit.open).toBe(false);
    expect(told).toEqual(['TestError', 'up']);
    expect(circuit.admit()).toBe('usual');
  });

  it('leaves alone longer what fails again soon after it came back, and not what worked for a while', () => {
    const { circuit, fault, pass } = world(1);
    const failAndReturn = (): number => {
      fault();
      const pause = circuit.untilTrial;
      pass(pause);
      circuit.answered('get', circuit.admit()!);
      return pause;
    };
    expect([failAndReturn(), failAndReturn(), failAndReturn(), failAndReturn()]).toEqual([100, 200, 400, 400]);
    pass(400);
    expect(failAndReturn()).toBe(100);
  });
});
