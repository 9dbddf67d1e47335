import { eventAt, MemoryEventStore, positionOf } from '#lib/event-store';
import { DeterministicRng } from '#lib/kernel';
import { MemoryReadStore, type ReadStore } from '#lib/read-store';
import { EVENT_PARKED } from './domain/parking.events.js';
import { liveGeneration } from './ownership.js';
import { type ParkedView } from './parked-view.js';
import { type Projection } from './projection.js';
import { type RunnerOptions } from './projection-runner.js';
import { rerun } from './rerun.js';
import { type RunnerStatus } from './status.js';
import { enter, ledgers } from './testing/ledgers.js';
import { parse } from './testing/notes.js';
import { by, ProjectionHouse } from './testing/projection-house.js';

const POISON = 13;
const poisoned = ledgers((n) => n === POISON);

describe('events that a projection cannot take', () => {
  let events: MemoryEventStore;
  let documents: MemoryReadStore;
  const stops: (() => Promise<void>)[] = [];
  beforeEach(() => {
    events = new MemoryEventStore();
    documents = new MemoryReadStore();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  function house(projection: Projection, options: Partial<RunnerOptions> = {}, store: ReadStore = documents) {
    const made = new ProjectionHouse(events, store, { maxBatchEvents: 3, ...options }, projection).start();
    stops.push(() => made.stop());
    return made;
  }

  async function reached({ host }: ProjectionHouse, fits: (status: RunnerStatus) => boolean): Promise<RunnerStatus> {
    for (;;) {
      const { status } = host.runner('ledgers');
      if (fits(status)) return status;
      await new Promise(setImmediate);
    }
  }
  const halted = (of: ProjectionHouse): Promise<RunnerStatus> => reached(of, ({ state }) => state === 'halted');

  const ledger = async (id: string) =>
    (await documents.get(await liveGeneration(documents, poisoned), 'ledgers', id))?.body ?? null;
  const order = (position: string, seed: string, reason: string | null = null) => ({
    position,
    provenance: by(seed),
    reason,
  });

  /** Of the documents now, which must be those of a rerun; settles once the live ones have reached the head. */
  async function digest(of: ProjectionHouse, projection: Projection): Promise<string> {
    await of.host.waitFor(await events.head(), ['ledgers'], 60_000);
    const result = await rerun(projection, { events, documents, scratch: new MemoryReadStore(), decode: parse });
    expect(result).toMatchObject({ comparable: true, equal: true });
    return result.scratch_digest;
  }

  /** Of documents made of this log where nothing is in the way. */
  async function cleanDigest(projection: Projection): Promise<string> {
    const nowhere = new MemoryReadStore();
    return (await rerun(projection, { events, documents: nowhere, decode: parse })).scratch_digest;
  }

  /** One poison event in ledger b, with a later one of the same ledger, between those of others. */
  async function fill(): Promise<string> {
    await enter(events, 'a', 1);
    await enter(events, 'b', 2);
    const at = await enter(events, 'b', POISON);
    await enter(events, 'a', 3);
    await enter(events, 'b', 4);
    await enter(events, 'c', 5);
    return at;
  }

  it('are tried a few times, told once, and then halt; the reason stands in the list and after a restart', async () => {
    let tries = 0;
    const counting = ledgers((n) => n === POISON && ++tries > 0);
    const seen: RunnerStatus[] = [];
    const at = await fill();
    const first = house(counting, { onChange: (_, status) => seen.push(status), poisonAttempts: 4 });
    await halted(first);
    expect(tries).toBe(4);
    expect(seen.filter(({ error }) => error).map(({ state }) => state)).toEqual(['retrying', 'halted']);
    const report = { kind: 'poison', position: at, reason_class: 'projecting', attempts: 4 };
    expect(await first.host.list()).toMatchObject([{ state: 'halted', parked: 0, error: report }]);
    await first.stop();
    const second = house(counting);
    await halted(second);
    expect(tries).toBe(4);
    expect(await second.parking.list('ledgers')).toMatchObject([
      { position: at, state: 'halted', done: true, by: null },
    ]);
  });

  it('that can be taken after all at a later try are, and nothing is on record', async () => {
    let tries = 0;
    const whim = ledgers((n) => n === POISON && ++tries <= 2);
    await fill();
    const of = house(whim, { onPoison: 'park' });
    await reached(of, ({ state }) => state === 'live');
    expect(await digest(of, ledgers())).toBe(await cleanDigest(ledgers()));
    expect(await events.streamVersion('projection-ledgers')).toBe(0);
  });

  it('parked by order: the projection goes on, what follows in its partition waits, and a replay applies it in order', async () => {
    const at = await fill();
    const of = house(poisoned);
    await halted(of);
    expect(await of.parking.park('ledgers', order(at, 'p', 'to be mended'))).toMatchObject({
      state: 'parked',
      done: true,
      by: 'user:olga',
      reason: 'to be mended',
    });
    await of.host.waitFor(await enter(events, 'b', 7));
    expect(await ledger('b')).toEqual({ last: 2, digit_2: 2 });
    expect(await ledger('a')).toMatchObject({ last: 3 });
    expect(await ledger('c')).toMatchObject({ last: 5 });
    expect(await of.host.list()).toMatchObject([{ state: 'live', parked: 1 }]);
    await digest(of, poisoned);
    await of.stop();

    const mended = house(ledgers());
    await mended.host.waitFor(await events.head());
    expect(await ledger('b')).toMatchObject({ last: 2 });
    expect(await mended.parking.replay('ledgers', order(at, 'r'))).toMatchObject({ state: 'replayed', done: true });
    expect(await ledger('b')).toEqual({ last: 7, digit_2: 2, digit_3: 13, digit_4: 4, digit_7: 7 });
    expect(await digest(mended, ledgers())).toBe(await cleanDigest(ledgers()));
    expect(await mended.host.list()).toMatchObject([{ state: 'live', parked: 0 }]);
  });

  it('are parked by themselves where the policy says so, on record without a name, a stream or a word of the error', async () => {
    const parked: string[] = [];
    const at = await fill();
    const of = house(poisoned, { onPoison: 'park', onParked: ({ event }) => parked.push(event.position) });
    await of.host.waitFor(await events.head(), ['ledgers'], 60_000);
    expect(parked).toEqual([at]);
    const { events: said } = await events.readStream('projection-ledgers');
    expect(said.map(({ type }) => type)).toEqual([EVENT_PARKED]);
    const { data } = JSON.parse(said[0]!.text) as { data: object };
    expect(data).toEqual({
      projection: 'ledgers',
      position: at,
      event_id: (await eventAt(events, positionOf(at)))!.id,
      event_type: 'ENTERED',
      reason_class: 'projecting',
      partition: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      reason: null,
    });
    await digest(of, poisoned);
  });

  it('replayed without having been mended are parked again and keep nobody else from going on', async () => {
    const at = await fill();
    const of = house(poisoned);
    await halted(of);
    await of.parking.park('ledgers', order(at, 'p'));
    const again = await of.parking.replay('ledgers', order(at, 'r'));
    expect(again).toMatchObject({ state: 'parked', done: true, replays: 1, by: 'system' });
    expect((await of.parking.replay('ledgers', order(at, 'r2'))).replays).toBe(2);
    await of.host.waitFor(await enter(events, 'c', 9));
    expect(await ledger('b')).toMatchObject({ last: 2 });
    await digest(of, poisoned);
  });

  it('of which a later one is poison too are applied up to that one, which is then the one that is parked', async () => {
    const at = await fill();
    const second = await enter(events, 'b', 14);
    await enter(events, 'b', 15);
    const of = house(
      ledgers((n) => n === POISON || n === 14),
      { onPoison: 'park' },
    );
    await of.host.waitFor(await events.head());
    await of.stop();
    const half = house(ledgers((n) => n === 14));
    await half.host.waitFor(await events.head());
    await half.parking.replay('ledgers', order(at, 'r'));
    expect(await half.parking.list('ledgers')).toMatchObject([
      { position: second, state: 'parked', done: true },
      { position: at, state: 'replayed', done: true },
    ]);
    expect(await ledger('b')).toMatchObject({ last: 4 });
    await digest(
      half,
      ledgers((n) => n === 14),
    );
  });

  it('skipped are passed over one by one, by their ids, from a halt and from where they are parked', async () => {
    const at = await fill();
    const of = house(poisoned);
    await halted(of);
    const [{ event_id }] = (await of.parking.list('ledgers')) as [ParkedView];
    await expect(of.parking.skip('ledgers', 'f'.repeat(64), order(at, 'no'))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await of.parking.skip('ledgers', event_id, order(at, 's'))).toMatchObject({ state: 'skipped', done: true });
    await of.host.waitFor(await events.head());
    expect(await ledger('b')).toEqual({ last: 4, digit_2: 2, digit_4: 4 });

    const other = await enter(events, 'c', POISON);
    await enter(events, 'c', 6);
    await halted(of);
    await of.parking.park('ledgers', order(other, 'p'));
    const views = await of.parking.list('ledgers');
    await of.parking.skip('ledgers', views[0]!.event_id, order(other, 's2'));
    expect(await ledger('c')).toEqual({ last: 6, digit_5: 5, digit_6: 6 });
    await digest(of, poisoned);
  });

  it('discarded are given up with what was held back until then; what comes later is applied', async () => {
    const at = await fill();
    const of = house(poisoned, { onPoison: 'park' });
    await of.host.waitFor(await events.head());
    const through = await events.head();
    expect(await of.parking.discard('ledgers', order(at, 'd'))).toMatchObject({ state: 'discarded', done: true });
    await of.host.waitFor(await enter(events, 'b', 8));
    expect(await ledger('b')).toEqual({ last: 8, digit_2: 2, digit_8: 8 });
    expect(Number((await of.parking.list('ledgers'))[0]!.through)).toBeGreaterThanOrEqual(Number(through));
    await digest(of, poisoned);
  });

  it('the same order again is no second event; orders about what is nowhere in the way are refused', async () => {
    const at = await fill();
    const of = house(poisoned);
    await halted(of);
    for (const verb of ['replay', 'discard'] as const)
      await expect(of.parking[verb]('ledgers', order('1', 'x'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(of.parking.park('ledgers', order('1', 'x'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(of.parking.discard('ledgers', order(at, 'x'))).rejects.toThrow(/park it first, or skip it/);
    await of.parking.park('ledgers', order(at, 'p'));
    await of.parking.park('ledgers', order(at, 'p'));
    await of.parking.park('ledgers', order(at, 'p2'));
    await of.parking.discard('ledgers', order(at, 'd'));
    await of.parking.discard('ledgers', order(at, 'd2'));
    await expect(of.parking.replay('ledgers', order(at, 'r'))).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await events.streamVersion('projection-ledgers')).toBe(2);
  });

  it('halt all the same where so many are parked that the program must be at fault', async () => {
    for (let i = 0; i < 6; i++) await enter(events, `l${i}`, POISON);
    const of = house(poisoned, { onPoison: 'park', maxParked: 4 });
    await halted(of);
    expect(await of.host.list()).toMatchObject([{ state: 'halted', parked: 4 }]);
  });

  it('that cannot be read where partitions are told by what they say halt, cannot be parked and can be skipped', async () => {
    const declared = ledgers(undefined, { partition: ({ data }) => data['ledger'] as string });
    await enter(events, 'a', 1);
    const odd = await events.append('odd', 'none', [{ id: 'e'.repeat(64), type: 'ENTERED', text: 'no JSON' }]);
    await enter(events, 'a', 2);
    if (odd.outcome !== 'appended') throw new Error('nobody else writes');
    const of = house(declared, { onPoison: 'park' });
    expect(await halted(of)).toMatchObject({ error: { reason_class: 'decoding', position: odd.position } });
    await expect(of.parking.park('ledgers', order(odd.position, 'p'))).rejects.toThrow(/cannot be read/);
    await of.parking.skip('ledgers', 'e'.repeat(64), order(odd.position, 's'));
    await of.host.waitFor(await events.head());
    expect(await ledger('a')).toMatchObject({ last: 2 });
    await digest(of, declared);
  });

  it('of a partition that spans streams hold back events of all of them', async () => {
    const spanning = (poison: number) =>
      ledgers((n) => n === poison, {
        partition: ({ data }) => String((data['ledger'] as string).split('-')[0]),
        project: ({ data }) => {
          if (data['n'] === poison) throw new Error('no');
          const id = (data['ledger'] as string).split('-')[0]!;
          return [{ op: 'merge', collection: 'ledgers', id, fields: { last: data['n'] ?? null } }];
        },
      });
    await enter(events, 'b-1', 1);
    const at = await enter(events, 'b-2', POISON);
    await enter(events, 'b-1', 2);
    await enter(events, 'c-1', 3);
    const of = house(spanning(POISON), { onPoison: 'park' });
    await of.host.waitFor(await events.head());
    expect([await ledger('b'), await ledger('c')]).toEqual([{ last: 1 }, { last: 3 }]);
    await digest(of, spanning(POISON));
    await of.stop();
    const mended = house(spanning(-1));
    await mended.parking.replay('ledgers', order(at, 'r'));
    expect(await ledger('b')).toEqual({ last: 2 });
    await digest(mended, spanning(-1));
  });

  it('meet a rebuild as they met the live one: the digests are the same, also after a swap and a rollback', async () => {
    const at = await fill();
    const of = house(poisoned, { onPoison: 'park' });
    await of.host.waitFor(await events.head());
    const { rebuild_id } = await of.rebuilds.begin('ledgers', by('one'), null);
    let view = await of.rebuilds.get('ledgers', rebuild_id);
    while (view.state === 'running') {
      await new Promise(setImmediate);
      view = await of.rebuilds.get('ledgers', rebuild_id);
    }
    expect(view).toMatchObject({ state: 'ready', equal: true });
    await of.rebuilds.swap('ledgers', rebuild_id, by('two'), null);
    await of.host.waitFor(await enter(events, 'b', 8));
    expect(await ledger('b')).toMatchObject({ last: 2 });
    await digest(of, poisoned);
    await of.stop();

    const mended = house(ledgers());
    await mended.parking.replay('ledgers', order(at, 'r'));
    expect(await ledger('b')).toMatchObject({ last: 8 });
    await mended.rebuilds.rollBack('ledgers', rebuild_id, by('three'), null);
    expect(await ledger('b')).toMatchObject({ last: 8 });
    expect(await digest(mended, ledgers())).toBe(await cleanDigest(ledgers()));
  });

  it('replayed over a store that fails and loses answers are applied once in effect, whatever was written before', async () => {
    const at = await fill();
    for (let i = 0; i < 1300; i++) await enter(events, 'b', 20 + i);
    const first = house(poisoned, { onPoison: 'park' });
    await first.host.waitFor(await events.head());
    await first.stop();
    let calls = 0;
    const flaky = new Proxy<ReadStore>(documents, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const n = name === 'apply' ? ++calls : 0;
          if (n % 4 === 1) throw new Error('the disk blinked');
          const result: unknown = await (value as (...all: unknown[]) => unknown).apply(target, args);
          if (n % 4 === 2) throw new Error('the answer got lost');
          return result;
        };
      },
    });
    const mended = house(ledgers(), {}, flaky);
    await mended.host.waitFor(await events.head(), ['ledgers'], 60_000);
    const replayed = await mended.parking.replay('ledgers', order(at, 'r'));
    expect(replayed).toMatchObject({ state: 'replayed', done: true });
    expect(await digest(mended, ledgers())).toBe(await cleanDigest(ledgers()));
  });

  it('in another process: it knows that the owner has halted, and its order is carried out there', async () => {
    const lease = (holder: string, durationMs: number) => ({ lease: { holder, durationMs } });
    const owner = house(poisoned, lease('owner', 40));
    await reached(owner, ({ state }) => state === 'live');
    const other = house(poisoned, lease('other', 3_600_000));
    await reached(other, ({ state }) => state === 'standby');
    const at = await fill();
    await halted(owner);
    await expect(other.host.waitFor('99', ['ledgers'], 60_000)).rejects.toMatchObject({
      meta: { state: 'halted', error: { position: at } },
    });
    expect(await other.host.list()).toMatchObject([{ state: 'halted', standby: true, error: { position: at } }]);
    expect(await other.parking.park('ledgers', order(at, 'p'))).toMatchObject({ state: 'parked', done: true });
    await other.host.waitFor(await events.head(), ['ledgers'], 60_000);
    expect(await ledger('c')).toMatchObject({ last: 5 });
  });

  it('under random orders leave at every moment the documents of a rerun, and at the end those of a clean log', async () => {
    for (let seed = 0; seed < 4; seed++) {
      events = new MemoryEventStore();
      documents = new MemoryReadStore();
      const rng = new DeterministicRng(`parking-${seed}`);
      const pick = (n: number): number => Math.floor(rng.next() * n);
      const bad = new Set<number>();
      let n = 0;
      const projection = ledgers((entry) => bad.has(entry));
      const of = house(projection, { onPoison: 'park', poisonAttempts: 1, maxParked: 1000 });
      for (let step = 0; step < 40; step++) {
        if (rng.next() < 0.25) bad.add(n);
        await enter(events, `l${pick(5)}`, n++, rng.next() < 0.1 ? 'CLOSED' : 'ENTERED');
        if (rng.next() < 0.2) bad.delete([...bad][pick(bad.size)] ?? -1);
        const parked = (await of.parking.list('ledgers')).filter(({ state }) => state === 'parked');
        const target = parked[pick(parked.length)];
        if (target && rng.next() < 0.3) await of.parking.replay('ledgers', order(target.position, `r${seed}.${step}`));
        if (step % 12 === 0) await digest(of, projection);
      }
      bad.clear();
      await of.host.waitFor(await events.head(), ['ledgers'], 60_000);
      for (const [i, { position, state }] of (await of.parking.list('ledgers')).entries())
        if (state === 'parked') await of.parking.replay('ledgers', order(position, `end${seed}.${i}`));
      expect(await digest(of, projection)).toBe(await cleanDigest(ledgers()));
      await of.stop();
    }
  });
});
