import { type CommandContext, fixtureKeyRing } from '#lib/access';
import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { EventRegistry, traceId } from '#lib/kernel';

import { recordAccess } from './access-record.js';
import { adminAccess } from './domain/access.events.js';

const LOOK = { resource: 'job/job:1', action: 'read', unredactedAs: null };

function contextOf(seed: string): CommandContext {
  const principal = { id: 'user_ada', roles: ['admin'], elevated: false } as const;
  const actor = { id: 'user_ada', role: 'admin' };
  return { principal, actor, seed, keyed: true, requestDigest: 'd'.repeat(64), traceId: traceId(seed), now: 0 };
}

it('a look at what is not theirs costs one read of one event, however many came before, and is on record once', async () => {
  const store = new MemoryEventStore();
  const ring = fixtureKeyRing();
  const codec = new EventCodec(new EventRegistry([adminAccess]), ring, new SubjectCiphers({} as SubjectKeyStore, ring));
  const before = new EventLog(store, codec);
  for (let i = 0; i < 300; i++) await recordAccess(before, contextOf(`cmd:${i}`), LOOK);
  const restarted = new EventLog(store, codec);
  const reads = jest.spyOn(store, 'readStream');
  for (const seed of ['cmd:one', 'cmd:two', 'cmd:one']) await recordAccess(restarted, contextOf(seed), LOOK);
  expect(reads.mock.calls).toEqual([['access-user_ada', { from: 299, limit: 1 }]]);
  expect((await before.load('access-user_ada')).head.version).toBe(302);
});
