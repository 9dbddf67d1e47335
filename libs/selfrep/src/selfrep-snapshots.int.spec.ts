import { traceId } from '#lib/kernel';
import { MemoryReadStore } from '#lib/read-store';

import type { SelfrepBody } from './domain/chunks.js';
import { decideOutcomes } from './domain/decide.js';
import { EVERYTHING } from './ports.js';
import { reduceSnapshot } from './snapshot-reduction.js';
import { loadSnapshotModules, snapshotModules } from './snapshot-modules.js';
import { one } from './testing/placed.js';
import { selfrepProcess, type SelfrepProcess } from './testing/selfrep-process.js';

async function processWith(count: number, chunk_size: number): Promise<SelfrepProcess> {
  const process = selfrepProcess({ constants: { chunk_size, snapshot_every_trust_events: 5 } });
  await process.directory.start();
  for (let i = 0; i < count; i++) await process.register(`agent:m${i}_v1`, { capabilities: ['math'] });
  await process.selfrep.renew();
  process.directory.onChange((change) => process.selfrep.take(change));
  return process;
}

const bodyOf = (process: SelfrepProcess) => process.selfrep.current.body as unknown as SelfrepBody;

let commands = 0;

async function say(process: SelfrepProcess, nodeId: string, ...types: Parameters<typeof one>[]): Promise<void> {
  const jobSeed = `cmd:${nodeId}:${commands++}`;
  const by = { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
  await process.streams.execute(nodeId, by, (module) =>
    decideOutcomes(
      module!,
      types.map((type) => one(...type)),
      {},
      process.constants,
    ),
  );
  await process.selfrep.settled();
}

describe('the selfrep snapshot', () => {
  it('is reduced again from its modules’ streams, of which a page is in memory', async () => {
    const process = await processWith(3, 2);
    await say(process, 'agent:m0_v1', ...Array.from({ length: 5 }, () => ['AGENT_SUCCESS'] as Parameters<typeof one>));
    const load = jest.spyOn(process.log, 'load');
    const reduced = await reduceSnapshot(process.log, process.selfrep.current, process.load);
    expect(reduced).toEqual({ modules: 3, difference: null });
    expect(load.mock.calls.filter(([stream]) => /^(module|policy)-/.test(stream))).toEqual([]);
  });

  it('lists chunks by content, which hold every module in the order of registration', async () => {
    const process = await processWith(5, 2);
    expect(bodyOf(process)).toMatchObject({ chunk_size: 2, module_count: 5, constants: process.constants });
    expect(bodyOf(process).chunks).toHaveLength(3);
    const fresh = await process.snapshots.loadFresh(process.selfrep.current.snapshot_id);
    const modules = await loadSnapshotModules(fresh!, process.load);
    expect(modules.map(({ node_id }) => node_id)).toEqual([0, 1, 2, 3, 4].map((i) => `agent:m${i}_v1`));
    expect(modules).toEqual(snapshotModules(process.selfrep.current));
    await process.directory.stop();
  });

  it('gives one array as long as it is the same snapshot, so that routing sorts once', async () => {
    const process = await processWith(3, 2);
    const { current } = process.selfrep;
    const modules = snapshotModules(current);
    await process.selfrep.renew();
    expect(process.selfrep.current).toBe(current);
    expect(snapshotModules(process.selfrep.current)).toBe(modules);
    await process.directory.stop();
  });

  it('says of a module that nothing can call why, and of one that something can nothing', async () => {
    const callable = new Set(['m0_agent']);
    const whyNot = ({ agent_id }: { agent_id: string }) => (callable.has(agent_id) ? null : 'no_implementation');
    const process = selfrepProcess({ callability: { ...EVERYTHING, whyNot } });
    await process.directory.start();
    for (const i of [0, 1]) await process.register(`agent:m${i}_v1`);
    await process.selfrep.renew();
    const reasons = () => snapshotModules(process.selfrep.current).map((module) => module.not_callable);
    expect(reasons()).toEqual([undefined, 'no_implementation']);
    expect('not_callable' in snapshotModules(process.selfrep.current)[0]!).toBe(false);
    callable.add('m1_agent');
    await process.selfrep.renew();
    expect(reasons()).toEqual([undefined, undefined]);
    await process.directory.stop();
  });

  it('is made anew at once on a change of status, and then only the chunk that changed', async () => {
    const process = await processWith(6, 2);
    const before = bodyOf(process).chunks;
    const pinned = process.selfrep.current;
    for (let i = 0; i < 3; i++) await say(process, 'agent:m2_v1', ['AGENT_TIMEOUT']);
    expect(bodyOf(process).chunks.map((id, i) => id === before[i])).toEqual([true, false, true]);
    expect(snapshotModules(process.selfrep.current)[2]).toMatchObject({ status: 'offline' });
    expect(snapshotModules(pinned)[2]).toMatchObject({ status: 'degraded' });
    await process.directory.stop();
  });

  it('is made anew at once where people set the trust of a module, whose status stays', async () => {
    const process = await processWith(1, 2);
    await say(process, 'agent:m0_v1', ['MANUAL_OVERRIDE', { new_apt: 0.9 }]);
    expect(snapshotModules(process.selfrep.current)[0]).toMatchObject({ apt: 0.9, status: 'degraded' });
    await process.directory.stop();
  });

  it('waits for a number of trust events where no status changed', async () => {
    const process = await processWith(2, 2);
    const first = process.selfrep.current;
    for (let i = 0; i < 4; i++) await say(process, 'agent:m0_v1', ['COUNCIL_APPROVAL', { approve: false }]);
    expect(process.selfrep.current).toBe(first);
    await say(process, 'agent:m0_v1', ['COUNCIL_APPROVAL', { approve: false }], ['OPERATIONAL_NOTE']);
    expect(process.selfrep.current).not.toBe(first);
    await process.directory.stop();
  });

  it('is the same in another process on the same log, whether its read model is there or not', async () => {
    const process = await processWith(4, 3);
    await say(process, 'agent:m1_v1', ['AGENT_TIMEOUT']);
    const other = selfrepProcess({
      store: process.store,
      documents: new MemoryReadStore(),
      constants: process.constants,
    });
    await other.directory.start();
    await other.selfrep.renew();
    await process.selfrep.renew();
    expect(other.selfrep.current.snapshot_id).toBe(process.selfrep.current.snapshot_id);
    await Promise.all([process.directory.stop(), other.directory.stop()]);
  });

  it('leaves out what cannot be asked, and reads the earlier form, modules and all', async () => {
    const process = await processWith(1, 2);
    await process.register('service:db');
    await process.selfrep.renew();
    expect(bodyOf(process).module_count).toBe(2);
    expect(snapshotModules(process.selfrep.current).map(({ node_id }) => node_id)).toEqual(['agent:m0_v1']);
    const old = await process.snapshots.ensure('selfrep', { modules: [{ node_id: 'agent:math_v1' }] });
    expect(snapshotModules(old)).toEqual([{ node_id: 'agent:math_v1' }]);
    expect(await loadSnapshotModules(old, process.load)).toBe(snapshotModules(old));
    await process.directory.stop();
  });
});
