import { generateSync } from 'otplib';

import {
  EventCodec,
  EventLog,
  MemoryEventStore,
  StorageFullError,
  StoreUnavailableError,
  SubjectCiphers,
} from '#lib/event-store';
import { EventRegistry, MaceError } from '#lib/kernel';

import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { Authenticator } from './authenticator.js';
import { fixtureKeyRing } from './fixture-keys.js';
import { accessEvents } from './access-events.js';
import { Principals } from './principals.js';
import { RevocationWatch } from './revocation-watch.js';
import { RevocationList } from './revocations.js';
import { SecondFactors } from './second-factors.js';
import { signToken, TokenVerifier } from './tokens.js';
import { until } from '../../../test/support/eventually.js';

const NAMES = { issuer: 'mace', audience: 'mace' };
const ADMIN = { id: 'user_ada', role: 'admin' };
const NOW = Date.UTC(2026, 0, 1, 0, 0, 15);
const ring = fixtureKeyRing();

/** What one process has of access, on a store that others may share. */
function processOn(store: MemoryEventStore, keys: MemorySubjectKeys) {
  const log = new EventLog(
    store,
    new EventCodec(new EventRegistry(accessEvents), ring, new SubjectCiphers(keys, ring)),
  );
  const revocations = new RevocationList(log);
  const rules = { normalForm: (raw: string) => `user_${raw}`, isPersonal: () => false };
  const authenticator = new Authenticator(
    new TokenVerifier(ring, NAMES),
    new Principals(log, ring, rules),
    revocations,
  );
  return { log, revocations, authenticator, factors: new SecondFactors(log) };
}

function two() {
  const [store, keys] = [new MemoryEventStore(), new MemorySubjectKeys()];
  return { store, keys, here: processOn(store, keys), there: processOn(store, keys) };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    if (error instanceof MaceError) return error.code;
    throw error;
  }
}

const tokenOf = (userId: string) => signToken(ring, { userId, roles: ['user'], ttlSeconds: 600, now: NOW, ...NAMES });
const jtiOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { jti: string }).jti;

