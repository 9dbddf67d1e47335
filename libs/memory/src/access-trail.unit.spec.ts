import { NO_STATE } from '#lib/event-store';
import { traceId } from '#lib/kernel';

import { memoryEvent } from './domain/sem.events.js';
import { memoryProcess } from './testing/memory-harness.js';

const retried = memoryEvent('RETRY_ATTEMPT', { attempt_index: 1, key: 'user/profile/user_tuff/favorite_color' });
const by = (jobSeed: string) => ({
  jobSeed,
  sequenceIndex: 0,
  actor: { id: 'user_tuff', role: 'user' },
  traceId: traceId(jobSeed),
});

it('what a process appends to a long access trail costs one read of one event, and is appended once', async () => {
  const before = memoryProcess();
  await before.log.execute({
    stream: 'access-user_tuff',
    fold: NO_STATE,
    provenance: by('cmd:long'),
    decide: () => Array.from({ length: 500 }, () => retried),
  });
  const { trail, store, keys } = memoryProcess({ store: before.store });
  const reads = jest.spyOn(store, 'readStream');
  for (const seed of ['cmd:one', 'cmd:two', 'cmd:one']) await trail.append([retried], by(seed));
  expect(reads.mock.calls).toEqual([['access-user_tuff', { from: 499, limit: 1 }]]);
  expect((await memoryProcess({ store, keys }).log.load('access-user_tuff')).head.version).toBe(502);
});
