import { IntegrityError, MemoryEventStore, type ReadStreamOptions } from '#lib/event-store';
import { eventId, type DomainEvent } from '#lib/kernel';
import { MemoryReadStore } from '#lib/read-store';

import type { AptEvent } from './domain/module.events.js';
import { ModuleStreams } from './module-streams.js';
import { selfrepProcess, type SelfrepProcess } from './testing/selfrep-process.js';

const MATH = 'agent:math_v1';

const output = (node_id = MATH): DomainEvent => ({ type: 'AGENT_OUTPUT', data: { node_id, outcome: 'answer' } });
const timeout = (node_id = MATH): DomainEvent => ({ type: 'AGENT_TIMEOUT', data: { node_id } });
/** The council's decision on the answer that a job's first event is. */
const decided = (seed: string, outcome = 'approved'): DomainEvent => ({
  type: 'COUNCIL_DECISION',
  data: { candidate_event_id: eventId(seed, 0, 'AGENT_OUTPUT'), outcome },
});

describe('trust from jobs', () => {
  let process: SelfrepProcess;
  beforeEach(async () => {
    process = selfrepProcess();
    await process.register(MATH);
    await process.register('agent:other_v1');
  });

  const follow = async (checkpoints = process.documents): Promise<void> => {
    const reactor = process.reactorOn(checkpoints);
    reactor.start();
    await reactor.waitFor(await process.store.head());
    await reactor.stop();
  };
  const outcomes = async (nodeId = MATH) =>
    (await process.events(nodeId)).flatMap(({ type, data }) =>
      type === 'APT_EVENT' ? (data as unknown as AptEvent).outcomes : [],
    );
  const health = async (nodeId = MATH) => (await process.streams.read(nodeId)).module!.health;

  it('is one append a module and batch, its ids made of the first job event it holds', async () => {
    for (let i = 0; i < 50; i++) await process.job(`j${i}`, output(), decided(`j${i}`));
    await process.job('k', output('agent:other_v1'), decided('k', 'rejected'));
    await follow();
    const events = await process.events(MATH);
    const seed = `after:selfrep-trust:${eventId('j0', 0, 'AGENT_OUTPUT')}`;
    // The second outcome makes it healthy, so that it is told of right there.
    const types = events.slice(1).map(({ type }) => type);
    expect(types.filter((type) => type !== 'APT_EVENT').length).toBeLessThanOrEqual(2);
    expect(events[1]!.metadata).toMatchObject({
      job_seed: seed,
      event_id: eventId(seed, 0, 'APT_EVENT'),
      $causationId: eventId('j0', 0, 'AGENT_OUTPUT'),
      actor: { id: 'system', role: 'system' },
    });
    expect(new Set(events.slice(1).map(({ metadata }) => metadata.job_seed)).size).toBe(1);
    expect((await outcomes()).map(({ event_type }) => event_type).slice(0, 3)).toEqual([
      'AGENT_SUCCESS',
      'COUNCIL_APPROVAL',
      'AGENT_SUCCESS',
    ]);
    expect(await outcomes()).toHaveLength(100);
    expect(await health('agent:other_v1')).toMatchObject({ apt: 0.4995, total_calls: 1 });
  });

  it('is more than one append where one would be too large: each is whole, and none is counted twice after an end between them', async () => {
    // Each outcome changes the status: nothing takes more room.
    process = selfrepProcess({ constants: { min_trust_events: 0, healthy_min_apt: 0 } });
    await process.register(MATH);
    const story = Array.from({ length: 1200 }, (_, i) => (i % 2 ? timeout() : output()));
    for (let i = 0; i < story.length; i += 100) await process.job(`j${i}`, ...story.slice(i, i + 100));
    const append = jest.spyOn(process.store, 'append');
    let left = 2;
    append.mockImplementation((...args) => {
      if (args[0] === `module-${MATH}` && left-- === 0) return Promise.reject(new Error('the process ends'));
      return MemoryEventStore.prototype.append.apply(process.store, args);
    });
    await follow();
    const appended = append.mock.calls.filter(([stream]) => stream === `module-${MATH}`);
    expect(appended.length).toBeGreaterThan(3);
    const events = await process.events(MATH);
    const ends = events.filter(({ data }) => data['through'] !== undefined);
    expect(ends.length).toBe(appended.length - 1);
    expect(await outcomes()).toHaveLength(1200);
    expect(new Set((await outcomes()).map(({ event_id }) => event_id)).size).toBe(1200);
  });

  it('counts every job event once, however often and in whatever batches it comes again', async () => {
    for (let i = 0; i < 10; i++) await process.job(`j${i}`, output(), decided(`j${i}`));
    await follow();
    const before = await outcomes();
    await process.job('j10', output(), decided('j10'));
    // A checkpoint that was lost begins at the first event again, with later ones in the same batch.
    await follow(new MemoryReadStore());
    await follow(new MemoryReadStore());
    const after = await outcomes();
    expect(after.slice(0, 20)).toEqual(before);
    expect(after).toHaveLength(22);
    expect(new Set(after.map(({ event_id }) => event_id)).size).toBe(22);
    expect(await process.reader.recompute(MATH, 'user_ada')).toMatchObject({ equal: true, outcomes: 22 });
  });

  it('goes on where a process ended between the append and its checkpoint', async () => {
    const documents = new MemoryReadStore();
    const failing = Object.create(documents) as MemoryReadStore;
    failing.apply = () => Promise.reject(new Error('the process ends here'));
    await process.job('j1', output(), decided('j1'));
    const reactor = process.reactorOn(failing);
    reactor.start();
    while ((await outcomes()).length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    await reactor.stop();
    await process.job('j2', timeout());
    await follow(documents);
    expect((await outcomes()).map(({ event_type }) => event_type)).toEqual([
      'AGENT_SUCCESS',
      'COUNCIL_APPROVAL',
      'AGENT_TIMEOUT',
    ]);
    expect(process.faults).not.toEqual([]);
  });

  it('goes on for the other modules where the stream of one is not what was signed, and catches up once it is', async () => {
    const other = 'agent:other_v1';
    await process.job('j1', output(), decided('j1'));
    await follow();
    const forged = jest
      .spyOn(process.streams, 'execute')
      .mockImplementation((nodeId, ...more) =>
        nodeId === MATH
          ? Promise.reject(new IntegrityError(`module-${MATH}`, 0, 'changed'))
          : ModuleStreams.prototype.execute.call(process.streams, nodeId, ...more),
      );
    const reading = jest.spyOn(process.streams, 'verify').mockRejectedValue(new IntegrityError('x', 0, 'changed'));
    await process.job('j2', output(), decided('j2'));
    await process.job('j3', output(other), decided('j3'));
    const reactor = process.reactorOn();
    reactor.start();
    const total = async (id: string) => (await process.streams.read(id)).module!.health.total_calls;
    while ((await total(other)) === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    await expect(reactor.waitFor(await process.store.head(), 20)).rejects.toThrow('selfrep-trust is at');
    forged.mockRestore();
    reading.mockRestore();
    await reactor.waitFor(await process.store.head());
    await reactor.stop();
    expect([await outcomes(), await outcomes(other)].map(({ length }) => length)).toEqual([4, 2]);
    expect(process.faults).toContainEqual(expect.objectContaining({ stream: `module-${MATH}` }));
  });

  it('takes a module offline at the third failure in a row, and not at the third of all', async () => {
    await process.job('j1', timeout(), timeout());
    await process.job('j2', output());
    await process.job('j3', timeout(), timeout());
    await follow();
    expect(await health()).toMatchObject({ status: 'degraded', consecutive_failures: 2, total_calls: 5 });
    await process.job('j4', timeout());
    await follow();
    expect(await health()).toMatchObject({ status: 'offline', consecutive_failures: 3 });
    expect((await process.events(MATH)).at(-1)!.type).toBe('NODE_OFFLINE');
  });

  it('finds whose answer was decided on where the answer was read before a restart', async () => {
    await process.job('j1', output());
    await follow();
    const { head } = await process.log.load('job-j1');
    await process.log.append(head, [decided('j1')], {
      jobSeed: 'j1',
      sequenceIndex: 1,
      actor: { id: 'user_tuff', role: 'user' },
      traceId: 'trace-1',
    });
    await follow();
    expect((await outcomes()).map(({ event_type }) => event_type)).toEqual(['AGENT_SUCCESS', 'COUNCIL_APPROVAL']);
  });

  it('draws nothing from a decision whose own stream was cut, tells of that, and goes on', async () => {
    await process.job('j1', output());
    await follow();
    const { head } = await process.log.load('job-j1');
    const by = { jobSeed: 'j1', sequenceIndex: 1, actor: { id: 'user_tuff', role: 'user' }, traceId: 'trace-1' };
    await process.log.append(head, [decided('j1')], by);
    await process.job('j2', output());
    const cut = new IntegrityError('job-j1', 0, 'the stream has lost its events before number 1');
    const readStream = process.store.readStream.bind(process.store);
    jest
      .spyOn(process.store, 'readStream')
      .mockImplementation((stream: string, options?: ReadStreamOptions) =>
        stream === 'job-j1' ? Promise.reject(cut) : readStream(stream, options),
      );
    await follow();
    expect((await outcomes()).map(({ event_type }) => event_type)).toEqual(['AGENT_SUCCESS', 'AGENT_SUCCESS']);
    expect(process.faults).toEqual([cut]);
  });

  it('draws nothing from deadlocks, from modules nobody registered, and from decisions on nothing', async () => {
    await process.job('j1', output('agent:nobody_v1'), decided('j1'));
    await process.job('j2', { type: 'COUNCIL_DECISION', data: { candidate_event_id: 'x', outcome: 'approved' } });
    await process.job('j3', output(), decided('j3', 'deadlock'));
    await follow();
    expect((await outcomes()).map(({ event_type }) => event_type)).toEqual(['AGENT_SUCCESS']);
    expect(await process.store.streamVersion('module-agent:nobody_v1')).toBe(0);
  });
});
