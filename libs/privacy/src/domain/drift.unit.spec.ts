import { detectInPayload } from '../detection.js';
import { driftOf } from './drift.js';

const drift = (recorded: readonly string[], payload: unknown) => driftOf(recorded, detectInPayload(payload));

describe('what is found now of content that was judged before', () => {
  it('is no drift where it is what was recorded', () => {
    expect(drift([], { note: 'blue' })).toBeNull();
    expect(drift(['email'], { note: 'jo@firm.com' })).toBeNull();
    expect(drift([], { note: 'my name is Ada' })).toBeNull();
  });

  it('names what was not recorded, and what is found no more', () => {
    expect(drift([], { a: 'jo@firm.com', b: ['536-22-8145'] })).toEqual({ found: ['email', 'us_ssn'], gone: [] });
    expect(drift(['phone', 'email'], { a: 'jo@firm.com' })).toEqual({ found: [], gone: ['phone'] });
    expect(drift(['phone'], 'jo@firm.com')).toEqual({ found: ['email'], gone: ['phone'] });
  });
});
