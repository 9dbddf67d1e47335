import { StoreUnavailableError } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import { faultLog } from './fault-log.js';
import { asLocal } from './local-requests.js';
import type { Logger } from './log.js';

const away = () => new StoreUnavailableError('it does not answer');

describe('what the log has of failed requests', () => {
  let lines: unknown[][];
  let isDebug: boolean;
  let tell: ReturnType<typeof faultLog>;
  beforeEach(() => {
    jest.useFakeTimers();
    lines = [];
    const line =
      (level: string) =>
      ({ error, code, trace, requests }: Record<string, unknown>, text: string): void =>
        void lines.push([level, text, error, code, trace ?? requests]);
    const log = { error: line('error'), debug: line('debug'), isLevelEnabled: () => isDebug };
    isDebug = false;
    tell = faultLog(log as unknown as Logger);
  });
  afterEach(() => jest.useRealTimers());

  const errors = () => lines.filter(([level]) => level === 'error');

  it('is nothing of what a command without a server is answered, but for a bug', () => {
    asLocal(() => {
      tell(away(), 'trace-0', 'DATA_UNAVAILABLE');
      tell(new Error('a bug'), 'trace-1', 'AGENT_ERROR');
    });
    expect(lines).toEqual([['error', 'a request failed', 'Error', 'AGENT_ERROR', 'trace-1']]);
  });

  it('is one line for the first of a kind, and a number for the others, once a minute, as long as it lasts', () => {
    for (let i = 0; i < 10_000; i++) tell(away(), `trace-${i}`, 'DATA_UNAVAILABLE');
    expect(errors()).toEqual([['error', 'a request failed', 'StoreUnavailableError', 'DATA_UNAVAILABLE', 'trace-0']]);
    expect(lines).toHaveLength(1);
    jest.advanceTimersByTime(60_000);
    const number = 'more requests failed in the same way within a minute';
    expect(errors().slice(1)).toEqual([['error', number, 'StoreUnavailableError', 'DATA_UNAVAILABLE', 9999]]);
    tell(away(), 'trace-later', 'DATA_UNAVAILABLE');
    expect(errors()[2]).toContain('trace-later');
    jest.advanceTimersByTime(120_000);
    expect(errors()).toHaveLength(3);
  });

  it('is a line for each where somebody looks for the cause, at the level debug', () => {
    isDebug = true;
    for (const trace of ['t1', 't2']) tell(away(), trace, 'DATA_UNAVAILABLE');
    expect(lines.map(([level, , , , trace]) => [level, trace])).toEqual([
      ['error', 't1'],
      ['debug', 't2'],
    ]);
  });

  it('keeps kinds apart, by what was thrown and by what was answered', () => {
    tell(away(), 't1', 'DATA_UNAVAILABLE');
    tell(new MaceError('DATA_UNAVAILABLE', 'x'), 't2', 'DATA_UNAVAILABLE');
    tell(new MaceError('SEM_WRITE_FAIL', 'x'), 't3', 'SEM_WRITE_FAIL');
    expect(errors().map((line) => line[4])).toEqual(['t1', 't2', 't3']);
  });

  it('is a line for each bug, whose answer names its trace', () => {
    for (const trace of ['t1', 't2', 't3']) tell(new TypeError('x is not a function'), trace, 'AGENT_ERROR');
    expect(errors().map((line) => line[4])).toEqual(['t1', 't2', 't3']);
  });
});
