import { fixtureKeyRing } from '#lib/access';
import { emptyHead, EventCodec, EventLog, MemoryEventStore, SubjectCiphers } from '#lib/event-store';
import { EventRegistry, traceId } from '#lib/kernel';
import { memoryEvents } from '#lib/memory';

import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { dsrEvent, dsrEvents, dsrStream } from './domain/dsr.events.js';
import { Exports } from './exports.js';

const ID = `dr-${'2'.repeat(32)}`;
const TUFF = 'user_tuff';
const KEY = 'user/profile/user_tuff/diary';
const NOW = Date.parse('2026-11-21T12:00:00.000Z');
const AT = new Date(NOW).toISOString();

/** An export of somebody who wrote one key so often, a mebibyte each time. */
async function exporting(writes: number) {
  const ring = fixtureKeyRing();
  const registry = new EventRegistry([...dsrEvents, ...memoryEvents]);
  const log = new EventLog(
    new MemoryEventStore(),
    new EventCodec(registry, ring, new SubjectCiphers(new MemorySubjectKeys(), ring)),
  );
  const from = (jobSeed: string) => ({
    jobSeed,
    sequenceIndex: 0,
    actor: { id: TUFF, role: 'user' },
    traceId: traceId(jobSeed),
  });
  const put = { key: KEY, value: 'x', source: 'user', timestamp: AT, applied: true, value_hash: 'h' };
  await log.append(emptyHead(`sem-${KEY}`), [{ type: 'SEM_PUT', data: put }], from('put'));
  const asked = { dsr_id: ID, user_id: TUFF, requested_by: TUFF, requested_at: AT };
  const request = dsrEvent('DSR_REQUEST', { ...asked, kind: 'export', identity_method: 'otp' });
  await log.append(emptyHead(dsrStream(ID)), [request], from('ask'));
  let read = 0;
  const memory = {
    async *writes() {
      for (; read < writes; read++) yield { revision: read, position: '1', content: { value: 'x'.repeat(2 ** 20) } };
    },
  };
  const exports = new Exports(log, registry, memory, () => Promise.resolve(true));
  const principal = { id: TUFF, roles: ['user'] };
  const ctx = { principal, now: NOW, seed: 'export', actor: { id: TUFF, role: 'user' }, traceId: traceId('export') };
  return { package: exports.export(ctx as never, ID), read: () => read };
}

describe('a package of what is recorded of a person', () => {
  it('of a size that one answer bears is given whole', async () => {
    const { package: made } = await exporting(3);
    expect((await made).package.memory[KEY]).toHaveLength(3);
  });

  it('that is larger is refused before it is held whole, with the way to read the same in pages', async () => {
    const { package: made, read } = await exporting(1000);
    await expect(made).rejects.toMatchObject({
      code: 'CONFLICT',
      developerMessage: expect.stringMatching(/^the package is over 64 MiB; read memory by GET \/me\/keys/) as string,
    });
    expect(read()).toBe(63);
  });
});
