import type { TokenRevoked } from './revocation.events.js';
import {
  evolve as evolveEvent,
  isVoid,
  MAX_NAMED_BY_JTI,
  noRevocations,
  remove,
  revoke as revokeBy,
  type Revocations,
} from './revocation.js';

const AT = '2026-01-01T00:00:00.000Z';
const NOW = Date.parse(AT);
const evolveAs =
  (id: string) =>
  (state: Revocations, event: { readonly type: string; readonly data: unknown }): Revocations =>
    evolveEvent(state, { ...event, metadata: { actor: { id } } });
const evolve = evolveAs('user_alice');
const revoke = (state: Revocations, data: TokenRevoked['data']): readonly TokenRevoked[] =>
  revokeBy(state, data, 'user_alice');
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

  test('revocations of tokens that ended long ago are forgotten in time, those without a known end never', () => {
    const tokens = Array.from({ length: 1000 }, (_, i) => ({
      jti_hash: `ended${i}`,
      expires_at: later(i * 1000 + 500),
      revoked_at: later(i * 1000),
    }));
    const endless = { jti_hash: 'endless', expires_at: null, revoked_at: AT };
    const state = [endless, ...tokens].reduce((all, data) => revoke(all, data).reduce(evolve, all), noRevocations);
    const known = [...state.ends.entries().keys()];
    expect(known.length).toBeLessThan(500);
    expect(known).toEqual(expect.arrayContaining(['endless', ...tokens.slice(-60).map(({ jti_hash }) => jti_hash)]));
  });

  test('20,000 revocations without a known end do not copy one another at each step', () => {
    let copied = 0;
    const counted = jest.spyOn(Map.prototype, Symbol.iterator).mockImplementation(function (
      this: Map<unknown, unknown>,
    ) {
      copied += this.size;
      return this.entries();
    } as () => MapIterator<[unknown, unknown]>);
    let state = noRevocations;
    for (let i = 0; i < 20_000; i++) {
      const data = { jti_hash: `made-up${i}`, expires_at: null, revoked_at: AT };
      state = evolve(state, { type: 'TOKEN_REVOKED', data });
    }
    counted.mockRestore();
    expect(copied).toBeGreaterThan(20_000);
    expect(copied).toBeLessThan(20_000 * 20);
    expect(isVoid(state, { jtiHashes: ['made-up7'], issuedAt: NOW })).toBe(true);
  });

  test('each principal names so many tokens by their jti alone and no more, but any token that is shown', () => {
    const named = (i: number) => ({ jti_hash: `made-up${i}`, expires_at: null, revoked_at: AT });
    let state = noRevocations;
    for (let i = 0; i < MAX_NAMED_BY_JTI; i++) state = revoke(state, named(i)).reduce(evolve, state);
    expect(() => revoke(state, named(MAX_NAMED_BY_JTI))).toThrow('show the token');
    expect(revoke(state, named(0))).toEqual([]);
    expect(revoke(state, { ...named(-1), expires_at: later(1) })).toHaveLength(1);
    expect(revokeBy(state, named(MAX_NAMED_BY_JTI), 'user_admin')).toHaveLength(1);
    const [again] = revokeBy(state, named(MAX_NAMED_BY_JTI), 'user_admin');
    state = evolveAs('user_admin')(state, again!);
    expect(state.named).toEqual({ user_alice: MAX_NAMED_BY_JTI, user_admin: 1 });
  });
});
