import { dueAt, MAX_TIMER_MS, timerDelay, windowSeconds, windowStatus, type WindowState } from './window.js';

const OPEN: WindowState = { requested_critics: ['a', 'b'], voters: new Set(['a']), due_at: 1000 };

describe('the window for votes', () => {
  it.each([
    ['REQUIREMENTS', 600],
    ['PLAN', 600],
    ['CODE', 300],
    ['DEPLOYMENT', 180],
    ['ARTIFACT_TYPE_UNSPECIFIED', 300],
  ] as const)('of an artifact of type %s is %i seconds where nothing was asked for', (type, seconds) => {
    expect(windowSeconds(0, type)).toBe(seconds);
    expect(windowSeconds(7, type)).toBe(7);
  });

  it('is what the policy says for a type, and its default for the others', () => {
    const table = { default_s: 60, by_type: { CODE: 30 } };
    expect([windowSeconds(0, 'CODE', table), windowSeconds(0, 'PLAN', table)]).toEqual([30, 60]);
  });

  it('is due its length after it was received', () => {
    expect(dueAt(5_000, 300)).toBe(305_000);
    expect(dueAt(0, 4_294_967_295)).toBe(4_294_967_295_000);
  });

  it('is open until its due time, and overdue from then on', () => {
    expect(windowStatus(OPEN, 999)).toBe('open');
    expect(windowStatus(OPEN, 1000)).toBe('overdue');
  });

  it('is complete once every requested critic voted, also where that is only found after the due time', () => {
    const all = { ...OPEN, voters: new Set(['a', 'b', 'c']) };
    expect(windowStatus(all, 0)).toBe('complete');
    expect(windowStatus(all, 9999)).toBe('complete');
  });

  it('is slept in pieces that a timer holds', () => {
    expect(timerDelay(1000, 400)).toBe(600);
    expect(timerDelay(1000, 4000)).toBe(0);
    expect(timerDelay(dueAt(0, 4_294_967_295), 0)).toBe(MAX_TIMER_MS);
  });
});
