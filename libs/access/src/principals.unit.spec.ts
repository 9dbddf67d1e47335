import { EventCodec, EventLog, StorageFullError, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { EventRegistry, KeyRing } from '#lib/kernel';

import { MemoryEventStore } from '#lib/event-store';
import { fixtureKeyRing, fixtureKeys } from './fixture-keys.js';
import { accessEvents } from './access-events.js';
import { Principals } from './principals.js';

const rules = {
  normalForm: (raw: string) =>
    `user_${raw
      .trim()
      .toLowerCase()
      .replace(/^user_/, '')
      .replace(/[^a-z0-9]+/g, '')}`,
  isPersonal: (raw: string) => raw.includes('@'),
};

function world() {
  const store = new MemoryEventStore();
  const ring = fixtureKeyRing();
  const log = (keys: KeyRing) =>
    new EventLog(
      store,
      new EventCodec(new EventRegistry(accessEvents), keys, new SubjectCiphers({} as SubjectKeyStore, keys)),
    );
  return { ring, log, registry: (keys = ring) => new Principals(log(keys), keys, rules) };
}

describe('the principal registry', () => {
  test('a person is registered once, whatever spelling of the same text comes', async () => {
    const { registry, log, ring } = world();
    expect(await registry().ensure('Tuff', 'user')).toBe('user_tuff');
    expect(await registry().ensure(' tuff ', 'user')).toBe('user_tuff');
    const { events } = await log(ring).load('principal-user_tuff');
    expect(events.map(({ type }) => type)).toEqual(['PRINCIPAL_REGISTERED']);
    expect(JSON.stringify(events[0]!.data)).not.toMatch(/tuff(?!")/i);
  });

  test.each([
    ['tuff', 'user_tuff'],
    ['user_tuff', 'TUFF'],
    ['user_TUFF', 'tuff'],
    ['USER_Tuff', ' user_tuff'],
  ])('%s and %s are one person, in another process too', async (first, second) => {
    const { registry, log, ring } = world();
    expect(await registry().ensure(first, 'user')).toBe('user_tuff');
    expect(await registry().ensure(second, 'user')).toBe('user_tuff');
    expect((await log(ring).load('principal-user_tuff')).events).toHaveLength(1);
    await expect(registry().ensure('user_tuff!', 'user')).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('another id with the same normal form is refused, in another process too', async () => {
    const { registry } = world();
    await registry().ensure('tuff', 'user');
    await expect(registry().ensure('TuFf!', 'user')).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('of 16 spellings at once exactly one wins', async () => {
    const { registry } = world();
    const spellings = Array.from({ length: 16 }, (_, i) => `tuff${'!'.repeat(i)}`);
    const outcomes = await Promise.allSettled(spellings.map((raw) => registry().ensure(raw, 'user')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('whoever comes first while the log has no room is let in, and is registered once there is', async () => {
    const { registry, log, ring } = world();
    const full = log(ring);
    const append = jest.spyOn(full.store, 'append').mockRejectedValue(new StorageFullError('full'));
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    const principals = new Principals(full, ring, rules);
    expect(await principals.ensure('tuff', 'user')).toBe('user_tuff');
    expect(await principals.ensure(' TUFF', 'user')).toBe('user_tuff');
    expect(append).toHaveBeenCalledTimes(1);
    await expect(principals.ensure('tuff!', 'user')).rejects.toMatchObject({ code: 'CONFLICT' });
    append.mockRestore();
    now.mockReturnValue(10_000);
    expect(await principals.ensure('tuff', 'user')).toBe('user_tuff');
    now.mockRestore();
    expect((await log(ring).load('principal-user_tuff')).events).toHaveLength(1);
    await expect(registry().ensure('tuff!', 'user')).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('an id that holds personal data is refused and leaves nothing', async () => {
    const { registry, log, ring } = world();
    await expect(registry().ensure('me@home.net', 'user')).rejects.toMatchObject({ code: 'PRIVACY_BLOCKED' });
    expect(await log(ring).store.head()).toBe('0');
  });

  test('a rotated key still knows who was registered before', async () => {
    const { registry, ring } = world();
    await registry().ensure('tuff', 'user');
    const keys = fixtureKeys().map((key) =>
      key.purpose === 'pii-hmac' ? { ...key, state: 'verify-only' as const } : key,
    );
    const next = { ...ring.active('pii-hmac'), kid: 'pii-hmac.next', secret: Buffer.alloc(32, 9) };
    const rotated = new KeyRing([...keys, next]);
    expect(await registry(rotated).ensure('tuff', 'user')).toBe('user_tuff');
    await expect(registry(rotated).ensure('tuff?', 'user')).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
