import { MemoryReadStore } from '#lib/read-store';

import { JobLeases, LeftJobs } from './job-leases.js';
import { JobsElsewhere } from './jobs-elsewhere.js';

const LEASE_MS = 60_000;

describe('leases of jobs', () => {
  let documents: MemoryReadStore;
  let now: number;
  let left: LeftJobs;
  beforeEach(() => {
    documents = new MemoryReadStore();
    now = 1_000;
    left = new LeftJobs(documents, LEASE_MS, () => now);
  });

  it('a job without a seal is left once nobody has renewed it for a lease since it was first seen, and not before', async () => {
    expect(await left.among(['a'])).toEqual([]);
    now += LEASE_MS - 1;
    expect(await left.among(['a', 'b'])).toEqual([]);
    now += 1;
    expect(await left.among(['a', 'b'])).toEqual(['a']);
    now += LEASE_MS;
    expect(await left.among(['b'])).toEqual(['b']);
  });

  it('a job that its process renews is nobody else’s, however long it runs, and is left a lease after the last time', async () => {
    const leases = new JobLeases(documents, 'first');
    for (let minute = 0; minute < 10; minute++) {
      await leases.renew(['long']);
      expect(await left.among(['long', 'other'])).toEqual(minute < 2 ? [] : ['other']);
      now += LEASE_MS / 2;
    }
    expect(await left.among(['long'])).toEqual([]);
    now += LEASE_MS;
    expect(await left.among(['long'])).toEqual(['long']);
  });

  it('a job that a dead process still names is its next one’s as long as that one renews it, whoever is listed last', async () => {
    const next = new JobLeases(documents, 'next');
    await next.renew(['long']);
    await new JobLeases(documents, 'dead').renew(['long']);
    for (let look = 0; look < 4; look++) {
      await next.renew(['long']);
      expect(await left.among(['long'])).toEqual([]);
      now += LEASE_MS / 2;
    }
    now += LEASE_MS;
    expect(await left.among(['long'])).toEqual(['long']);
  });

  it('the time for which a store does not answer is no silence of who renews in it', async () => {
    const leases = new JobLeases(documents, 'first');
    await leases.renew(['long']);
    await left.among(['long']);
    const slow = jest.spyOn(documents, 'generations').mockImplementationOnce((...asked) => {
      now += LEASE_MS;
      slow.mockRestore();
      return documents.generations(...asked);
    });
    expect(await left.among(['long'])).toEqual([]);
    await leases.renew(['long']);
    expect(await left.among(['long'])).toEqual([]);
  });

  it('a job that was named and is by nobody any more is left at once for the one who looks alone, and for no other', async () => {
    const alone = new LeftJobs(documents, LEASE_MS, () => now, true);
    const leases = new JobLeases(documents, 'stopping');
    await leases.renew(['given', 'kept']);
    const next = new JobLeases(documents, 'next');
    await next.renew(['kept']);
    for (const who of [left, alone]) expect(await who.among(['given', 'kept', 'new'])).toEqual([]);
    now += 1;
    await leases.end();
    expect(await left.among(['given', 'kept', 'new'])).toEqual([]);
    expect(await alone.among(['given', 'kept', 'new'])).toEqual(['given']);
    await next.renew(['kept', 'given']);
    expect(await alone.among(['given', 'kept', 'new'])).toEqual([]);
  });

  it('a process without jobs writes nothing, and one that ends is forgotten', async () => {
    const leases = new JobLeases(documents, 'first');
    await leases.renew([]);
    await leases.end();
    expect(await documents.generations()).toEqual([]);
    await leases.renew(['a']);
    await leases.renew([]);
    expect(await documents.generations()).toHaveLength(1);
    await leases.end();
    expect(await documents.generations()).toEqual([]);
  });

  it('a process that was silent for ten leases is forgotten, and known again when it wakes up', async () => {
    const leases = new JobLeases(documents, 'first');
    await leases.renew(['a']);
    await left.among(['a']);
    now += 10 * LEASE_MS;
    await left.among(['a']);
    expect(await documents.generations()).toEqual([]);
    await leases.renew(['a']);
    expect(await left.among(['a'])).toEqual([]);
  });
});

describe('a job that is asked for where it does not run', () => {
  it('is left once nobody has renewed it for a lease since it was first asked for, whoever asks meanwhile for others', async () => {
    let now = 1_000;
    const documents = new MemoryReadStore();
    const elsewhere = new JobsElsewhere(documents, LEASE_MS, () => now);
    const leases = new JobLeases(documents, 'first');
    expect(await Promise.all([elsewhere.isLeft('a'), elsewhere.isLeft('b')])).toEqual([false, false]);
    now += LEASE_MS / 2;
    await leases.renew(['b']);
    expect(await elsewhere.isLeft('c')).toBe(false);
    expect(await elsewhere.isLeft('b')).toBe(false);
    now += LEASE_MS / 2;
    expect(await Promise.all(['a', 'b', 'c'].map((job) => elsewhere.isLeft(job)))).toEqual([true, false, false]);
  });

  it('is looked for anew after nobody has asked for it for ten leases', async () => {
    let now = 1_000;
    const elsewhere = new JobsElsewhere(new MemoryReadStore(), LEASE_MS, () => now);
    await elsewhere.isLeft('a');
    now += 11 * LEASE_MS;
    await elsewhere.isLeft('b');
    expect(await elsewhere.isLeft('a')).toBe(false);
  });
});
