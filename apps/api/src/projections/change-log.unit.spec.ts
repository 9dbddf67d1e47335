import type { RunnerStatus } from '#lib/projections';

import type { Logger } from '../edge/log.js';
import { ChangeLog } from './change-log.js';

const WELL: RunnerStatus = { state: 'live', position: '7' };
const fault = (message: string): RunnerStatus => ({
  state: 'retrying',
  position: '7',
  error: { kind: 'fault', message, attempts: 1, since: '2026-01-01T00:00:00.000Z' },
});

describe('the log of how projections are', () => {
  let now: number;
  let lines: { readonly level: string; readonly facts: Record<string, unknown>; readonly text: string }[];
  let log: ChangeLog;
  beforeEach(() => {
    now = 0;
    lines = [];
    const line =
      (level: string) =>
      (facts: Record<string, unknown>, text: string): void =>
        void lines.push({ level, facts, text });
    const logger = { error: line('error'), warn: line('warn'), info: line('info') } as unknown as Logger;
    log = new ChangeLog(logger, { clock: () => now });
  });

  it('says a fault that comes and goes ten thousand times in an hour about once a minute, and how often it came', () => {
    for (let i = 0; i < 10_000; i++) {
      log.changed('sem', fault('the disk blinked'));
      log.changed('sem', WELL);
      now += 360;
    }
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors.length).toBeGreaterThan(50);
    expect(errors.length).toBeLessThanOrEqual(60);
    expect(lines.length - errors.length).toBe(errors.length);
    const told = errors.reduce((sum, { facts }) => sum + ((facts['times'] as number | undefined) ?? 1), 0);
    expect(told).toBeGreaterThan(9_800);
  });

  it('says at once what is another fault, or of another projection, or a halt', () => {
    log.changed('sem', fault('the disk blinked'));
    log.changed('sem', fault('no route'));
    log.changed('jobs', fault('no route'));
    log.changed('sem', { ...fault('no route'), state: 'halted' });
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)?.text).toBe('a projection has halted at an event that it cannot take');
  });

  it('says once that another process has taken over what this one kept, and nothing of waiting for a first turn', () => {
    const waiting: RunnerStatus = { state: 'standby', position: null };
    for (const status of [waiting, fault('no route'), waiting]) log.changed('jobs', { ...status, state: 'standby' });
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
    for (const status of [waiting, WELL, waiting, waiting]) log.changed('sem', status);
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        facts: { projection: 'sem', position: null },
        text: 'another process has taken over a projection that this one kept',
      },
    ]);
  });
});