describe('two processes on one store', () => {
  test('take one code once between them, however many ask at once', async () => {
    const { here, there } = two();
    const { secret } = await here.factors.enrol('user_alice', NOW);
    const code = generateSync({ secret, epoch: NOW / 1000 });
    const asked = await Promise.all(
      [here, there, here, there].map(({ factors }) => codeOf(factors.verifyOneTimeCode('user_alice', code, NOW))),
    );
    expect(asked.sort()).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED', 'UNAUTHENTICATED', 'accepted']);
  });

  test('count wrong codes together: of many guesses at once five are looked at, and the lock holds in both', async () => {
    const { here, there } = two();
    const { secret } = await here.factors.enrol('user_alice', NOW);
    const right = [-30, 0, 30].map((shift) => generateSync({ secret, epoch: NOW / 1000 + shift }));
    const guesses = Array.from({ length: 40 }, (_, i) => String(i * 7919 + 100_000)).filter(
      (code) => !right.includes(code),
    );
    const answers = await Promise.all(
      guesses.map((code, i) => codeOf((i % 2 ? here : there).factors.verifyOneTimeCode('user_alice', code, NOW))),
    );
    expect(answers.filter((answer) => answer === 'UNAUTHENTICATED')).toHaveLength(5);
    expect(new Set(answers)).toEqual(new Set(['UNAUTHENTICATED', 'RATE_LIMITED']));
    for (const { factors } of [here, there]) {
      expect(await codeOf(factors.verifyOneTimeCode('user_alice', right[1]!, NOW + 60_000))).toBe('RATE_LIMITED');
    }
  });

  test('a person whose data key is destroyed has no second factor left', async () => {
    const { here, there, keys } = two();
    const { secret } = await here.factors.enrol('user_alice', NOW);
    const [record] = await keys.listFor('user_alice');
    await keys.destroy(record!.state === 'present' ? record!.key.kid : '');
    const code = generateSync({ secret, epoch: NOW / 1000 });
    expect(await codeOf(there.factors.verifyOneTimeCode('user_alice', code, NOW))).toBe('UNAUTHENTICATED');
  });

  test('a token that one remembers falls there when the other revokes it', async () => {
    const { store, here, there } = two();
    const faults: unknown[] = [];
    const watch = new RevocationWatch(store, there.revocations, (fault) => faults.push(fault));
    watch.start();
    const [token, kept] = [await tokenOf('alice'), await tokenOf('alice')];
    for (const one of [token, kept]) await there.authenticator.authenticate(one, NOW);
    expect(there.authenticator.seen(token, NOW)).toBeDefined();
    await here.revocations.revoke({ jti: jtiOf(token), owner: null, expiresAt: undefined, actor: ADMIN, now: NOW });
    await until(() => there.authenticator.seen(token, NOW) === undefined);
    expect(await codeOf(there.authenticator.authenticate(token, NOW))).toBe('UNAUTHENTICATED');
    expect(await codeOf(there.authenticator.authenticate(kept, NOW))).toBe('accepted');
    await watch.stop();
    expect(faults).toEqual([]);
  });

  test('a store that is out of reach lets those in whom it knew, until it has been so for too long', async () => {
    const { store, there } = two();
    const faults: unknown[] = [];
    const token = await tokenOf('alice');
    await there.authenticator.authenticate(token, NOW);
    jest.spyOn(store, 'head').mockRejectedValue(new StoreUnavailableError('gone'));
    const believed: boolean[] = [];
    const onFault = (fault: unknown): void => {
      faults.push(fault);
      believed.push(there.authenticator.seen(token, NOW) !== undefined);
    };
    const watch = new RevocationWatch(store, there.revocations, onFault, { pauseMs: 1, believedAttempts: 3 });
    watch.start();
    await until(() => faults.length >= 5);
    expect(believed.slice(0, 5)).toEqual([true, true, true, false, false]);
    await watch.stop();
    const told = faults.length;
    await new Promise((done) => setTimeout(done, 20));
    expect(faults).toHaveLength(told);
  });

  test('a store that goes out of reach of this process alone, while its subscription waits in silence, is believed no longer', async () => {
    const { store, there } = two();
    const token = await tokenOf('alice');
    const faults: unknown[] = [];
    const watch = new RevocationWatch(store, there.revocations, (fault) => faults.push(fault), {
      pauseMs: 1,
      believedAttempts: 20,
    });
    const head = jest.spyOn(store, 'head');
    watch.start();
    await until(() => head.mock.calls.length >= 3);
    await there.authenticator.authenticate(token, NOW);
    expect(there.authenticator.seen(token, NOW)).toBeDefined();
    head.mockRejectedValue(new StoreUnavailableError('gone'));
    await until(() => there.authenticator.seen(token, NOW) === undefined);
    await watch.stop();
    expect(faults).toEqual([]);
  });

  test('at the return of a store everybody is looked at again', async () => {
    const { store, here, there } = two();
    const token = await tokenOf('alice');
    await there.authenticator.authenticate(token, NOW);
    jest.spyOn(store, 'head').mockRejectedValueOnce(new StoreUnavailableError('gone'));
    await here.revocations.revoke({ jti: jtiOf(token), owner: null, expiresAt: undefined, actor: ADMIN, now: NOW });
    const watch = new RevocationWatch(store, there.revocations, () => undefined, { pauseMs: 1 });
    watch.start();
    await until(() => there.authenticator.seen(token, NOW) === undefined);
    expect(await codeOf(there.authenticator.authenticate(token, NOW))).toBe('UNAUTHENTICATED');
    await watch.stop();
  });

  test('the revocation of one has nobody else looked at again, here and in the other', async () => {
    const { store, here, there } = two();
    const watch = new RevocationWatch(store, there.revocations, () => undefined);
    watch.start();
    const [alices, bobs] = [await tokenOf('alice'), await tokenOf('bob')];
    for (const { authenticator } of [here, there])
      for (const token of [alices, bobs]) await authenticator.authenticate(token, NOW);
    const actor = { id: 'user_alice', role: 'user' };
    const order = { owner: 'user_alice', expiresAt: undefined, actor, now: NOW };
    for (let i = 0; i < 20; i++) await here.revocations.revoke({ ...order, jti: `made-up-${i}` });
    await until(() => there.authenticator.seen(alices, NOW) === undefined);
    expect(here.authenticator.seen(alices, NOW)).toBeUndefined();
    for (const { authenticator } of [here, there]) {
      expect(authenticator.seen(bobs, NOW)).toBeDefined();
      expect(await codeOf(authenticator.authenticate(alices, NOW))).toBe('accepted');
      expect(authenticator.seen(alices, NOW)).toBeDefined();
    }
    await watch.stop();
  });

  test('a revocation that is never taken keeps no other from being stored', async () => {
    const { store, here, there } = two();
    const tokens = [await tokenOf('alice'), await tokenOf('bob')] as const;
    for (const one of tokens) await here.authenticator.authenticate(one, NOW);
    const append = jest.spyOn(store, 'append').mockRejectedValue(new StoreUnavailableError('gone'));
    for (const [i, owner] of ['user_alice', 'user_bob'].entries()) {
      const actor = { id: owner, role: 'user' };
      const order = { jti: jtiOf(tokens[i]!), owner, expiresAt: NOW / 1000 + 600, actor, now: NOW };
      await expect(here.revocations.revoke(order)).rejects.toMatchObject({ code: 'DATA_UNAVAILABLE' });
    }
    append.mockRestore();
    jest.spyOn(store, 'append').mockRejectedValueOnce(new StorageFullError('it has used its part'));
    await here.revocations.storeAgain();
    there.revocations.lookAgain(null);
    const codes = tokens.map((token) => codeOf(there.authenticator.authenticate(token, NOW)));
    expect(await Promise.all(codes)).toEqual(['accepted', 'UNAUTHENTICATED']);
  });

  test.each([
    ['has no room', new StorageFullError('the disk is full'), 'STORAGE_FULL'],
    ['is out of reach', new StoreUnavailableError('gone'), 'DATA_UNAVAILABLE'],
  ])('a revocation while the store %s holds here at once, is not acknowledged, and is stored later', async (...row) => {
    const [, fault, code] = row;
    const { store, here, there } = two();
    const [token, kept] = [await tokenOf('alice'), await tokenOf('alice')];
    for (const one of [token, kept]) await here.authenticator.authenticate(one, NOW);
    const actor = { id: 'user_alice', role: 'user' };
    const order = { jti: jtiOf(token), owner: 'user_alice', expiresAt: NOW / 1000 + 600, actor, now: NOW };
    const append = jest.spyOn(store, 'append').mockRejectedValue(fault);
    await expect(here.revocations.revoke(order)).rejects.toMatchObject({
      code,
      developerMessage: expect.stringMatching(/not stored: .*; this process refuses the token/),
      meta: { revocation: { holds_in: 'this process', stored: false } },
    });
    expect(await codeOf(here.authenticator.authenticate(token, NOW))).toBe('UNAUTHENTICATED');
    expect(await codeOf(here.authenticator.authenticate(kept, NOW))).toBe('accepted');
    expect(await codeOf(there.authenticator.authenticate(token, NOW))).not.toBe('UNAUTHENTICATED');
    await here.revocations.storeAgain();
    append.mockRestore();
    await here.revocations.storeAgain();
    there.revocations.lookAgain(null);
    expect(await codeOf(there.authenticator.authenticate(token, NOW))).toBe('UNAUTHENTICATED');
  });

  test('so many revocations of one principal wait for a store that takes none, and beyond them none holds', async () => {
    const { store, here } = two();
    const actor = { id: 'user_alice', role: 'user' };
    const order = { owner: 'user_alice', expiresAt: undefined, actor, now: NOW };
    jest.spyOn(store, 'append').mockRejectedValue(new StorageFullError('the disk is full'));
    const codes = [];
    for (let i = 0; i < 102; i++)
      codes.push(await here.revocations.revoke({ ...order, jti: `jti-${i}` }).catch((error: unknown) => error));
    expect(codes.filter((error) => error instanceof MaceError)).toHaveLength(100);
    expect(codes.at(-1)).toBeInstanceOf(StorageFullError);
  });

  test('a token that is revoked while it is being looked at is not remembered', async () => {
    const { here } = two();
    const token = await tokenOf('alice');
    await here.authenticator.authenticate(await tokenOf('alice'), NOW);
    const [looked] = await Promise.allSettled([
      here.authenticator.authenticate(token, NOW),
      here.revocations.revoke({ jti: jtiOf(token), owner: 'user_alice', expiresAt: undefined, actor: ADMIN, now: NOW }),
    ]);
    expect(['fulfilled', 'rejected']).toContain(looked.status);
    expect(here.authenticator.seen(token, NOW)).toBeUndefined();
    expect(await codeOf(here.authenticator.authenticate(token, NOW))).toBe('UNAUTHENTICATED');
  });
});
