import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { commandSeed, EventRegistry } from '#lib/kernel';

import { fixtureKeyRing } from './fixture-keys.js';
import { accessEvents } from './access-events.js';
import { type CommandContext } from './principal.js';
import { RequestBindings } from './request-bindings.js';

function world() {
  const ring = fixtureKeyRing();
  const ciphers = new SubjectCiphers({} as SubjectKeyStore, ring);
  const log = new EventLog(new MemoryEventStore(), new EventCodec(new EventRegistry(accessEvents), ring, ciphers));
  return { log, bindings: new RequestBindings(log) };
}

function request(body: string, key: string | null = 'k-1'): CommandContext {
  return {
    principal: { id: 'user_tuff', roles: ['user'], elevated: false },
    actor: { id: 'user_tuff', role: 'user' },
    seed: commandSeed('user_tuff', 'POST', '/sem/keys', key ?? 'drawn'),
    keyed: key !== null,
    requestDigest: body,
    traceId: 'trace-1',
    now: 0,
  };
}

describe('the binding of an Idempotency-Key', () => {
  test('a key belongs to its first body, and the same request comes again without a trace', async () => {
    const { bindings, log } = world();
    await bindings.bind(request('a'));
    await bindings.bind(request('a'));
    await expect(bindings.bind(request('b'))).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    await bindings.bind(request('b', 'k-2'));
    expect(await log.store.head()).toBe('2');
  });

  test('of 8 bodies at once under one key exactly one is taken', async () => {
    const { bindings } = world();
    const all = await Promise.allSettled(Array.from({ length: 8 }, (_, i) => bindings.bind(request(`body ${i}`))));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a request without a key binds nothing', async () => {
    const { bindings, log } = world();
    await bindings.bind(request('a', null));
    expect(await log.store.head()).toBe('0');
  });
});
