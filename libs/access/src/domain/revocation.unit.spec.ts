import { evolve, isVoid, noRevocations, remove, revoke } from './revocation.js';

const AT = '2026-01-01T00:00:00.000Z';
const NOW = Date.parse(AT);
const later = (ms: number): string => new Date(NOW + ms).toISOString();

describe('revocation', () => {
  test('a revoked token is void, and so is what it was traded for; others are not', () => {
    const [event] = revoke(noRevocations, { jti_hash: 'a', expires_at: null, revoked_at: AT });
    const state = evolve(noRevocations, event!);
    expect(isVoid(state, { jtiHashes: ['a'], issuedAt: NOW })).toBe(true);
    expect(isVoid(state, { jtiHashes: ['b', 'a'], issuedAt: NOW })).toBe(true);
    expect(isVoid(state, { jtiHashes: ['b'], issuedAt: NOW })).toBe(false);
    expect(revoke(state, { jti_hash: 'a', expires_at: null, revoked_at: AT })).toEqual([]);
  });

  test('a removal voids what was issued up to it, and nothing later', () => {
    const state = remove('user_alice', AT).reduce(evolve, noRevocations);
    expect(isVoid(state, { jtiHashes: [], issuedAt: NOW })).toBe(true);
    expect(isVoid(state, { jtiHashes: [], issuedAt: NOW + 1 })).toBe(false);
  });

  test('revocations of tokens that ended long ago are forgotten, those without a known end never', () => {
    const tokens = [
      { jti_hash: 'ended', expires_at: later(1000), revoked_at: AT },
      { jti_hash: 'endless', expires_at: null, revoked_at: AT },
      { jti_hash: 'new', expires_at: later(400_000), revoked_at: later(300_000) },
    ];
    const state = tokens.reduce((all, data) => revoke(all, data).reduce(evolve, all), noRevocations);
    expect([...state.ends.keys()]).toEqual(['endless', 'new']);
  });
});
